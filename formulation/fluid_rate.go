package formulation

import (
	"fmt"
	"math/big"

	"jigsaw/formulation/instance"
)

// buildRates states the program of the periodic objectives. Activities are
// iterations per period of f.period ticks, the longest iteration of any class,
// so that the columns are near one; residency is in jobs, which may also live
// nowhere. The objective is negated: programs are minimised.
func (f *fluid) buildRates() {
	m := f.m
	f.period = 1
	for c := range m.demands {
		if d := &m.demands[c]; d.runs() {
			f.period = max(f.period, int64(d.iteration))
		}
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
	f.residency(true)
	most := func(d *demand) int64 { // iterations of the class in a period
		return (d.count()*f.period + int64(d.iteration) - 1) / max(1, int64(d.iteration))
	}
	for c := range f.blocks {
		d, b := &m.demands[c], &f.blocks[c]
		k := int64(d.job.Workers)
		for i := range b.live {
			o := &d.modes[i]
			cost := int64(0)
			if !maxMin {
				cost = -d.job.Weight
			}
			x := f.p.col(fmt.Sprintf("c%d.rate.%s", c, o.id()), cost, most(d))
			b.does = append(b.does, x)
			// (11) A job does not iterate faster than its chain.
			row := f.p.row(fmt.Sprintf("c%d.chain.%s", c, o.id()), atMost, 0, about{"job", m.className(c), -1})
			f.p.term(row, x, int64(o.iteration()))
			f.p.term(row, b.live[i], -f.period)
			var busy []int
			if b.home[i] != nil {
				all := f.p.row(fmt.Sprintf("c%d.busy.%s", c, o.id()), equal, 0, about{})
				f.p.term(all, x, -k)
				for _, p := range o.pools {
					w := f.p.col(fmt.Sprintf("c%d.busy.%s.%s", c, o.id(), m.network.pools[p].id), 0, most(d)*k)
					f.p.term(all, w, 1)
					busy = append(busy, w)
				}
			}
			b.busy = append(b.busy, busy)
		}
	}
	f.activity(most)

	// (7)
	for p := range m.network.pools {
		at := &m.network.pools[p]
		row := f.p.row(at.id+".gpu", atMost, at.size()*f.period, about{"gpu", at.gpuName(), -1})
		for c := range m.demands {
			f.pay(row, c, p, 1)
		}
	}
	f.links(func(*demand) int64 { return -1 },
		func(name string, links int64, _ []int, a about) int {
			return f.p.row(name, atMost, linkUnit*links*f.period, a)
		})
	if maxMin {
		f.smallestRate()
	}
}

// smallestRate adds the column of the smallest normalised rate and rows (13):
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
	least := f.p.col("least", -1, 0)
	top := new(big.Rat).Mul(chain, new(big.Rat).SetInt(new(big.Int).Mul(parts, big.NewInt(f.period))))
	f.p.cols[least].upper = ceil(top).Int64()
	f.scale.Mul(f.scale, parts)
	for c := range m.demands {
		d, b := &m.demands[c], &f.blocks[c]
		row := f.p.row(fmt.Sprintf("c%d.least", c), atLeast, 0, about{})
		for _, x := range b.does {
			value := new(big.Int).Mul(parts, big.NewInt(int64(d.job.FastestFull())))
			if !value.IsInt64() {
				value.SetInt64(maxExact + 1) // reported when the program is stated
			}
			f.p.term(row, x, value.Int64())
		}
		f.p.term(row, least, -d.count()*d.job.Weight)
	}
}
