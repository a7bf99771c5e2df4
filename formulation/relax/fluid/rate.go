package fluid

import (
	"fmt"
	"math/big"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax"
	"jigsaw/formulation/relax/exact"
	"jigsaw/formulation/relax/linear"
)

// rateParts is the number of the longest iterations in a period, so that whole
// iterations measure every rate finely.
const rateParts = 1024

// buildRates states the program of the periodic objectives. Activities are
// iterations per period of the given ticks or, if that is 0, of any plan, in a
// period of f.period ticks. Residency is in jobs, which may also live nowhere.
// The objective is negated, since programs are minimised. limits restrict the
// iterations of jobs in a period, by shape; nil if there are none.
func (f *Program) buildRates(period int64, limits []relax.Interval) {
	m := f.Model
	f.Period = period
	if period == 0 {
		f.Period = 1
		for c := range m.Classes {
			if d := &m.Classes[c]; d.Runs() {
				f.Period = max(f.Period, int64(d.Iteration))
			}
		}
		f.Period *= rateParts
	}
	maxMin := m.Instance.Objective == instance.MaxMinThroughput
	if maxMin && !m.AllRun() {
		return // the smallest rate is 0
	}
	f.Scale = big.NewInt(f.Period)
	f.shape(nil, nil)
	f.residency()
	spare := int64(1)                                // so that the chain's row binds, not the column
	most := func(d *relax.Class, jobs int64) int64 { // iterations in a period
		step := big.NewInt(max(1, int64(d.Iteration)))
		n := exact.Mul(jobs, f.Period)
		return exact.Saturate(n.Quo(n.Add(n, step).Sub(n, big.NewInt(1)), step))
	}
	if period > 0 {
		spare = 0
		most = func(d *relax.Class, jobs int64) int64 { return jobs * (period / max(1, int64(d.Iteration))) }
	}
	f.activity(func(s *Shape) int64 { return most(s.Class, s.Jobs) + spare })
	for i := range f.Shapes {
		s := &f.Shapes[i]
		f.chainRows(s)
		switch {
		case maxMin:
		case len(s.Classes) == 1:
			for _, x := range s.does {
				f.Linear.Cols[x].Cost = -s.Class.Job.Weight
			}
		default:
			f.classRates(s, most)
		}
	}

	// (8)
	for p := range m.Network.Pools {
		at := &m.Network.Pools[p]
		row := f.Linear.Row(at.ID+".gpu", linear.AtMost, exact.Multiply(at.Size(), f.Period), linear.About{Resource: "gpu", Subject: at.GPUName(), Capacity: -1})
		for i := range f.Shapes {
			f.pay(row, &f.Shapes[i], p, 1)
		}
	}
	f.links(1, func(name string, links int64, _ []*Shape, a linear.About) int {
		return f.Linear.Row(name, linear.AtMost, exact.Multiply(relax.LinkUnit*links, f.Period), a)
	})
	f.wide()
	list := f.sharing(period == 0)
	if period > 0 || f.Split && list != nil {
		f.rates(limits, most, list)
	}
	if maxMin {
		f.smallestRate()
	}
}

// chainRows adds (12): a job does not iterate faster than its chain.
func (f *Program) chainRows(s *Shape) {
	a := linear.About{Resource: "job", Subject: f.Model.ClassName(s.Classes[0]), Capacity: -1}
	if s.live == nil {
		row := f.Linear.Row(s.ID+".chain", linear.AtMost, exact.Multiply(s.Jobs, f.Period), a)
		for i, x := range s.does {
			f.Linear.Term(row, x, int64(s.Class.Modes[i].Iteration()))
		}
		return
	}
	for i, x := range s.does {
		row := f.Linear.Row(fmt.Sprintf("%s.chain.%s", s.ID, s.Class.Modes[i].ID()), linear.AtMost, 0, a)
		f.Linear.Term(row, x, int64(s.Class.Modes[i].Iteration()))
		f.Linear.Term(row, s.live[i], -f.Period)
	}
}

// classRates adds (15): the classes of a shape differ in weight only. They share its iterations,
// each up to its own chain.
func (f *Program) classRates(s *Shape, most func(d *relax.Class, jobs int64) int64) {
	row := f.Linear.Row(s.ID+".classes", linear.Equal, 0, linear.About{})
	for _, x := range s.does {
		f.Linear.Term(row, x, -1)
	}
	for _, c := range s.Classes {
		d := &f.Model.Classes[c]
		x := f.Linear.Col(fmt.Sprintf("c%d.rate", c), -d.Job.Weight, most(d, d.Count()))
		f.Linear.Term(row, x, 1)
	}
}

// smallestRate adds the column of the smallest normalised rate and rows (14):
// no class has a smaller rate on average. The column counts in units that keep
// it near one for the class that is slowest by itself.
func (f *Program) smallestRate() {
	m := f.Model
	chain, _ := m.Chain() // the largest value it can take
	if chain.Sign() <= 0 {
		return
	}
	parts := exact.Ceil(new(big.Rat).Inv(new(big.Rat).Mul(chain, new(big.Rat).SetInt64(f.Period))))
	if !parts.IsInt64() {
		return
	}
	f.Least = f.Linear.Col("least", -1, 0)
	top := new(big.Rat).Mul(chain, new(big.Rat).SetInt(new(big.Int).Mul(parts, big.NewInt(f.Period))))
	f.Linear.Cols[f.Least].Upper = exact.Ceil(top).Int64()
	f.Scale.Mul(f.Scale, parts)
	for i := range f.Shapes {
		s := &f.Shapes[i]
		row := f.Linear.Row(s.ID+".least", linear.AtLeast, 0, linear.About{})
		value := exact.Saturate(new(big.Int).Mul(parts, big.NewInt(int64(s.Class.Job.FastestFull()))))
		share := int64(0)
		for _, c := range s.Classes {
			share += m.Classes[c].Count() * m.Classes[c].Job.Weight
		}
		unit := exact.GCD(value, share)
		for _, x := range s.does {
			f.Linear.Term(row, x, value/unit)
		}
		f.Linear.Term(row, f.Least, -share/unit)
	}
}
