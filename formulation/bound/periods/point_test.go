package periods

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/boundtest"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
	"jigsaw/formulation/instance/instancetest"
	"jigsaw/formulation/relax"
	"jigsaw/formulation/relax/fluid"
	"jigsaw/formulation/relax/linear"
	"jigsaw/formulation/relax/periods"
)

// TestSchedulesArePoints: a valid schedule gives a solution of every fluid program, also if classes are
// combined and few co-resident sets have columns, and of the program of its period with limits of rates
// and cuts. A row that is too strong fails here even if it does not bind.
func TestSchedulesArePoints(t *testing.T) {
	n := uint64(1200)
	if testing.Short() {
		n = 240
	}
	points, rows, tight, splits := 0, 0, 0, 0
	for seed := range n {
		rng := rand.New(rand.NewPCG(seed, 102))
		objective := instance.Objectives()[seed%4]
		in := instancetest.Random(rng, instancetest.Options{Objective: objective, Jobs: 4})
		if seed%8 >= 4 { // both workers of one GPU, and of two
			in = instancetest.Grouped(rng, instancetest.Options{Objective: objective, Jobs: 4, Workers: 4})
		}
		if objective.Periodic() && seed%16 >= 12 {
			in = boundtest.Everywhere(t, rng, objective)
		}
		_, schedule, status := instancetest.OptimumWithin(in, 20_000)
		if status != instancetest.Optimal {
			var ok bool
			if schedule, ok = instancetest.ValidSchedule(rng, in); !ok {
				continue
			}
		}
		hold := func(f *fluid.Program, schedule *instance.Schedule) {
			if len(f.Linear.Cols) == 0 { // nothing can run
				return
			}
			broken, equal := newPoint(f, schedule).broken()
			require.Empty(t, broken, "seed %d, %s", seed, objective)
			points, rows, tight = points+1, rows+len(f.Linear.Rows), tight+equal
		}
		columns := 50 + rng.IntN(500)
		hold(fluid.New(relax.New(in), fluid.UsualDetail(columns)), schedule)
		hold(fluid.New(relax.New(in), fluid.Detail{Columns: columns, ClassesApart: rng.IntN(3), CoResidentSets: rng.IntN(20)}), schedule)
		if !objective.Periodic() {
			if f, again := repeated(t, in, schedule); f != nil {
				hold(f.Program, again)
				splits += splitAtHomes(t, rng, f, newPoint(f.Program, again))
			}
			continue
		}
		m := relax.New(in).Split()
		programs := &periods.Programs{Model: m, CoResidentSets: fluid.MostCoResidentSets}
		f := programs.Program(int64(schedule.Period), nil)
		if f.Rates == nil {
			continue
		}
		iterations := schedule.Iterations(in)
		limits := slices.Clone(f.Rates.Limits)
		for i := range limits {
			x := int64(iterations[m.Classes[f.Shapes[i].Classes[0]].Jobs[0]])
			limits[i] = relax.Interval{From: max(0, x-rng.Int64N(2)), To: min(limits[i].To, x+rng.Int64N(2))}
		}
		f = programs.Program(int64(schedule.Period), limits)
		for g := range f.Groups {
			link := periods.NewLinkContents(f, f.Items(&f.Groups[g]))
			weights := make([]int64, len(link.Items))
			for i := range weights {
				weights[i] = rng.Int64N(4)
			}
			link.Weigh(weights)
			_, most := link.Most()
			f.Cut(&periods.Cut{Group: g, Weights: weights}, most)
		}
		hold(f.Program, schedule)
		whole := f
		f = programs.Program(0, nil)
		for i := range limits {
			x := relax.Interval{From: 0, To: f.Rates.Limits[i].To}
			if rate := int64(iterations[m.Classes[f.Shapes[i].Classes[0]].Jobs[0]]) * f.Period; rng.IntN(2) == 0 {
				x = relax.Interval{From: rate / whole.Period, To: min(x.To, (rate+whole.Period-1)/whole.Period)}
			}
			limits[i] = x
		}
		hold(programs.Program(0, limits).Program, schedule)
		splits += splitAtHomes(t, rng, f, newPoint(f.Program, schedule))
	}
	t.Logf("%d points, %d rows, %d of them tight, %d splits", points, rows, tight, splits)
	assert.Greater(t, tight, rows/4)
	assert.Greater(t, splits, int(n)/4)
}

// repeated returns the program that bounds the makespan by rates, and a schedule over and over again; nil if there is no such program.
func repeated(t *testing.T, in *instance.Instance, s *instance.Schedule) (*periods.Program, *instance.Schedule) {
	once := *in
	once.Objective = instance.Makespan
	programs := periods.New(relax.New(&once), fluid.MostCoResidentSets)
	if programs == nil {
		return nil, nil
	}
	first := slices.MinFunc(in.Jobs, func(a, b instance.Job) int { return int(a.Release - b.Release) }).Release
	again := *s
	again.Tasks, again.Syncs, again.Period = slices.Clone(s.Tasks), slices.Clone(s.Syncs), s.Makespan(in)-first
	for i := range again.Tasks {
		again.Tasks[i].Start, again.Tasks[i].End = again.Tasks[i].Start-first, again.Tasks[i].End-first
	}
	for i := range again.Syncs {
		again.Syncs[i].Start, again.Syncs[i].End = again.Syncs[i].Start-first, again.Syncs[i].End-first
	}
	require.Empty(t, check.Schedule(programs.Model.Instance, &again))
	value := programs.Model.Instance.Value(&again)
	require.Zero(t, periods.Bound(&once, value).Cmp(once.Value(s)))
	if above := periods.Reaches(&once, once.Value(s)); above != nil { // a plan one tick shorter has that value
		require.Negative(t, value.Cmp(above))
	}
	return programs.Program(0, nil), &again
}

// splitAtHomes splits a program at what jobs do in their modes, and follows a point, which must be in one of the parts.
// It returns the number of splits.
func splitAtHomes(t *testing.T, rng *rand.Rand, f *periods.Program, p *fluidPoint) (splits int) {
	within := func(n *periods.Narrowing) bool {
		_, lower, upper := f.Within(n)
		for col := range f.Linear.Cols {
			v := p.value[f.Linear.Cols[col].Name]
			if v == nil {
				v = whole(0)
			}
			if v.Cmp(whole(lower[col])) < 0 || v.Cmp(whole(upper[col])) > 0 {
				return false
			}
		}
		return true
	}
	var n *periods.Narrowing
	require.True(t, within(n))
	for range 6 {
		if len(f.Shapes) == 0 {
			break // nothing can run
		}
		does := f.Shapes[rng.IntN(len(f.Shapes))].Does()
		col := does[rng.IntN(len(does))]
		_, lower, upper := f.Within(n)
		parts, ok := f.Split(n, col, 0, lower[col], upper[col])
		if !ok {
			continue
		}
		splits++
		if n = parts[0]; !within(n) {
			n = parts[1]
		}
		require.True(t, within(n), "split at %s", f.Linear.Cols[col].Name)
	}
	return splits
}

// fluidPoint is the point of a schedule, by the names of the columns of a program.
type fluidPoint struct {
	f      *fluid.Program
	s      *instance.Schedule
	shapes []*fluid.Shape // by job
	modes  []*relax.Mode  // by job; nil if it does not run
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

func newPoint(f *fluid.Program, s *instance.Schedule) *fluidPoint {
	in, network := f.Model.Instance, f.Model.Network
	p := &fluidPoint{f: f, s: s, shapes: make([]*fluid.Shape, len(in.Jobs)), modes: make([]*relax.Mode, len(in.Jobs)), value: map[string]*big.Rat{}}
	for i := range f.Shapes {
		for _, c := range f.Shapes[i].Classes {
			for _, j := range f.Model.Classes[c].Jobs {
				p.shapes[j] = &f.Shapes[i]
			}
		}
	}
	one, each := whole(1), whole(1) // a job, and an iteration
	p.add(whole(int64(s.Makespan(in))), "T")
	if in.Objective.Periodic() {
		each = big.NewRat(f.Period, int64(s.Period))
		p.add(new(big.Rat).Mul(in.Value(s), new(big.Rat).SetInt(f.Scale)), "least")
	}
	iterations := s.Iterations(in)
	members := make([][]string, len(in.GPUs)) // the shapes of the jobs there
	for j, home := range s.Residency {
		if len(home) == 0 {
			continue
		}
		shape, did := p.shapes[j], new(big.Rat).Mul(each, whole(int64(iterations[j])))
		o := p.lives(shape.Class, home)
		p.modes[j] = o
		p.add(one, "%s.live.%s", shape.ID, o.ID())
		p.add(did, "%s.does.%s", shape.ID, o.ID())
		p.add(did, "%s.rate", shape.ID)
		p.add(did, "c%d.rate", p.class(j))
		nodes, racks := map[instance.NodeID]bool{}, map[int]bool{}
		for _, g := range home {
			node := in.GPUs[g].Node
			nodes[node], racks[in.Nodes[node].Rack] = true, true
			members[g] = append(members[g], shape.ID)
			p.add(one, "%s.home.%s.%s", shape.ID, o.ID(), network.Pools[network.PoolOf[node]].ID)
			p.add(did, "%s.busy.%s.%s", shape.ID, o.ID(), network.Pools[network.PoolOf[node]].ID)
		}
		for node := range nodes {
			p.add(did, "%s.nodes.%s.%s", shape.ID, o.ID(), network.Pools[network.PoolOf[node]].ID)
		}
		for r := range racks {
			if o.Kind != relax.Spread {
				break
			}
			p.add(did, "%s.racks%s.k%d", shape.ID, strings.TrimPrefix(o.ID(), "spread"), slices.IndexFunc(network.Racks, func(c relax.RackClass) bool { return slices.Contains(c.Racks, r) }))
		}
	}
	has := func(name string) bool {
		return slices.ContainsFunc(f.Linear.Cols, func(c linear.Col) bool { return c.Name == name })
	}
	for g := range members {
		slices.SortFunc(members[g], func(a, b string) int { return p.order(a) - p.order(b) })
		set := "share." + strings.Join(members[g], ".")
		if !has(set) {
			set = "share.aggregate"
		}
		if len(members[g]) > 0 {
			p.add(one, "%s", set)
		}
		for _, id := range members[g] {
			if set == "share.aggregate" {
				p.add(one, "%s.%s", set, id)
			}
		}
		valuable := "valuable"
		for _, id := range members[g] {
			if has("valuable." + id) {
				valuable += "." + id
			}
		}
		p.add(one, "%s", valuable)
		for _, t := range s.Tasks {
			if int(t.GPU) != g {
				continue
			}
			shape := p.shapes[t.Job]
			p.add(each, "%s.%s.d%d", set, shape.ID, t.Depth)
			if has("valuable." + shape.ID) {
				p.add(each, "%s.%s.d%d", valuable, shape.ID, t.Depth)
			} else {
				p.add(new(big.Rat).Mul(each, whole(int64(shape.Class.Shortest[t.Depth]))), "%s.others", valuable)
			}
			if len(p.modes[t.Job].Pools) > 1 {
				p.add(each, "%s.tasks.%s.d%d", shape.ID, network.Pools[network.PoolOf[in.GPUs[t.GPU].Node]].ID, t.Depth)
			}
		}
	}
	if in.Objective == instance.WeightedCompletion {
		p.work()
	}
	return p
}

// order is the number of a shape, by its name.
func (p *fluidPoint) order(id string) int {
	return slices.IndexFunc(p.f.Shapes, func(s fluid.Shape) bool { return s.ID == id })
}

func (p *fluidPoint) class(j int) int {
	return slices.IndexFunc(p.f.Model.Classes, func(d relax.Class) bool { return slices.Contains(d.Jobs, instance.JobID(j)) })
}

// lives returns the mode of a home.
func (p *fluidPoint) lives(d *relax.Class, home []instance.GPUID) *relax.Mode {
	in, network := p.f.Model.Instance, p.f.Model.Network
	kind, first := relax.Lone, in.GPUs[home[0]].Node
	if len(home) > 1 {
		kind = relax.InNode
	}
	for _, g := range home {
		switch node := in.GPUs[g].Node; {
		case in.Nodes[node].Rack != in.Nodes[first].Rack:
			kind = relax.Spread
		case node != first:
			kind = max(kind, relax.InRack)
		}
	}
	at := slices.IndexFunc(d.Modes, func(o relax.Mode) bool {
		return o.Kind == kind && (kind != relax.InRack || o.Rack == network.Pools[network.PoolOf[first]].Rack) &&
			!slices.ContainsFunc(home, func(g instance.GPUID) bool { return !slices.Contains(o.Pools, network.PoolOf[in.GPUs[g].Node]) })
	})
	return &d.Modes[at]
}

// work divides the work of tasks into intervals. The first ticks of a task count, as many as
// add up to the least work of an iteration, distributed as evenly as possible among tasks that
// may be shallow.
func (p *fluidPoint) work() {
	in, f := p.f.Model.Instance, p.f
	var ends []int64 // of the intervals, from one row of each
	for i := range f.Linear.Rows {
		var t int
		if _, err := fmt.Sscanf(f.Linear.Rows[i].Name, "p0.gpu.t%d", &t); err == nil {
			left := append([]int64{0}, ends...)[t]
			ends = append(ends, left+f.Linear.Rows[i].Rhs/f.Model.Network.Pools[0].Size())
		}
	}
	completion := p.s.Completion(in)
	for j := range in.Jobs {
		c, shape := p.class(j), p.shapes[j]
		d, places, o := &f.Model.Classes[c], f.Places(shape), p.modes[j]
		release := int64(d.Job.Release)
		if len(places) > 1 {
			release = shape.Release
		}
		p.add(whole(int64(completion[j])), "c%d.C", c)
		if len(o.Pools) == 1 {
			p.add(whole(-int64(d.Job.Iterations)), "%s.share.%s", shape.ID, f.Model.Network.Pools[o.Pools[0]].ID)
		}
		for i := range d.Job.Iterations {
			tasks := slices.DeleteFunc(slices.Clone(p.s.Tasks), func(t instance.Task) bool { return int(t.Job) != j || t.Iteration != i+1 })
			slices.SortFunc(tasks, func(a, b instance.Task) int { return a.Depth - b.Depth })
			left := whole(d.Work)
			for n, t := range tasks {
				least := whole(int64(d.Shortest[t.Depth]))
				kept := new(big.Rat).Set(least)
				if always := d.Job.Rule.MinFull; d.Job.Rule.Fixed == nil && n < len(tasks)-always {
					kept.Sub(left, whole(int64(always)*int64(d.Shortest[d.Job.Full()])))
					kept.Quo(kept, whole(int64(len(tasks)-always-n)))
				}
				if kept.Cmp(least) > 0 {
					kept = least
				}
				left.Sub(left, kept)
				pool := f.Model.Network.PoolOf[in.GPUs[t.GPU].Node]
				at := &f.Model.Network.Pools[pool]
				ticks := new(big.Rat).Mul(kept, big.NewRat(d.Slowdown(at.GPUType), d.Work))
				start, end := whole(int64(t.Start)), new(big.Rat).Add(whole(int64(t.Start)), ticks)
				for n := range len(ends) + 1 {
					from, to := start, end
					grid := fluid.Intervals{Ends: ends}
					l, r := grid.Interval(n)
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
					amount.Mul(amount, kept).Quo(amount, ticks).Quo(amount, whole(d.Work))
					late := new(big.Rat) // amount at the right end
					if begin := max(l, release); r >= 0 {
						late.Add(from, to).Mul(late, big.NewRat(1, 2)).Sub(late, whole(begin))
						late.Mul(late, amount).Quo(late, whole(r-begin))
					}
					for end, v := range []*big.Rat{new(big.Rat).Sub(amount, late), late} {
						p.add(v, "c%d.work.t%d.%d", c, n, end)
						p.add(v, "%s.work.%s.t%d.%d", shape.ID, at.ID, n, end)
						p.add(v, "%s.share.%s", shape.ID, at.ID)
					}
					for later := n; later < len(ends); later++ {
						p.add(amount, "c%d.begun.t%d", c, later)
					}
				}
			}
		}
	}
}

// broken lists the rows and bounds of columns that the point violates, and counts the tight
// rows.
func (p *fluidPoint) broken() (list []string, tight int) {
	sums := make([]big.Rat, len(p.f.Linear.Rows))
	for _, c := range p.f.Linear.Cols {
		v := p.value[c.Name]
		if v == nil {
			continue
		}
		if v.Sign() < 0 || c.Upper != linear.NoUpper && v.Cmp(whole(c.Upper)) > 0 {
			list = append(list, fmt.Sprintf("column %s is %v of %d", c.Name, v, c.Upper))
		}
		for _, term := range c.Terms {
			sums[term.Row].Add(&sums[term.Row], new(big.Rat).Mul(v, whole(term.Value)))
		}
	}
	for i, r := range p.f.Linear.Rows {
		switch c := sums[i].Cmp(whole(r.Rhs)); {
		case r.Sense != linear.AtMost && c < 0, r.Sense != linear.AtLeast && c > 0:
			list = append(list, fmt.Sprintf("row %s is %v, with %d on the right", r.Name, &sums[i], r.Rhs))
		case c == 0 && r.Sense != linear.Equal:
			tight++
		}
	}
	return list, tight
}
