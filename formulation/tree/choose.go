package tree

import (
	"math"

	"jigsaw/formulation/bound/columns"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax/cases"
	"jigsaw/solver/colgen"
)

// mostCounted bounds the assignments of a job that are enumerated to count them.
const mostCounted = 20_000

// bundle is the set of plans with positive weight in a solution for a job.
type bundle struct {
	plans   []*columns.Plan
	weights []float64
}

func (t *search) bundles(s *nodeSearch, found []colgen.Column[columns.Plan], weights []float64) []bundle {
	list := make([]bundle, len(s.Classes))
	for i := range found {
		if i >= len(weights) || weights[i] < columns.LeastWeight || found[i].Data.Ends == nil {
			continue
		}
		b := &list[s.ClassOf(&found[i])]
		b.plans = append(b.plans, &found[i].Data)
		b.weights = append(b.weights, weights[i])
	}
	return list
}

// spread returns the mean and the variance of a number over the plans, and whether it
// differs at all.
func (b *bundle) spread(of func(*columns.Plan) int64) (mean, variance float64, differs bool) {
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

// homeless returns the split of the homes of a job without one: among jobs with few choices
// the larger, since what is placed first prunes the most. For sum w C the size of a job is
// its work times its weight: a job of small weight costs much to others that wait for it,
// but others cost it little. Jobs with too many homes to be counted come last.
func homeless(n *cases.Node, in *instance.Instance) *cases.Split {
	var best *cases.Split
	most := math.Inf(-1)
	for j := range n.Jobs {
		job := &in.Jobs[j]
		if n.Jobs[j].Assignment != nil {
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
		if homes, ok := n.Assignments(in, j, mostCounted); ok {
			score = math.Pow(work, 0.75) / math.Log(float64(2+len(homes)))
		}
		if score > most {
			best, most = &cases.Split{Kind: cases.SplitAssignment, Job: j}, score
		}
	}
	return best
}

// choose returns the split for a fractional solution, once homes are decided or too many
// to be: the end that differs most among the plans of a job, otherwise a start. It
// returns nil if no times differ: plans that differ only in depths or rate levels are not
// split; no search is known to need it.
func choose(n *cases.Node, in *instance.Instance, bundles []bundle) *cases.Split {
	var best *cases.Split
	most := 0.0
	try := func(b *bundle, s cases.Split, of func(*columns.Plan) int64) {
		mean, variance, differs := b.spread(of)
		if differs && (best == nil || variance > most) {
			s.At = int64(math.Floor(mean))
			best, most = &s, variance
		}
	}
	for j := range bundles {
		for i := range n.Jobs[j].Ends {
			if len(bundles[j].plans) > 1 {
				try(&bundles[j], cases.Split{Kind: cases.SplitEnd, Job: j, Iteration: i}, func(p *columns.Plan) int64 { return p.Ends[i] })
			}
		}
	}
	if best != nil {
		return best
	}
	if home := homeless(n, in); home != nil {
		return home
	}
	for j := range bundles {
		b := &bundles[j]
		if len(b.plans) < 2 {
			continue
		}
		for i := range n.Jobs[j].Ends {
			for w := range in.Jobs[j].Workers {
				try(b, cases.Split{Kind: cases.SplitStart, Job: j, Iteration: i, Worker: w}, func(p *columns.Plan) int64 { return p.Tasks[i][w].Start })
			}
			if in.Jobs[j].HasSync() {
				try(b, cases.Split{Kind: cases.SplitSync, Job: j, Iteration: i}, func(p *columns.Plan) int64 { return p.Syncs[i].Start })
			}
		}
	}
	return best
}
