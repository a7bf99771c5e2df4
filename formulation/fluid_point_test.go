package formulation

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/instancetest"
)

// TestSchedulesArePoints: what a valid schedule does is a solution of every fluid program, also
// where classes are taken together and few companies have columns, and of that of its period with
// limits of rates and cuts. A row that is too strong shows here even where it does not bind.
func TestSchedulesArePoints(t *testing.T) {
	n := uint64(1200)
	if testing.Short() {
		n = 240
	}
	points, rows, tight := 0, 0, 0
	for seed := range n {
		rng := rand.New(rand.NewPCG(seed, 102))
		objective := instance.Objectives()[seed%4]
		in := instancetest.Random(rng, instancetest.Options{Objective: objective, Jobs: 4})
		_, schedule, status := instancetest.OptimumWithin(in, 20_000)
		if status != instancetest.Optimal {
			var ok bool
			if schedule, ok = instancetest.ValidSchedule(rng, in); !ok {
				continue
			}
		}
		hold := func(f *fluid) {
			if len(f.p.cols) == 0 { // nothing can run
				return
			}
			broken, equal := newPoint(f, schedule).broken()
			require.Empty(t, broken, "seed %d, %s", seed, objective)
			points, rows, tight = points+1, rows+len(f.p.rows), tight+equal
		}
		columns := 50 + rng.IntN(500)
		hold(newModel(in).fluid(columns))
		m := newModel(in)
		m.few, m.companies = rng.IntN(3), rng.IntN(20)
		hold(m.fluid(columns))
		if !objective.Periodic() {
			continue
		}
		m = newModel(in).split()
		f := m.periodProgram(int64(schedule.Period), nil)
		if f.rates == nil {
			continue
		}
		iterations := schedule.Iterations(in)
		limits := slices.Clone(f.rates.limits)
		for i := range limits {
			x := int64(iterations[m.demands[f.shapes[i].classes[0]].jobs[0]])
			limits[i] = interval{max(0, x-rng.Int64N(2)), min(limits[i].to, x+rng.Int64N(2))}
		}
		f = m.periodProgram(int64(schedule.Period), limits)
		for g := range f.groups {
			weights := make([]int64, len(f.carrier(g).items))
			for i := range weights {
				weights[i] = rng.Int64N(4)
			}
			f.cut(&contentCut{g, weights})
		}
		hold(f)
	}
	t.Logf("%d points, %d rows, %d of them tight", points, rows, tight)
	assert.Greater(t, tight, rows/4)
}

// fluidPoint is what a schedule does, by the names of the columns of a program.
type fluidPoint struct {
	f      *fluid
	s      *instance.Schedule
	shapes []*shape // by job
	modes  []*mode  // by job; nil where it does not run
	value  map[string]*big.Rat
}

func (p *fluidPoint) add(v *big.Rat, format string, args ...any) {
	name := fmt.Sprintf(format, args...)
	if p.value[name] == nil {
		p.value[name] = new(big.Rat)
	}
	p.value[name].Add(p.value[name], v)
}

func whole(n int64) *big.Rat { return new(big.Rat).SetInt64(n) }

func newPoint(f *fluid, s *instance.Schedule) *fluidPoint {
	in, network := f.m.in, f.m.network
	p := &fluidPoint{f: f, s: s, shapes: make([]*shape, len(in.Jobs)), modes: make([]*mode, len(in.Jobs)), value: map[string]*big.Rat{}}
	for i := range f.shapes {
		for _, c := range f.shapes[i].classes {
			for _, j := range f.m.demands[c].jobs {
				p.shapes[j] = &f.shapes[i]
			}
		}
	}
	one, each := whole(1), whole(1) // a job, and an iteration
	p.add(whole(int64(s.Makespan(in))), "T")
	if in.Objective.Periodic() {
		each = big.NewRat(f.period, int64(s.Period))
		p.add(new(big.Rat).Mul(in.Value(s), new(big.Rat).SetInt(f.scale)), "least")
	}
	iterations := s.Iterations(in)
	members := make([][]string, len(in.GPUs)) // the shapes of who lives there
	for j, home := range s.Residency {
		if len(home) == 0 {
			continue
		}
		shape, did := p.shapes[j], new(big.Rat).Mul(each, whole(int64(iterations[j])))
		o := p.lives(shape.d, home)
		p.modes[j] = o
		p.add(one, "%s.live.%s", shape.id, o.id())
		p.add(did, "%s.does.%s", shape.id, o.id())
		p.add(did, "%s.rate", shape.id)
		p.add(did, "c%d.rate", p.class(j))
		nodes, racks := map[instance.NodeID]bool{}, map[int]bool{}
		for _, g := range home {
			node := in.GPUs[g].Node
			nodes[node], racks[in.Nodes[node].Rack] = true, true
			members[g] = append(members[g], shape.id)
			p.add(one, "%s.home.%s.%s", shape.id, o.id(), network.pools[network.of[node]].id)
			p.add(did, "%s.busy.%s.%s", shape.id, o.id(), network.pools[network.of[node]].id)
		}
		for node := range nodes {
			p.add(did, "%s.nodes.%s.%s", shape.id, o.id(), network.pools[network.of[node]].id)
		}
		for r := range racks {
			if o.kind != spread {
				break
			}
			p.add(did, "%s.racks.k%d", shape.id, slices.IndexFunc(network.racks, func(c rackClass) bool { return slices.Contains(c.racks, r) }))
		}
	}
	for g := range members {
		slices.SortFunc(members[g], func(a, b string) int { return p.order(a) - p.order(b) })
		company := "share." + strings.Join(members[g], ".")
		if !slices.ContainsFunc(f.p.cols, func(c programCol) bool { return c.name == company }) {
			company = "share.crowd"
		}
		if len(members[g]) > 0 {
			p.add(one, "%s", company)
		}
		for _, id := range members[g] {
			if company == "share.crowd" {
				p.add(one, "%s.%s", company, id)
			}
		}
		for _, t := range s.Tasks {
			if int(t.GPU) != g {
				continue
			}
			shape := p.shapes[t.Job]
			p.add(each, "%s.%s.d%d", company, shape.id, t.Depth)
			if len(p.modes[t.Job].pools) > 1 {
				p.add(each, "%s.tasks.%s.d%d", shape.id, network.pools[network.of[in.GPUs[t.GPU].Node]].id, t.Depth)
			}
		}
	}
	if in.Objective == instance.WeightedCompletion {
		p.work()
	}
	return p
}

// order is the number of a shape by its name.
func (p *fluidPoint) order(id string) int {
	return slices.IndexFunc(p.f.shapes, func(s shape) bool { return s.id == id })
}

func (p *fluidPoint) class(j int) int {
	return slices.IndexFunc(p.f.m.demands, func(d demand) bool { return slices.Contains(d.jobs, instance.JobID(j)) })
}

// lives returns the mode that a home is of.
func (p *fluidPoint) lives(d *demand, home []instance.GPUID) *mode {
	in, network := p.f.m.in, p.f.m.network
	kind, first := lone, in.GPUs[home[0]].Node
	if len(home) > 1 {
		kind = inNode
	}
	for _, g := range home {
		switch node := in.GPUs[g].Node; {
		case in.Nodes[node].Rack != in.Nodes[first].Rack:
			kind = spread
		case node != first:
			kind = max(kind, inRack)
		}
	}
	at := slices.IndexFunc(d.modes, func(o mode) bool {
		return o.kind == kind && (kind != inRack || o.rack == network.pools[network.of[first]].rack) &&
			!slices.ContainsFunc(home, func(g instance.GPUID) bool { return !slices.Contains(o.pools, network.of[in.GPUs[g].Node]) })
	})
	return &d.modes[at]
}

// work cuts what tasks do into intervals. The first ticks of a task count, as many as make the
// least work of an iteration, shared out among those that may be shallow as evenly as can be.
func (p *fluidPoint) work() {
	in, f := p.f.m.in, p.f
	var ends []int64 // of the intervals, from a row of each
	for i := range f.p.rows {
		var t int
		if _, err := fmt.Sscanf(f.p.rows[i].name, "p0.gpu.t%d", &t); err == nil {
			left := append([]int64{0}, ends...)[t]
			ends = append(ends, left+f.p.rows[i].rhs/f.m.network.pools[0].size())
		}
	}
	completion := p.s.Completion(in)
	for j := range in.Jobs {
		c, shape := p.class(j), p.shapes[j]
		d, places, o := &f.m.demands[c], f.places(shape), p.modes[j]
		release := int64(d.job.Release)
		if len(places) > 1 {
			release = shape.release
		}
		p.add(whole(int64(completion[j])), "c%d.C", c)
		if len(o.pools) == 1 {
			p.add(whole(-int64(d.job.Iterations)), "%s.share.%s", shape.id, f.m.network.pools[o.pools[0]].id)
		}
		for i := range d.job.Iterations {
			tasks := slices.DeleteFunc(slices.Clone(p.s.Tasks), func(t instance.Task) bool { return int(t.Job) != j || t.Iteration != i+1 })
			slices.SortFunc(tasks, func(a, b instance.Task) int { return a.Depth - b.Depth })
			left := whole(d.work)
			for n, t := range tasks {
				least := whole(int64(d.least[t.Depth]))
				kept := new(big.Rat).Set(least)
				if always := d.job.Rule.MinFull; d.job.Rule.Fixed == nil && n < len(tasks)-always {
					kept.Sub(left, whole(int64(always)*int64(d.least[d.job.Full()])))
					kept.Quo(kept, whole(int64(len(tasks)-always-n)))
				}
				if kept.Cmp(least) > 0 {
					kept = least
				}
				left.Sub(left, kept)
				pool := f.m.network.of[in.GPUs[t.GPU].Node]
				at := &f.m.network.pools[pool]
				ticks := new(big.Rat).Mul(kept, big.NewRat(d.slowdown(at.gpuType), d.work))
				start, end := whole(int64(t.Start)), new(big.Rat).Add(whole(int64(t.Start)), ticks)
				for n := range len(ends) + 1 {
					from, to := start, end
					grid := intervals{ends: ends}
					l, r := grid.interval(n)
					if from.Cmp(whole(l)) < 0 {
						from = whole(l)
					}
					if r >= 0 && to.Cmp(whole(r)) > 0 {
						to = whole(r)
					}
					if from.Cmp(to) >= 0 {
						continue
					}
					amount := new(big.Rat).Sub(to, from)
					amount.Mul(amount, kept).Quo(amount, ticks).Quo(amount, whole(d.work))
					late := new(big.Rat) // what counts at the right end
					if begin := max(l, release); r >= 0 {
						late.Add(from, to).Mul(late, big.NewRat(1, 2)).Sub(late, whole(begin))
						late.Mul(late, amount).Quo(late, whole(r-begin))
					}
					for end, v := range []*big.Rat{new(big.Rat).Sub(amount, late), late} {
						p.add(v, "c%d.work.t%d.%d", c, n, end)
						p.add(v, "%s.work.%s.t%d.%d", shape.id, at.id, n, end)
						p.add(v, "%s.share.%s", shape.id, at.id)
					}
					for later := n; later < len(ends); later++ {
						p.add(amount, "c%d.begun.t%d", c, later)
					}
				}
			}
		}
	}
}

// broken lists the rows and bounds of columns that the point breaks, and counts the tight rows.
func (p *fluidPoint) broken() (list []string, tight int) {
	sums := make([]big.Rat, len(p.f.p.rows))
	for _, c := range p.f.p.cols {
		v := p.value[c.name]
		if v == nil {
			continue
		}
		if v.Sign() < 0 || c.upper != noUpper && v.Cmp(whole(c.upper)) > 0 {
			list = append(list, fmt.Sprintf("column %s is %v of %d", c.name, v, c.upper))
		}
		for _, term := range c.terms {
			sums[term.row].Add(&sums[term.row], new(big.Rat).Mul(v, whole(term.value)))
		}
	}
	for i, r := range p.f.p.rows {
		switch c := sums[i].Cmp(whole(r.rhs)); {
		case r.sense != atMost && c < 0, r.sense != atLeast && c > 0:
			list = append(list, fmt.Sprintf("row %s is %v, with %d on the right", r.name, &sums[i], r.rhs))
		case c == 0 && r.sense != equal:
			tight++
		}
	}
	return list, tight
}
