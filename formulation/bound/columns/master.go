package columns

import (
	"math"

	"jigsaw/formulation/bound"
	"jigsaw/formulation/relax/columns"
	"jigsaw/solver"
	"jigsaw/solver/colgen"
)

// Master is the linear program of a [columns.Program] that column generation solves.
type Master struct {
	*columns.Program
	Pricers []Pricer // by class
	NoPlan  float64  // cost of a job without a plan, if plans end by a due; see problem
	Scale   int64    // integer prices are in units of 1/scale of the objective's unit
	Unit    float64
}

// Pricer prices the plans of a class.
type Pricer interface {
	// Solve returns the cheapest plan, and false if none is cheaper than the limit,
	// which is [exact.NoPrice] for none.
	Solve(t *Tariff, k *Scratch, limit int64) (Plan, bool)
	// Charges lists all that a task or a synchronisation may take.
	Charges(add func(columns.Use))
}

// NewMaster returns the master of a program whose classes have the usual pricers.
func NewMaster(p *columns.Program) *Master {
	s := &Master{Program: p}
	for c := range p.Classes {
		s.Pricers = append(s.Pricers, &planPricer{&p.Classes[c].Plans})
	}
	s.measure()
	return s
}

// measure chooses the units of prices: the engine measures weighted completion in
// units of its value when jobs never wait, and integer prices are as fine as 64
// bits permit.
func (s *Master) measure() {
	heaviest := 1.0
	s.Unit = 0
	for c := range s.Classes {
		d, p := s.Classes[c].Class, &s.Classes[c].Plans
		chain := float64(d.Job.Iterations) * float64(p.Iteration)
		if !s.Theta {
			heaviest = max(heaviest, (float64(max(s.Calendar.Horizon, p.Grid.Release))+chain)*float64(d.Job.Weight))
			s.Unit += float64(d.Count()) * float64(d.Job.Weight) * (float64(p.Grid.Release) + chain)
		}
	}
	s.Scale = 1
	for s.Scale < 1<<40 && heaviest*float64(s.Scale) < 1<<40 || s.Scale < 1<<12 && heaviest*float64(s.Scale) < 1<<54 {
		s.Scale *= 2
	}
	s.Unit = max(1, s.Unit)
	if !s.Theta {
		for c := range s.Classes {
			class := &s.Classes[c]
			class.Plans.Weight = class.Class.Job.Weight * s.Scale
		}
	}
}

// convexity is the row that counts the plans of a class.
func (s *Master) convexity(class int) solver.Row {
	return solver.Row(s.Rows + class)
}

// mostTheta bounds the column theta; an exact bound needs an upper limit.
const mostTheta = 1 << 20

// problem returns the rows as an engine takes them, scaled by their
// capacities, and the explicit column theta where it is minimised.
func (s *Master) problem() *solver.Problem {
	q := &solver.Problem{Name: "master"}
	var theta []solver.Entry
	for row := range s.Rows {
		upper := 1.0
		if s.Theta {
			upper = 0
			theta = append(theta, solver.Entry{Row: solver.Row(row), Value: -1})
		}
		q.AddRow("", math.Inf(-1), upper)
	}
	for c := range s.Classes {
		count := float64(s.Classes[c].Class.Count())
		q.AddRow("", count, count)
	}
	switch {
	case s.Theta:
		q.AddCol("theta", 1, 0, mostTheta, theta...)
	case s.Due >= 0:
		// Plans that all end by a due may not exist.
		for c := range s.Classes {
			q.AddCol("none", s.NoPlan, 0, float64(s.Classes[c].Class.Count()), solver.Entry{Row: s.convexity(c), Value: 1})
		}
	}
	return q
}

// column turns a plan of a class into a column.
func (s *Master) column(class int, p Plan) colgen.Column[Plan] {
	c := colgen.Column[Plan]{Key: p.key(class), Data: p}
	if !s.Theta {
		c.Cost = float64(s.Classes[class].Class.Job.Weight) * float64(p.Completion) / s.Unit
	}
	load := map[int]float64{}
	for _, v := range p.Visits {
		for _, use := range v.Charges {
			group := s.group(use.Group)
			if s.Groups[group].Capacity == 0 {
				continue
			}
			each := float64(v.Repeat*use.Amount) / float64(s.Groups[group].Capacity*s.Calendar.Width)
			spread(s.Calendar, v.Start, v.Start+use.Length, func(bucket int, ticks int64) {
				load[s.Row(group, bucket)] += each * float64(ticks)
			})
		}
	}
	load[int(s.convexity(class))] = 1 // the last entry
	c.Entries = bound.Entries(load)
	return c
}

// Prices turns the prices of the engine's rows into integer prices, by group and
// bucket, of a unit of the group in each tick of the bucket. Any non-negative
// prices prove a bound.
func (s *Master) Prices(y []float64) [][]int64 {
	heaviest := s.heaviest()
	list := make([][]int64, len(s.Groups))
	for g := range s.Groups {
		list[g] = make([]int64, s.Calendar.Buckets())
		if s.Groups[g].Capacity == 0 {
			continue
		}
		most := math.Exp2(56) / max(1, heaviest[g])
		factor := s.Unit * float64(s.Scale) / float64(s.Groups[g].Capacity*s.Calendar.Width)
		for b := range list[g] {
			v := math.Round(-y[s.Row(g, b)] * factor)
			list[g][b] = int64(max(0, min(v, most)))
		}
	}
	return list
}

// heaviest returns, by group, an upper limit on the units x ticks that a plan
// takes.
func (s *Master) heaviest() []float64 {
	list := make([]float64, len(s.Groups))
	for c := range s.Classes {
		job := s.Classes[c].Class.Job
		s.Pricers[c].Charges(func(u columns.Use) {
			list[u.Group] = max(list[u.Group], float64(job.Iterations)*float64(job.Workers)*float64(u.Amount)*float64(u.Length))
		})
	}
	return list
}

// free is the tariff at which nothing has a price.
func (s *Master) free() *Tariff {
	prices := make([][]int64, len(s.Groups))
	for g := range prices {
		prices[g] = make([]int64, s.Calendar.Buckets())
	}
	return newTariff(s.Calendar, prices)
}

// spread calls put with every bucket that [from, to) meets, and the number of
// ticks in it. Ticks past the horizon are left out.
func spread(c columns.Calendar, from, to int64, put func(bucket int, ticks int64)) {
	to = min(to, c.Horizon)
	for from < to {
		b := from / c.Width
		end := min(to, (b+1)*c.Width)
		put(int(b), end-from)
		from = end
	}
}

// group returns the group of rows for a group of a plan, which names every
// GPU's own.
func (s *Master) group(own int) int {
	if g := own - s.FirstGPU; s.Like != nil && g >= 0 && g < len(s.Like) {
		return s.FirstGPU + int(s.Like[g])
	}
	return own
}
