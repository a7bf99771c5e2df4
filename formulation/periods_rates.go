package formulation

import "fmt"

// rates are the columns of what a job does in a period of whole numbers, and
// rows that tie it to what it does on single GPUs. With x the iterations of job i
// in a period, each company S of its GPUs has exactly
//
//	does[S,i] = x gpus[S].
//
// Within a <= x <= b, and for a job of k workers, that product obeys (G. P.
// McCormick, Mathematical Programming 10, 1976)
//
//	(29) a gpus <= does <= b gpus
//	(30) k x - b (k - gpus) <= does <= k x - a (k - gpus),
//
// which are the product itself once a = b. The narrower the limits, the stronger
// are the rows at any prices.
type rates struct {
	limits []interval  // by shape
	cols   []int       // by shape; -1 where several jobs share it
	shares [][]product // by shape
}

// product is what one job does in one company, as the columns added up, and the
// column of its GPUs there.
type product struct {
	does []int
	gpus int
}

// wholeRates adds the columns and rows.
func (s *sharing) wholeRates(limits []interval) {
	r := &rates{limits: limits}
	s.rates = r
	for i := range s.shapes {
		shape := &s.shapes[i]
		if r.cols = append(r.cols, -1); limits == nil {
			r.limits = append(r.limits, interval{0, s.period / max(1, int64(shape.d.iteration))})
		}
		r.shares = append(r.shares, nil)
		if shape.jobs > 1 {
			continue
		}
		x := s.p.col(shape.id+".rate", 0, s.period/max(1, int64(shape.d.iteration)))
		r.cols[i] = x
		row := s.p.row(shape.id+".rate", equal, 0, about{})
		s.p.term(row, x, -1)
		for _, does := range shape.does {
			s.p.term(row, does, 1)
		}
		for _, c := range s.companies {
			if does, ok := c.does[i]; ok {
				s.product(i, does, c.gpus)
			}
		}
		if s.crowd.homes != nil {
			s.product(i, s.crowd.does[i], s.crowd.homes[i])
		}
	}
}

// product adds rows (29) and (30) of what job i does on some of its GPUs.
func (s *sharing) product(i int, does []int, gpus int) {
	p := product{gpus: gpus}
	s.each(i, does, func(x int, _ int64) { p.does = append(p.does, x) })
	x, limit := s.rates.cols[i], s.rates.limits[i]
	k := int64(s.shapes[i].d.job.Workers)
	row := func(name string, is sense, ofRate, ofGPUs, rhs int64) {
		row := s.p.row(fmt.Sprintf("%s.%s.%s", s.p.cols[gpus].name, s.shapes[i].id, name), is, rhs, about{})
		for _, y := range p.does {
			s.p.term(row, y, 1)
		}
		s.p.term(row, x, ofRate)
		s.p.term(row, gpus, ofGPUs)
	}
	row("slow", atLeast, 0, -limit.from, 0)
	row("fast", atMost, 0, -limit.to, 0)
	row("elsewhere.fast", atLeast, -k, -limit.to, -k*limit.to)
	row("elsewhere.slow", atMost, -k, -limit.from, -k*limit.from)
	s.rates.shares[i] = append(s.rates.shares[i], p)
}

// within returns the limits of the rates in a node.
func (r *rates) within(lower, upper []int64) []interval {
	list := make([]interval, len(r.limits))
	for i, x := range r.cols {
		if list[i] = r.limits[i]; x >= 0 {
			list[i] = interval{lower[x], upper[x]}
		}
	}
	return list
}

// torn returns the rate that is furthest from its products in a point; -1 where
// all are what they should be.
func (r *rates) torn(x []float64, lower, upper []int64) int {
	worst, at := 1e-6, -1
	for i, col := range r.cols {
		if col < 0 || lower[col] == upper[col] {
			continue
		}
		for _, p := range r.shares[i] {
			d := x[col] * x[p.gpus]
			for _, y := range p.does {
				d -= x[y]
			}
			if d = max(d, -d); d > worst {
				worst, at = d, col
			}
		}
	}
	return at
}
