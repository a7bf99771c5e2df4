package formulation

import (
	"fmt"
	"math/big"

	"jigsaw/formulation/instance"
)

// mostPeriods bounds the periods times classes that chainRates looks at.
const mostPeriods = 1 << 18

// chainRates is the chain bound of the periodic objectives: what would be if
// every job were alone. Where the instance bounds the period, the best period counts.
func (m *model) chainRates() Bound {
	b := Bound{Kind: ChainBound, Certified: true}
	var slowest int
	longest := int64(m.in.MaxPeriod)
	whole := longest > 0 && int64(len(m.demands)) <= mostPeriods/longest
	if !whole {
		b.Value, slowest = m.alone(0)
	} else {
		for p := int64(1); p <= longest; p++ {
			if v, c := m.alone(p); b.Value == nil || v.Cmp(b.Value) > 0 {
				b.Value, slowest = v, c
			}
		}
	}
	switch {
	case slowest >= 0:
		b.Binding = []Binding{m.chainBinding(slowest)}
	case whole:
		b.Binding = []Binding{ownIterations(fmt.Sprintf(", of which whole ones fit into periods of at most %d ticks", longest))}
	default:
		b.Binding = []Binding{ownIterations("")}
	}
	return b
}

// alone returns the value of a plan in which no job waits for another: in a
// period of p ticks a job does whole iterations only, and if p is 0 it goes on
// without end. slowest is the class with the smallest rate where that is the
// value, else -1.
func (m *model) alone(p int64) (value *big.Rat, slowest int) {
	value, slowest = new(big.Rat), -1
	for c := range m.demands {
		d := &m.demands[c]
		if !d.runs() { // a plan may leave the job out, at rate 0
			if m.in.Objective == instance.MaxMinThroughput {
				return new(big.Rat), c
			}
			continue
		}
		l := max(1, int64(d.iteration))
		rate := big.NewRat(1, l)
		if p > 0 {
			rate.SetFrac64(p/l, p)
		}
		if m.in.Objective == instance.Throughput {
			value.Add(value, rate.Mul(rate, new(big.Rat).SetInt(mul(d.job.Weight, d.count()))))
			continue
		}
		rate.Mul(rate, big.NewRat(int64(d.job.FastestFull()), d.job.Weight))
		if slowest < 0 || rate.Cmp(value) < 0 {
			value, slowest = rate, c
		}
	}
	return value, slowest
}
