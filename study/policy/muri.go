package policy

import (
	"context"
	"math"

	"jigsaw/study/replay"
)

// muri interleaves the stages of jobs that share GPUs (Y. Zhao et al.,
// Multi-resource interleaving for deep learning training, SIGCOMM 2022).
//
// The jobs of a group do one iteration each per round of four slots. In slot t job
// p uses its GPU if t = p and the network if t = p + 1, and it loads, through
// storage and then CPU, in the two slots before its GPU slot, all modulo 4. A slot
// lasts at least as long as the longest GPU or network stage in it, and the two
// slots in which a job loads together last at least as long as its loading. The
// round is the shortest over all orders of the jobs, and no shorter than any job's
// iteration alone.
//
// Muri pairs jobs by maximum matching; here pairs are chosen greedily, best first.
type muri struct {
	name    string
	urgency func(*replay.State, int) float64 // lowest first
	sharing *sharing
}

func newMuri(_ context.Context, name string, o Options) (replay.Policy, error) {
	p := &muri{name: name, urgency: service}
	if name == "muri-l" {
		p.urgency = attainedService
	}
	// Muri shares GPUs whenever there are too few.
	p.sharing = newSharing(o, func(w *replay.Workload, jobs []int, kind int) (total float64) {
		for k, period := range p.Periods(w, jobs, kind) {
			total += w.ClassOf(jobs[k]).Iteration[kind] / period
		}
		return total
	})
	return p, nil
}

func (p *muri) Name() string { return p.name }

// Shares reports that jobs share GPUs.
func (p *muri) Shares() bool { return true }

// number of slots of a round
const slots = 4

// Periods is the length of the round, the same for all jobs.
func (p *muri) Periods(w *replay.Workload, jobs []int, kind int) []float64 {
	periods := make([]float64, len(jobs))
	longest := 0.0
	for _, i := range jobs {
		longest = max(longest, w.ClassOf(i).Iteration[kind])
	}
	round := longest
	if len(jobs) > 1 {
		classes := make([]*replay.Class, len(jobs))
		for k, i := range jobs {
			classes[k] = w.ClassOf(i)
		}
		round = max(longest, shortestRound(classes, kind))
	}
	for k := range periods {
		periods[k] = round
	}
	return periods
}

// shortestRound tries all orders of the jobs, with gaps; the first job is fixed,
// since rotating the round changes nothing.
func shortestRound(jobs []*replay.Class, kind int) float64 {
	seats := make([]*replay.Class, slots)
	best := math.Inf(1)
	seats[0] = jobs[0]
	var seat func(k int)
	seat = func(k int) {
		if k == len(jobs) {
			best = min(best, roundLength(seats, kind))
			return
		}
		for at := 1; at < slots; at++ {
			if seats[at] == nil {
				seats[at] = jobs[k]
				seat(k + 1)
				seats[at] = nil
			}
		}
	}
	seat(1)
	return best
}

// roundLength returns the least sum of the four slots s_t, in seconds, such that s_t
// >= b_t, the longest GPU or network stage in it, and s_t + s_t+1 >= the loading of
// the job that loads there. The missing time of loading, d_t = load - b_t - b_t+1,
// is covered by e_t + e_t+1 >= d_t on a cycle of four; by duality the least sum of e
// is the larger of d_0 + d_2 and d_1 + d_3.
func roundLength(seats []*replay.Class, kind int) float64 {
	var b, load [slots]float64
	for p, c := range seats {
		if c == nil {
			continue
		}
		length := c.Iteration[kind]
		b[p] = max(b[p], c.Stages.GPU*length)
		b[(p+1)%slots] = max(b[(p+1)%slots], c.Stages.Network*length)
		load[(p+2)%slots] = c.Stages.Load * length // in slots p-2 and p-1
	}
	var lack [slots]float64
	sum := 0.0
	for t := range slots {
		sum += b[t]
		lack[t] = max(0, load[t]-b[t]-b[(t+1)%slots])
	}
	return sum + max(lack[0]+lack[2], lack[1]+lack[3])
}

// Decide forms groups by urgency.
func (p *muri) Decide(s *replay.State) replay.Decision {
	order := ordered(s, func(i int) float64 { return p.urgency(s, i) })
	return replay.Decision{Groups: p.sharing.groups(s, order), Again: replay.Never()}
}
