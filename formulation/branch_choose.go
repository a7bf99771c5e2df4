package formulation

import (
	"math"

	"jigsaw/formulation/instance"
	"jigsaw/solver/colgen"
)

// bundle is the plans that a solution mixes for a job.
type bundle struct {
	plans   []*plan
	weights []float64
}

func (t *treeProblem) bundles(s *master, columns []colgen.Column[plan], weights []float64) []bundle {
	list := make([]bundle, len(s.classes))
	for i := range columns {
		if i >= len(weights) || weights[i] < leastWeight || columns[i].Data.ends == nil {
			continue
		}
		b := &list[s.classOf(&columns[i])]
		b.plans = append(b.plans, &columns[i].Data)
		b.weights = append(b.weights, weights[i])
	}
	return list
}

// spread returns the mean and the variance of a number of the plans, and
// whether it differs at all.
func (b *bundle) spread(of func(*plan) int64) (mean, variance float64, differs bool) {
	sum := 0.0
	for i, p := range b.plans {
		mean += b.weights[i] * float64(of(p))
		sum += b.weights[i]
		differs = differs || of(p) != of(b.plans[0])
	}
	mean /= sum
	for i, p := range b.plans {
		variance += b.weights[i] / sum * (float64(of(p)) - mean) * (float64(of(p)) - mean)
	}
	return mean, variance, differs
}

// homeless returns the split of the homes of a job without one: of jobs that leave little to
// choose the larger, since what is placed first prunes the most. Where sum w C counts a job
// is as large as its work times its weight: others that wait for a light one cost much, but it
// for others little. Jobs with too many homes to be counted come last.
func (n *branchNode) homeless(in *instance.Instance) *split {
	var best *split
	most := math.Inf(-1)
	for j := range n.jobs {
		job := &in.Jobs[j]
		if n.jobs[j].home != nil {
			continue
		}
		work := 0.0 // GPU ticks
		for _, on := range job.On {
			if on != nil {
				work = max(work, float64(job.Workers)*float64(job.Iterations)*float64(on.Time[job.Full()]))
			}
		}
		if in.Objective == instance.WeightedCompletion {
			work *= float64(job.Weight)
		}
		score := work / 1e6
		if homes, ok := n.homes(in, j, mostCounted); ok {
			score = math.Pow(work, 0.75) / math.Log(float64(2+len(homes)))
		}
		if score > most {
			best, most = &split{Kind: splitHome, Job: j}, score
		}
	}
	return best
}

// choose returns the split for a fractional solution, once homes are decided or
// too many to be: the end that differs most among the plans of a job, else a
// start, a depth or a level. It returns nil where every job has one plan with a
// home.
func (n *branchNode) choose(in *instance.Instance, bundles []bundle) *split {
	var best *split
	most := 0.0
	try := func(b *bundle, s split, of func(*plan) int64) {
		mean, variance, differs := b.spread(of)
		if differs && (best == nil || variance > most) {
			s.At = int64(math.Floor(mean))
			best, most = &s, variance
		}
	}
	for j := range bundles {
		for i := range n.jobs[j].ends {
			if len(bundles[j].plans) > 1 {
				try(&bundles[j], split{Kind: splitEnd, Job: j, Iteration: i}, func(p *plan) int64 { return p.ends[i] })
			}
		}
	}
	if best != nil {
		return best
	}
	if home := n.homeless(in); home != nil {
		return home
	}
	for j := range bundles {
		b := &bundles[j]
		if len(b.plans) < 2 {
			continue
		}
		for i := range n.jobs[j].ends {
			for w := range in.Jobs[j].Workers {
				try(b, split{Kind: splitStart, Job: j, Iteration: i, Worker: w}, func(p *plan) int64 { return p.tasks[i][w].start })
			}
			if in.Jobs[j].HasSync() {
				try(b, split{Kind: splitSync, Job: j, Iteration: i}, func(p *plan) int64 { return p.syncs[i].start })
			}
		}
	}
	if best != nil {
		return best
	}
	// Depths and levels are no numbers: split off one of them.
	for j := range bundles {
		b := &bundles[j]
		for i := range n.jobs[j].ends {
			for w := range in.Jobs[j].Workers {
				if _, _, differs := b.spread(func(p *plan) int64 { return int64(p.tasks[i][w].depth) }); differs {
					return &split{Kind: splitDepth, Job: j, Iteration: i, Worker: w, At: int64(b.plans[0].tasks[i][w].depth)}
				}
			}
			if _, _, differs := b.spread(func(p *plan) int64 { return int64(p.syncs[i].level) }); differs {
				return &split{Kind: splitLevel, Job: j, Iteration: i, At: int64(b.plans[0].syncs[i].level)}
			}
		}
	}
	return nil
}
