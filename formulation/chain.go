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
// and cannot run more than 1/l iterations per tick, nor more than floor(P/l)
// in a period of P ticks where the instance bounds P. The bound is the largest
// end (makespan), the weighted sum of ends, the weighted sum of rates, or the
// smallest normalised rate.
func Chain(in *instance.Instance) Bound { return newModel(in).chain() }

func (m *model) chain() Bound {
	if m.in.Objective.Periodic() {
		return m.chainRates()
	}
	b := Bound{Kind: ChainBound, Certified: true, Value: new(big.Rat)}
	critical := -1 // class that ends last
	for c := range m.demands {
		d := &m.demands[c]
		end := new(big.Rat).SetInt(d.chain(d.iteration))
		switch {
		case m.in.Objective == instance.WeightedCompletion:
			b.Value.Add(b.Value, end.Mul(end, new(big.Rat).SetInt(mul(d.job.Weight, d.count()))))
		case critical < 0 || end.Cmp(b.Value) > 0:
			b.Value, critical = end, c
		}
	}
	if critical >= 0 {
		b.Binding = []Binding{m.chainBinding(critical)}
	} else {
		b.Binding = []Binding{ownIterations("")}
	}
	return b
}

// ownIterations says that no job waits for another. but is what else it owes.
func ownIterations(but string) Binding {
	return Binding{Resource: "job", Subject: "the jobs' own iterations",
		Text: "the jobs' own iterations limit the plan" + but + ": more GPUs will not help"}
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
