package formulation

import (
	"fmt"
	"math/big"
	"slices"

	"jigsaw/formulation/instance"
)

// Chain returns the bound that every job's own iterations prove, were it alone
// on the cluster. Iteration i + 1 starts after synchronisation i, every
// iteration has a worker at full depth, and its synchronisation starts after
// that worker's task. With l the least p(L) + sync over the residencies that
// the job's limits permit, job j cannot end before
//
//	r + R l
//
// and cannot run more than 1/l iterations per tick. The bound is the largest
// end (makespan), the weighted sum of ends, the weighted sum of rates, or the
// smallest normalised rate.
func Chain(in *instance.Instance) Bound { return newModel(in).chain() }

func (m *model) chain() Bound {
	b := Bound{Kind: ChainBound, Certified: true, Value: new(big.Rat)}
	critical := -1 // class that sets the extreme
	for c := range m.demands {
		d := &m.demands[c]
		weight := new(big.Rat).SetInt(mul(d.job.Weight, d.count()))
		if m.in.Objective.Periodic() && !d.runs() {
			// A periodic plan may leave the job out, at rate 0.
			if m.in.Objective == instance.MaxMinThroughput {
				b.Value, critical = new(big.Rat), c
				break
			}
			continue
		}
		end := new(big.Rat).SetInt(d.chain(d.iteration))
		switch m.in.Objective {
		case instance.WeightedCompletion:
			b.Value.Add(b.Value, weight.Mul(weight, end))
		case instance.Throughput:
			b.Value.Add(b.Value, weight.Quo(weight, ticks(d.iteration)))
		case instance.MaxMinThroughput:
			rate := big.NewRat(int64(d.job.FastestFull()), d.job.Weight)
			rate.Quo(rate, ticks(d.iteration))
			if critical < 0 || rate.Cmp(b.Value) < 0 {
				b.Value, critical = rate, c
			}
		default:
			if critical < 0 || end.Cmp(b.Value) > 0 {
				b.Value, critical = end, c
			}
		}
	}
	if critical >= 0 {
		b.Binding = []Binding{m.chainBinding(critical)}
	} else {
		b.Binding = []Binding{{Resource: "job", Subject: "the jobs' own iterations",
			Text: "the jobs' own iterations limit the plan: more GPUs will not help"}}
	}
	return b
}

// chainBinding says that a job's own iterations limit the plan.
func (m *model) chainBinding(class int) Binding {
	d := &m.demands[class]
	name := m.className(class)
	return Binding{Resource: "job", Subject: name, Effect: 0,
		Text: fmt.Sprintf("the iterations of %s limit the plan, at %d ticks each of which %d synchronise: more GPUs will not help",
			name, d.iteration, d.sync)}
}

// className is a class in a sentence: `job "x"`, `the 4 jobs "x-1" to "x-4"`.
func (m *model) className(class int) string {
	jobs := m.demands[class].jobs
	first, last := m.in.Jobs[jobs[0]].Name, m.in.Jobs[jobs[len(jobs)-1]].Name
	if len(jobs) == 1 {
		return fmt.Sprintf("job %q", first)
	}
	if slices.IsSorted(jobs) && int(jobs[len(jobs)-1]-jobs[0]) == len(jobs)-1 {
		return fmt.Sprintf("the %d jobs %q to %q", len(jobs), first, last)
	}
	return fmt.Sprintf("the %d jobs like %q", len(jobs), first)
}

// ticks is a time as an exact number, at least 1 where it divides.
func ticks(t instance.Tick) *big.Rat { return new(big.Rat).SetInt64(max(1, int64(t))) }
