package relax

import (
	"math/big"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax/exact"
)

// Chain returns the bound proven by every job's own iterations, as if it were
// alone on the cluster. Iteration i + 1 starts after synchronisation i, every
// iteration has a worker at full depth, and its synchronisation starts after
// that worker's task. With l the least p(L) + sync over the residencies that
// the job's limits permit, job j cannot end before
//
//	r + R l
//
// and cannot run more than 1/l iterations per tick, nor more than floor(P/l) in
// a period of P ticks where the instance bounds P. The bound is the largest end
// (makespan), the weighted sum of ends, the weighted sum of rates, or the
// smallest normalised rate. critical is the class that alone determines it, -1
// if there is none.
func (m *Model) Chain() (value *big.Rat, critical int) {
	if m.Instance.Objective.Periodic() {
		return m.chainRate()
	}
	value, critical = new(big.Rat), -1
	for c := range m.Classes {
		d := &m.Classes[c]
		end := new(big.Rat).SetInt(d.Chain(d.Iteration))
		switch {
		case m.Instance.Objective == instance.WeightedCompletion:
			value.Add(value, end.Mul(end, m.classWeight(c)))
		case critical < 0 || end.Cmp(value) > 0:
			value, critical = end, c
		}
	}
	return value, critical
}

// mostPeriods bounds the periods times classes that chainRate looks at.
const mostPeriods = 1 << 18

// WholePeriods reports whether the chain bound of rates counts whole iterations in
// periods: if the instance bounds the period, the best period determines the
// bound.
func (m *Model) WholePeriods() bool {
	longest := int64(m.Instance.MaxPeriod)
	return longest > 0 && int64(len(m.Classes)) <= mostPeriods/longest
}

// chainRate is the chain bound of the periodic objectives.
func (m *Model) chainRate() (value *big.Rat, slowest int) {
	if !m.WholePeriods() {
		return m.alone(0)
	}
	// Between multiples of iterations a longer period holds no more of them.
	longest := int64(m.Instance.MaxPeriod)
	periods := []int64{longest}
	for c := range m.Classes {
		for l, p := max(1, int64(m.Classes[c].Iteration)), int64(0); p+l <= longest; p += l {
			periods = append(periods, p+l)
		}
	}
	slices.Sort(periods)
	for _, p := range slices.Compact(periods) {
		if v, c := m.alone(p); value == nil || v.Cmp(value) > 0 {
			value, slowest = v, c
		}
	}
	return value, slowest
}

// alone returns the value of a plan in which no job waits for another: in a
// period of p ticks a job does whole iterations only; if p is 0 there is no
// period. slowest is the class with the smallest rate if that is the value,
// otherwise -1.
func (m *Model) alone(p int64) (value *big.Rat, slowest int) {
	value, slowest = new(big.Rat), -1
	for c := range m.Classes {
		d := &m.Classes[c]
		if !d.Runs() { // a plan may leave the job out, at rate 0
			if m.Instance.Objective == instance.MaxMinThroughput {
				return new(big.Rat), c
			}
			continue
		}
		l := max(1, int64(d.Iteration))
		rate := big.NewRat(1, l)
		if p > 0 {
			rate.SetFrac64(p/l, p)
		}
		if m.Instance.Objective == instance.Throughput {
			value.Add(value, rate.Mul(rate, m.classWeight(c)))
			continue
		}
		rate.Mul(rate, big.NewRat(int64(d.Job.FastestFull()), d.Job.Weight))
		if slowest < 0 || rate.Cmp(value) < 0 {
			value, slowest = rate, c
		}
	}
	return value, slowest
}

// classWeight is the weight of all jobs of a class.
func (m *Model) classWeight(c int) *big.Rat {
	d := &m.Classes[c]
	return new(big.Rat).SetInt(exact.Mul(d.Job.Weight, d.Count()))
}
