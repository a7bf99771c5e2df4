package queue

import (
	"math/rand/v2"
	"slices"

	"jigsaw/formulation/instance"
)

// waiting says which jobs wait although there is a place for them.
type waiting struct {
	choosy []bool          // by job: it waits for GPUs on which it is fastest; nil: none does
	until  []instance.Tick // by job: it does not queue before; nil: none waits
}

// everyone waits for the GPUs on which it is fastest.
func (q *Simulation) everyone() []bool { return slices.Repeat([]bool{true}, len(q.in.Jobs)) }

// choice makes one job wait for its fastest GPUs that does not, or vice versa.
func (w waiting) choice(jobs int, rng *rand.Rand) waiting {
	w.choosy = clonedOr(w.choosy, jobs)
	j := rng.IntN(jobs)
	w.choosy[j] = !w.choosy[j]
	return w
}

// reserves reports whether jobs, by release, may wait for others that are released later. Jobs are not interrupted, so a long one that
// starts just before many short ones are released delays all of these; for weighted completion this is often bad.
func (q *Simulation) reserves(order []instance.JobID) bool {
	return q.in.Objective == instance.WeightedCompletion && len(order) > 1 && q.release(order[0]) < q.release(order[len(order)-1])
}

// reservedParts are the parts of [Simulation.reserved] with which a search begins.
var reservedParts = [...]float64{1. / 4, 1. / 16, 1. / 64, 1. / 256, 1. / 1024, 1. / 4096}

// reserved makes each job wait until all jobs are released whose Smith's ratio is less than this part of its own.
func (q *Simulation) reserved(part float64) []instance.Tick {
	order, until := q.by(q.Smith), make([]instance.Tick, len(q.in.Jobs))
	last, n := instance.Tick(0), 0
	for _, j := range order {
		for ; n < len(order) && q.Smith(order[n]) < part*q.Smith(j); n++ {
			last = max(last, q.release(order[n]))
		}
		until[j] = last
	}
	return until
}

// reservation makes one of the jobs wait for the release of another, or no longer.
func (q *Simulation) reservation(w waiting, order []instance.JobID, rng *rand.Rand) waiting {
	w.until = clonedOr(w.until, len(q.in.Jobs))
	j := order[rng.IntN(len(order))]
	if w.until[j] > q.release(j) && rng.IntN(2) == 0 {
		w.until[j] = 0
	} else {
		w.until[j] = q.release(order[rng.IntN(len(order))])
	}
	return w
}

func clonedOr[E any](s []E, n int) []E {
	if s == nil {
		return make([]E, n)
	}
	return slices.Clone(s)
}
