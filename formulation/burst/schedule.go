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
	// Jobs by number in [instance.Bursts.Foreground]. Slices belong to background jobs by number.
	Jobs []Foreground
	// Homes are the GPUs of the background jobs, by number; [Nowhere] for a job without room.
	Homes []instance.GPUID
}

// Foreground is a burst-parallel job: the number of GPUs of its layers, and one period.
type Foreground struct {
	Plan
	Timetable
}

// Nowhere is the home of a background job that no GPU has room for.
const Nowhere instance.GPUID = -1

// Chains returns the chains of the burst-parallel jobs, by number, on their nodes. Notes say which batches were
// not measured.
func Chains(in *instance.Bursts) (chains []*Chain, notes []string, err error) {
	for i := range in.Foreground {
		job := &in.Foreground[i]
		fabric := in.Links[in.Nodes[job.Node].Fabric].Capacity
		c, guessed, err := NewChain(job.Profiles, job.Batch, job.GPUs, Network{Rate: max(fabric, 1), Latency: in.Latency})
		if err != nil {
			return nil, nil, fmt.Errorf("job %q: %w", job.Name, err)
		}
		if len(guessed) > 0 {
			notes = append(notes, fmt.Sprintf("%s: batch %s per GPU was not measured: its times are interpolated or extrapolated, which favours many GPUs", job.Name, strings.Trim(fmt.Sprint(guessed), "[]")))
		}
		chains = append(chains, c)
	}
	return chains, notes, nil
}

func rules(in *instance.Bursts, job *instance.BurstJob) Rules {
	return Rules{GPUs: job.GPUs, Slice: in.Slice, Slowdown: job.Slowdown}
}

// Solve plans an instance. Each burst-parallel job gets its fastest plan within its limit and memory. Background
// jobs go where the most time is idle and memory has room for them, and each timetable uses most of the idle time.
// bound is the most that any timetables of these plans give the background jobs together, wherever they are, in
// GPUs' worth of time. If s is nil, notes say why there is no schedule, and proven whether that is proven; otherwise
// notes say which plans memory has made slower.
func Solve(in *instance.Bursts, chains []*Chain) (s *Schedule, bound *big.Rat, notes []string, proven bool, err error) {
	s = &Schedule{}
	var reasons []string
	room, worth := make([]instance.Bytes, len(in.GPUs)), make([]*big.Rat, len(in.GPUs))
	for g := range in.GPUs {
		room[g], worth[g] = in.Types[in.GPUs[g].Type].Memory, big.NewRat(1, 1)
	}
	for i := range in.Foreground {
		job, c, first := &in.Foreground[i], chains[i], in.Nodes[in.Foreground[i].Node].FirstGPU
		has, err := NewRoom(job.Profiles, job.Batch, job.Kept, c, room[first])
		if err != nil {
			return nil, nil, nil, false, fmt.Errorf("job %q: %w", job.Name, err)
		}
		fits, why, never := c.Within(job.Amplification, has)
		if fits == nil {
			reasons = append(reasons, fmt.Sprintf("%s, on node %s: %s", job.Name, in.Nodes[job.Node].Name, why))
			proven = proven || never
			continue
		}
		if why != "" {
			notes = append(notes, job.Name+": "+why)
		}
		plan := *fits
		s.Jobs = append(s.Jobs, Foreground{Plan: plan})
		most := c.atMost(plan.Widths, rules(in, job))
		for g := range job.GPUs {
			at := first + instance.GPUID(g)
			worth[at] = most.of(func(from, to int) int {
				if from <= g && g < to {
					return 1
				}
				return 0
			})
			room[at] -= has.Bytes(c, plan.Widths, g)
		}
	}
	if len(reasons) > 0 {
		return nil, nil, reasons, proven, nil
	}
	s.Homes = deal(in, room, worth)
	for i := range in.Foreground {
		t, _, err := chains[i].Fill(s.Jobs[i].Plan, rules(in, &in.Foreground[i]), s.local(in, i))
		if err != nil {
			return nil, nil, nil, false, fmt.Errorf("job %q: %w", in.Foreground[i].Name, err)
		}
		s.Jobs[i].Timetable = *t
	}
	bound, err = Prove(in, chains, s.Stages())
	return s, bound, notes, false, err
}

// deal chooses the GPUs of background jobs, those of most bytes first: among the GPUs with room the one with
// fewest jobs, and among these the one that idles most; GPUs that never idle come last.
func deal(in *instance.Bursts, room []instance.Bytes, worth []*big.Rat) []instance.GPUID {
	homes, order, jobs := make([]instance.GPUID, len(in.Jobs)), instance.UpTo[int](len(in.Jobs)), make([]int, len(in.GPUs))
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

// needs is the memory of a background job in bytes: its iterations are interrupted, so it keeps everything
// between slices.
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

// local returns the homes of background jobs among the GPUs of a burst-parallel job, -1 elsewhere.
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

// Stages returns the numbers of GPUs of the burst-parallel jobs, by job and layer, as [Prove] takes them.
func (s *Schedule) Stages() (stages [][]int) {
	for i := range s.Jobs {
		stages = append(stages, s.Jobs[i].Widths)
	}
	return stages
}

// Rates returns the rate of each background job on its GPU, relative to running alone.
func (s *Schedule) Rates(in *instance.Bursts) []*big.Rat {
	rates, alike := make([]*big.Rat, len(in.Jobs)), map[instance.GPUID]int64{}
	for _, home := range s.Homes {
		alike[home]++
	}
	for j, home := range s.Homes {
		if rates[j] = new(big.Rat); home != Nowhere {
			rates[j].SetFrac64(1, alike[home]) // on GPUs of no burst-parallel job, in turn
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
