package fluid

import (
	"fmt"
	"jigsaw/formulation/relax"
	"jigsaw/formulation/relax/linear"
	"slices"
)

// Rates are the columns of a job's iterations in a period, in whole numbers if the
// period is given, and rows that tie them to its tasks on single GPUs. With x the iterations of job i
// in a period, each co-resident set S of its GPUs has exactly
//
//	does[S,i] = x gpus[S].
//
// Within a <= x <= b, and for a job of k workers, that product obeys (G. P.
// McCormick, Mathematical Programming 10, 1976)
//
//	(29) a gpus <= does <= b gpus
//	(30) k x - b (k - gpus) <= does <= k x - a (k - gpus),
//
// which are equivalent to the product once a = b. The narrower the limits, the
// stronger the rows at any prices.
type Rates struct {
	Limits []relax.Interval // by shape
	Cols   []int            // by shape; -1 if several jobs share it
	Shares [][]product      // by shape
}

// product is what one job does in one co-resident set: the columns to be summed, and
// the column of its GPUs there.
type product struct {
	Does []int
	GPUs int
}

// rates adds the columns and rows; most is how many iterations some jobs of a class can do in a period.
func (f *Program) rates(limits []relax.Interval, most func(d *relax.Class, jobs int64) int64, list []*sharing) {
	r := &Rates{Limits: limits}
	f.Rates = r
	for i := range f.Shapes {
		shape := &f.Shapes[i]
		if r.Cols = append(r.Cols, -1); limits == nil {
			r.Limits = append(r.Limits, relax.Interval{From: 0, To: most(shape.Class, 1)})
		}
		r.Shares = append(r.Shares, nil)
		if shape.Jobs > 1 {
			continue
		}
		x := f.Linear.Col(shape.ID+".rate", 0, most(shape.Class, 1))
		r.Cols[i] = x
		row := f.Linear.Row(shape.ID+".rate", linear.Equal, 0, linear.About{})
		f.Linear.Term(row, x, -1)
		for _, does := range shape.does {
			f.Linear.Term(row, does, 1)
		}
		for _, s := range list {
			for _, c := range s.sets {
				if does, ok := c.does[i]; ok {
					s.product(i, does, c.gpus)
				}
			}
			if s.aggregate.homes != nil {
				s.product(i, s.aggregate.does[i], s.aggregate.homes[i])
			}
		}
	}
}

// product adds rows (29) and (30) for what job i does on some of its GPUs.
func (s *sharing) product(i int, does []int, gpus int) {
	p := product{GPUs: gpus}
	s.each(i, does, func(x int, _ int64) { p.Does = append(p.Does, x) })
	x, limit := s.Rates.Cols[i], s.Rates.Limits[i]
	k := int64(s.Shapes[i].Class.Job.Workers)
	row := func(name string, is linear.Sense, ofRate, ofGPUs, rhs int64) {
		row := s.Linear.Row(fmt.Sprintf("%s.%s.%s", s.Linear.Cols[gpus].Name, s.Shapes[i].ID, name), is, rhs, linear.About{})
		for _, y := range p.Does {
			s.Linear.Term(row, y, 1)
		}
		s.Linear.Term(row, x, ofRate)
		s.Linear.Term(row, gpus, ofGPUs)
	}
	row("slow", linear.AtLeast, 0, -limit.From, 0)
	row("fast", linear.AtMost, 0, -limit.To, 0)
	row("elsewhere.fast", linear.AtLeast, -k, -limit.To, -k*limit.To)
	row("elsewhere.slow", linear.AtMost, -k, -limit.From, -k*limit.From)
	s.Rates.Shares[i] = append(s.Rates.Shares[i], p)
}

// CountsGPUs reports whether a column is a number of GPUs, or of homes of a job.
func (r *Rates) CountsGPUs(col int) bool {
	for _, shares := range r.Shares {
		if slices.ContainsFunc(shares, func(p product) bool { return p.GPUs == col }) {
			return true
		}
	}
	return false
}

// Elsewhere returns the columns of what a job does in its other modes, given that of one. ok is false if it has no
// other, or the column is not about the iterations of a single job.
func (f *Program) Elsewhere(col int) (others []int, ok bool) {
	for i := range f.Shapes {
		if s := &f.Shapes[i]; s.Jobs == 1 && slices.Contains(s.does, col) {
			others = slices.DeleteFunc(slices.Clone(s.does), func(x int) bool { return x == col })
		}
	}
	return others, len(others) > 0
}

// Within returns the limits of the rates in a node.
func (r *Rates) Within(lower, upper []int64) []relax.Interval {
	list := make([]relax.Interval, len(r.Limits))
	for i, x := range r.Cols {
		if list[i] = r.Limits[i]; x >= 0 {
			list[i] = relax.Interval{From: lower[x], To: upper[x]}
		}
	}
	return list
}
