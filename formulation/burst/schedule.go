package burst

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"jigsaw/formulation/instance"
)

// Schedule is a plan of an instance of burst-parallel jobs.
type Schedule struct {
	// Jobs by number in [instance.Bursts.Foreground]. Slices are of background jobs by number.
	Jobs []Foreground
	// Homes are the GPUs of the background jobs, by number; [Nowhere] where none has room.
	Homes []instance.GPUID
}

// Foreground is a burst-parallel job: how many GPUs its layers have, and one period.
type Foreground struct {
	Plan
	Timetable
}

// Nowhere is the home of a background job that no GPU has room for.
const Nowhere instance.GPUID = -1

// Chains of the burst-parallel jobs, by number, on their nodes. Notes say which batches were not measured.
func Chains(in *instance.Bursts) (chains []*Chain, notes []string, err error) {
	for i := range in.Foreground {
		job := &in.Foreground[i]
		fabric := in.Links[in.Nodes[job.Node].Fabric].Capacity
		c, guessed, err := NewChain(job.Profiles, job.Batch, job.GPUs, Network{Rate: max(fabric, 1), Latency: in.Latency})
		if err != nil {
			return nil, nil, fmt.Errorf("job %q: %w", job.Name, err)
		}
		if len(guessed) > 0 {
			notes = append(notes, fmt.Sprintf("%s: batch %s per GPU was not measured: interpolated, or in proportion, which flatters many GPUs", job.Name, strings.Trim(fmt.Sprint(guessed), "[]")))
		}
		chains = append(chains, c)
	}
	return chains, notes, nil
}

func rules(in *instance.Bursts, job *instance.BurstJob) Rules {
	return Rules{GPUs: job.GPUs, Slice: in.Slice, Slowdown: job.Slowdown}
}

// Solve plans an instance. Each burst-parallel job has its fastest plan within its limit; background jobs
// go where most idles, and memory has room for them; each timetable makes most of what idles. bound is what no
// timetables of these plans give the background jobs together, wherever they are: GPUs' worth of
// time. reasons say why there is no schedule.
func Solve(in *instance.Bursts, chains []*Chain) (s *Schedule, bound *big.Rat, reasons []string, err error) {
	s = &Schedule{}
	room, worth := make([]instance.Bytes, len(in.GPUs)), make([]*big.Rat, len(in.GPUs))
	for g := range in.GPUs {
		room[g], worth[g] = in.Types[in.GPUs[g].Type].Memory, big.NewRat(1, 1)
	}
	for i := range in.Foreground {
		job, c := &in.Foreground[i], chains[i]
		plan := c.Fastest(job.Amplification)
		t, _, err := c.Fill(plan, rules(in, job), nil)
		if err != nil {
			return nil, nil, nil, fmt.Errorf("job %q: %w", job.Name, err)
		}
		s.Jobs = append(s.Jobs, Foreground{plan, *t})
		first := in.Nodes[job.Node].FirstGPU
		for g := range job.GPUs {
			sum := instance.Duration(0)
			for _, w := range t.Windows {
				if w.GPU == g {
					sum += w.End - w.Start
				}
			}
			at := first + instance.GPUID(g)
			worth[at] = big.NewRat(int64(sum), int64(t.Period))
			if room[at] -= kept(job, plan.Widths, g); room[at] < 0 {
				reasons = append(reasons, fmt.Sprintf("GPU %d of node %q has %s too little memory for %q", g, in.Nodes[job.Node].Name, -room[at], job.Name))
				break
			}
		}
	}
	if len(reasons) > 0 {
		return nil, nil, reasons, nil
	}
	s.Homes = deal(in, room, worth)
	for i := range in.Foreground {
		t, _, err := chains[i].Fill(s.Jobs[i].Plan, rules(in, &in.Foreground[i]), s.local(in, i))
		if err != nil {
			return nil, nil, nil, err
		}
		s.Jobs[i].Timetable = *t
	}
	return s, s.Bound(in, chains), nil, nil
}

// full is more than any memory, and can be added up with what is not.
const full = instance.Bytes(forever)

// kept is what a burst-parallel job has in memory on its GPU g: the parameters of the layers that are there, and
// what training keeps beside them; and activations, from the forward pass to the backward pass.
func kept(job *instance.BurstJob, widths []int, g int) (bytes instance.Bytes) {
	table, err := newScaling(job.Profiles)
	if err != nil {
		return full
	}
	for _, w := range widths {
		if w > g {
			bytes = max(bytes, table.nearest(job.Batch/w).Workspace)
		}
	}
	for l, w := range widths {
		if w > g {
			p := table.nearest(job.Batch / w)
			here := instance.Bytes(job.Kept)*p.Layers[l].Parameters + instance.Bytes(portion(instance.Duration(p.Layers[l].Activations), job.Batch/w, p.Batch))
			bytes = min(bytes+here, full)
		}
	}
	return bytes
}

// deal chooses the GPUs of background jobs, those of most bytes first: of the GPUs with room the one with fewest
// of them, and of these the one that idles most; GPUs that never idle last.
func deal(in *instance.Bursts, room []instance.Bytes, worth []*big.Rat) []instance.GPUID {
	homes, order, jobs := make([]instance.GPUID, len(in.Jobs)), make([]int, len(in.Jobs)), make([]int, len(in.GPUs))
	for j := range order {
		order[j] = j
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(most(&in.Jobs[j]), most(&in.Jobs[i])) })
	for _, j := range order {
		best := Nowhere
		for g := range in.GPUs {
			on := in.Jobs[j].On[in.GPUs[g].Type]
			if on == nil || needs(on) > room[g] || worth[g].Sign() == 0 {
				continue
			}
			if best == Nowhere || jobs[g] < jobs[best] || jobs[g] == jobs[best] && worth[g].Cmp(worth[best]) > 0 {
				best = instance.GPUID(g)
			}
		}
		if homes[j] = best; best != Nowhere {
			jobs[best]++
			room[best] -= needs(in.Jobs[j].On[in.GPUs[best].Type])
		}
	}
	return homes
}

// needs are the bytes of a background job: its iterations are interrupted, so that it keeps all between slices.
func needs(on *instance.Costs) instance.Bytes {
	return on.Persistent + on.Ephemeral[len(on.Ephemeral)-1]
}

func most(j *instance.Job) (bytes instance.Bytes) {
	for _, on := range j.On {
		if on != nil {
			bytes = max(bytes, needs(on))
		}
	}
	return bytes
}

// local are the homes of background jobs among the GPUs of a burst-parallel job, -1 elsewhere.
func (s *Schedule) local(in *instance.Bursts, i int) []int {
	job := &in.Foreground[i]
	first := in.Nodes[job.Node].FirstGPU
	homes := make([]int, len(s.Homes))
	for j, g := range s.Homes {
		if homes[j] = int(g - first); g < first || homes[j] >= job.GPUs {
			homes[j] = -1
		}
	}
	return homes
}

// Bound is the most that background jobs have together. Of the GPUs of a burst-parallel job the last idle whenever
// those before them do, so that n jobs, or more on n GPUs, have no more there than on the last n; on a GPU that
// none of the others has, they have it all. The best shares of the jobs are found by dynamic programming.
func (s *Schedule) Bound(in *instance.Bursts, chains []*Chain) *big.Rat {
	free := len(in.GPUs)
	best := []*big.Rat{new(big.Rat)} // by number of GPUs with background jobs
	for i := range in.Foreground {
		job := &in.Foreground[i]
		free -= job.GPUs
		r := rules(in, job)
		steps := chains[i].steps(s.Jobs[i].Plan, r)
		next := slices.Clone(best)
		for n := 1; n <= min(job.GPUs, len(in.Jobs)); n++ {
			here := newIdle(steps, s.Jobs[i].Time, r, Deal(n, job.GPUs)).bound()
			for k := 0; k < len(best) && k+n <= len(in.Jobs); k++ {
				sum := new(big.Rat).Add(best[k], here)
				switch {
				case k+n == len(next):
					next = append(next, sum)
				case sum.Cmp(next[k+n]) > 0:
					next[k+n] = sum
				}
			}
		}
		best = next
	}
	bound := new(big.Rat)
	for k, v := range best {
		whole := big.NewRat(int64(min(free, len(in.Jobs)-k)), 1)
		if sum := whole.Add(whole, v); sum.Cmp(bound) > 0 {
			bound = sum
		}
	}
	return bound
}

// Rates are what the background jobs have of a GPU, as they would have alone.
func (s *Schedule) Rates(in *instance.Bursts) []*big.Rat {
	rates, alike := make([]*big.Rat, len(in.Jobs)), map[instance.GPUID]int64{}
	for _, home := range s.Homes {
		alike[home]++
	}
	for j, home := range s.Homes {
		if rates[j] = new(big.Rat); home != Nowhere {
			rates[j].SetFrac64(1, alike[home]) // on GPUs of no burst-parallel job, by turns
		}
	}
	for i := range s.Jobs {
		here := s.Jobs[i].Rates(len(in.Jobs))
		for j, g := range s.local(in, i) {
			if g >= 0 {
				rates[j] = here[j]
			}
		}
	}
	return rates
}
