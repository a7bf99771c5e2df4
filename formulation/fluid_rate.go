package formulation

import (
	"fmt"
	"math/big"

	"jigsaw/formulation/instance"
)

// rateParts is how many of the longest iterations make a period, so that whole
// iterations are a fine measure of every rate.
const rateParts = 1024

// buildRates states the program of the periodic objectives. Activities are
// iterations per period of so many ticks, or where that is 0 of any plan, in a
// period of f.period ticks; residency is in jobs, which may also live nowhere.
// The objective is negated: programs are minimised. limits narrow what jobs do in
// a period, by shape; nil where there are none.
func (f *fluid) buildRates(period int64, limits []interval) {
	m := f.m
	f.period = period
	if period == 0 {
		f.period = 1
		for c := range m.demands {
			if d := &m.demands[c]; d.runs() {
				f.period = max(f.period, int64(d.iteration))
			}
		}
		f.period *= rateParts
	}
	maxMin := m.in.Objective == instance.MaxMinThroughput
	if maxMin {
		for c := range m.demands {
			if !m.demands[c].runs() {
				return // the smallest rate is 0
			}
		}
	}
	f.scale = big.NewInt(f.period)
	f.shape(nil, nil)
	f.residency()
	spare := int64(1)                           // so that the chain's row binds, and not the column
	most := func(d *demand, jobs int64) int64 { // iterations in a period
		step := big.NewInt(max(1, int64(d.iteration)))
		n := mul(jobs, f.period)
		return saturate(n.Quo(n.Add(n, step).Sub(n, big.NewInt(1)), step))
	}
	if period > 0 {
		spare = 0
		most = func(d *demand, jobs int64) int64 { return jobs * (period / max(1, int64(d.iteration))) }
	}
	f.activity(func(s *shape) int64 { return most(s.d, s.jobs) + spare })
	for i := range f.shapes {
		s := &f.shapes[i]
		// (12) A job does not iterate faster than its chain.
		a := about{"job", m.className(s.classes[0]), -1}
		if s.live == nil {
			row := f.p.row(s.id+".chain", atMost, multiply(s.jobs, f.period), a)
			for i, x := range s.does {
				f.p.term(row, x, int64(s.d.modes[i].iteration()))
			}
		} else {
			for i, x := range s.does {
				row := f.p.row(fmt.Sprintf("%s.chain.%s", s.id, s.d.modes[i].id()), atMost, 0, a)
				f.p.term(row, x, int64(s.d.modes[i].iteration()))
				f.p.term(row, s.live[i], -f.period)
			}
		}
		switch {
		case maxMin:
		case len(s.classes) == 1:
			for _, x := range s.does {
				f.p.cols[x].cost = -s.d.job.Weight
			}
		default:
			// (15) The classes of a shape differ in weight only: they share its
			// iterations, each up to its own chain.
			row := f.p.row(s.id+".classes", equal, 0, about{})
			for _, x := range s.does {
				f.p.term(row, x, -1)
			}
			for _, c := range s.classes {
				d := &m.demands[c]
				x := f.p.col(fmt.Sprintf("c%d.rate", c), -d.job.Weight, most(d, d.count()))
				f.p.term(row, x, 1)
			}
		}
	}

	// (8)
	for p := range m.network.pools {
		at := &m.network.pools[p]
		row := f.p.row(at.id+".gpu", atMost, multiply(at.size(), f.period), about{"gpu", at.gpuName(), -1})
		for i := range f.shapes {
			f.pay(row, &f.shapes[i], p, 1)
		}
	}
	f.links(1, func(name string, links int64, _ []*shape, a about) int {
		return f.p.row(name, atMost, multiply(linkUnit*links, f.period), a)
	})
	s := f.sharing()
	if period > 0 {
		if s == nil { // too many classes for companies
			s = &sharing{fluid: f}
		}
		s.wholeRates(limits)
	}
	if maxMin {
		f.smallestRate()
	}
}

// smallestRate adds the column of the smallest normalised rate and rows (14):
// no class has a smaller one on average. The column counts in parts that keep
// it near one for the class that is slowest by itself.
func (f *fluid) smallestRate() {
	m := f.m
	chain := m.chain().Value // the largest value it can take
	if chain.Sign() <= 0 {
		return
	}
	parts := ceil(new(big.Rat).Inv(new(big.Rat).Mul(chain, new(big.Rat).SetInt64(f.period))))
	if !parts.IsInt64() {
		return
	}
	f.least = f.p.col("least", -1, 0)
	top := new(big.Rat).Mul(chain, new(big.Rat).SetInt(new(big.Int).Mul(parts, big.NewInt(f.period))))
	f.p.cols[f.least].upper = ceil(top).Int64()
	f.scale.Mul(f.scale, parts)
	for i := range f.shapes {
		s := &f.shapes[i]
		row := f.p.row(s.id+".least", atLeast, 0, about{})
		value := saturate(new(big.Int).Mul(parts, big.NewInt(int64(s.d.job.FastestFull()))))
		for _, x := range s.does {
			f.p.term(row, x, value)
		}
		share := int64(0)
		for _, c := range s.classes {
			share += m.demands[c].count() * m.demands[c].job.Weight
		}
		f.p.term(row, f.least, -share)
	}
}
