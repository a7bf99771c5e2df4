package planreport

import (
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/view"
)

// use is what a plan uses of GPUs and links until its end or, if it repeats, in a period.
type use struct {
	*view.Usage
	// held are the ticks, by GPU, in which a job is in memory.
	held []float64
	// iterations by job, and their GPU time relative to full depth; NaN without any.
	iterations []int
	work       []float64
	// computing and occupied are the mean numbers of GPUs that are busy and held in equal parts of the span.
	computing, occupied []float64
}

// useParts is the number of points of the curves over time.
const useParts = 300

func newUse(in *instance.Instance, plan *instance.BlockSchedule, period instance.Tick) *use {
	u := &use{
		Usage: view.UtilisationOfBlocks(in, plan, period), held: make([]float64, len(in.GPUs)),
		iterations: make([]int, len(in.Jobs)), work: make([]float64, len(in.Jobs)), computing: make([]float64, useParts), occupied: make([]float64, useParts),
	}
	u.Span = max(1, u.Span)
	full := make([]float64, len(in.Jobs))
	for i := range plan.Blocks {
		b := &plan.Blocks[i]
		for _, t := range b.Tasks {
			times := in.Jobs[t.Job].On[in.GPUs[t.GPU].Type].Time
			u.work[t.Job] += float64(t.End-t.Start) * float64(b.Repeats)
			full[t.Job] += float64(times[len(times)-1]) * float64(b.Repeats)
			u.compute(b, t, period)
		}
		for j, n := range b.IterationsOf() {
			u.iterations[j] += n * int(b.Repeats)
		}
	}
	for j := range u.work {
		u.work[j] /= full[j]
	}
	u.occupy(in, plan, period)
	return u
}

// compute adds a task of a block to the curve of computing GPUs. Periods shorter than its parts are spread evenly.
func (u *use) compute(b *instance.Block, t instance.Task, period instance.Tick) {
	if float64(b.Period) < float64(u.Span)/useParts && b.Repeats > 1 {
		whole := float64(b.Period) * float64(b.Repeats)
		u.add(u.computing, float64(b.Start+t.Start), float64(b.Start+t.Start)+whole, float64(t.End-t.Start)/float64(b.Period))
		return
	}
	for m := range b.Repeats {
		from := b.Start + instance.Tick(m)*b.Period + t.Start
		to := from + t.End - t.Start
		if period > 0 { // what passes the end goes on at the beginning
			from, to = from%period, from%period+t.End-t.Start
			for ; to > period; to -= period {
				u.add(u.computing, float64(from), float64(period), 1)
				from = 0
			}
		}
		u.add(u.computing, float64(from), float64(to), 1)
	}
}

// add adds a rate from a time to another to a curve.
func (u *use) add(curve []float64, from, to, rate float64) {
	width := float64(u.Span) / useParts
	for i := int(from / width); i < useParts; i++ {
		left := float64(i) * width
		if left >= to {
			return
		}
		curve[i] += rate * (min(to, left+width) - max(from, left)) / width
	}
}

// occupy says when GPUs have a job in memory.
func (u *use) occupy(in *instance.Instance, plan *instance.BlockSchedule, period instance.Tick) {
	type stay struct{ from, to instance.Tick }
	stays := make([][]stay, len(in.GPUs))
	from, to := plan.Spans(in)
	for j, gpus := range plan.Residency {
		s := stay{max(0, from[j]-in.Jobs[j].Load), to[j]}
		if period > 0 || !in.Queues() { // in memory all the time
			s = stay{0, u.Span}
		}
		for _, g := range gpus {
			stays[g] = append(stays[g], s)
		}
	}
	for g, list := range stays {
		slices.SortFunc(list, func(a, b stay) int { return int(a.from - b.from) })
		end := instance.Tick(0)
		for _, s := range list {
			if s.from = max(s.from, end); s.from < s.to {
				u.held[g] += float64(s.to - s.from)
				u.add(u.occupied, float64(s.from), float64(s.to), 1)
				end = s.to
			}
		}
	}
}
