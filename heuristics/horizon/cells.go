package horizon

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"jigsaw/formulation/instance"
)

// Cells plans jobs in companies on cells, groups of nodes of a rack that share no job: jobs are
// dealt to cells by their work, those of a cell repeat a pattern together or, where memory does not
// hold them all, one company after the other. The sizes of cells are tried from the smallest that the widest job fits
// on. Cells alike with jobs alike are planned once. The error is a [*NoPlan] where no size gave a plan. Without a deadline of the context
// the answer is the same for the same instance and state of rng.
func (c Config) Cells(ctx context.Context, in *instance.Instance, rng *rand.Rand) (*instance.BlockSchedule, error) {
	d := dealer{config: c, in: in, class: classes(in), alone: Alone(in), rng: rng}
	var best *instance.BlockSchedule
	var failed error
	try := func(ctx context.Context, size int, quick bool) {
		d.config.Quick = quick
		s, err := d.plan(ctx, size)
		if err != nil {
			failed = err
			return // a plan that misses a deadline is none
		}
		if best == nil || in.BlockValue(s).Cmp(in.BlockValue(best)) < 0 {
			best, d.best = s, size
			if c.Improved != nil {
				c.Improved(in.BlockValue(s))
			}
		}
	}
	sizes := d.sizes()
	for _, size := range sizes {
		if best == nil || ctx.Err() == nil {
			try(ctx, size, true)
		}
	}
	// With more time large cells gain most, for their jobs have more ways of sharing GPUs; the size that was best is
	// searched as well.
	if len(sizes) > 0 && !c.Quick {
		later := []int{sizes[len(sizes)-1], d.best}
		if later[1] == later[0] || later[1] == 0 {
			later = later[:1]
		}
		for n, size := range later {
			if ctx.Err() != nil {
				break
			}
			within, cancel := ctx, context.CancelFunc(func() {})
			if end, ok := ctx.Deadline(); ok && n+1 < len(later) {
				within, cancel = context.WithTimeout(ctx, time.Until(end)*2/3)
			}
			try(within, size, false)
			cancel()
		}
	}
	if best == nil {
		if failed == nil {
			failed = &NoPlan{Job: 0, Reason: "no group of nodes of one rack has GPUs for the widest job"}
		}
		return nil, failed
	}
	return best, nil
}

// dealer deals jobs to cells.
type dealer struct {
	config Config
	in     *instance.Instance
	class  []int
	alone  []instance.Tick // an iteration of each job alone
	rng    *rand.Rand
	best   int // the size of cells of the best plan so far; 0: none
}

// cell is some nodes, and the jobs dealt to them.
type cell struct {
	nodes []instance.NodeID
	gpus  []instance.GPUID
	jobs  []instance.JobID
	work  float64 // GPU-ticks of the jobs
}

// mostTogether is how many jobs are planned together, at most: of more the search is too coarse.
const mostTogether = 48

// sizes are the numbers of nodes of a cell that are worth trying.
func (d *dealer) sizes() []int {
	widest, gpus := 0, 0
	for j := range d.in.Jobs {
		widest = max(widest, d.in.Jobs[j].Workers)
	}
	for n := range d.in.Nodes {
		gpus = max(gpus, d.in.Nodes[n].GPUs)
	}
	var sizes []int
	for size := (widest + gpus - 1) / gpus; size <= len(d.in.Nodes) && len(sizes) < 3; size *= 2 {
		cells := max(1, len(d.in.Nodes)/size)
		if len(d.in.Jobs)/cells > mostTogether {
			break
		}
		sizes = append(sizes, size)
	}
	if whole := len(d.in.Nodes); len(d.in.Jobs) <= mostTogether && !slices.Contains(sizes, whole) {
		sizes = append(sizes, whole)
	}
	return sizes
}

// plan deals all jobs to cells of so many nodes.
func (d *dealer) plan(ctx context.Context, size int) (*instance.BlockSchedule, error) {
	cells := d.cut(size)
	if len(cells) == 0 {
		return nil, &NoPlan{Reason: "there are too few nodes for a cell"}
	}
	if err := d.deal(cells); err != nil {
		return nil, err
	}
	plan := &instance.BlockSchedule{Residency: make([][]instance.GPUID, len(d.in.Jobs))}
	known := map[string]*company{}
	seed := d.rng.Uint64()
	distinct := map[string]bool{}
	for i := range cells {
		slices.SortFunc(cells[i].jobs, func(a, b instance.JobID) int { return cmp.Or(cmp.Compare(d.class[a], d.class[b]), cmp.Compare(a, b)) })
		distinct[key(d.in, d.class, cells[i].jobs, cells[i].nodes)] = true
	}
	todo := len(distinct)
	for i := range cells {
		c := &cells[i]
		if len(c.jobs) == 0 {
			continue
		}
		if k := key(d.in, d.class, c.jobs, c.nodes); distinct[k] {
			delete(distinct, k)
			todo = len(distinct) + 1
		}
		within, cancel := ctx, context.CancelFunc(func() {})
		if end, ok := ctx.Deadline(); ok {
			within, cancel = context.WithTimeout(ctx, time.Until(end)/time.Duration(todo))
		}
		err := d.seat(within, plan, c, c.jobs, 0, seed, known)
		cancel()
		if err != nil {
			return nil, err
		}
	}
	plan.Sort()
	return plan, late(d.in, plan)
}

// cut makes cells of nodes of a rack that are alike.
func (d *dealer) cut(size int) []cell {
	var cells []cell
	for _, rack := range d.in.Racks {
		nodes := slices.Clone(rack.Nodes)
		slices.SortStableFunc(nodes, func(a, b instance.NodeID) int {
			return cmp.Or(cmp.Compare(d.in.Nodes[a].Type, d.in.Nodes[b].Type), cmp.Compare(d.in.Nodes[a].GPUs, d.in.Nodes[b].GPUs), cmp.Compare(a, b))
		})
		for group := range slices.Chunk(nodes, size) {
			if len(group) < size && len(cells) > 0 {
				continue // too few are left
			}
			c := cell{nodes: slices.Sorted(slices.Values(group))}
			for _, n := range c.nodes {
				for g := range d.in.Nodes[n].GPUs {
					c.gpus = append(c.gpus, d.in.Nodes[n].FirstGPU+instance.GPUID(g))
				}
			}
			cells = append(cells, c)
		}
	}
	return cells
}

// deal gives the jobs, those with most work first, to the cell with least work for each of its GPUs, and then
// swaps jobs between the fullest cell and others.
func (d *dealer) deal(cells []cell) error {
	order, works := make([]instance.JobID, len(d.in.Jobs)), make([]float64, len(d.in.Jobs))
	counts := multisets(d.in, false)
	for j := range order {
		order[j] = instance.JobID(j)
		job := &d.in.Jobs[j]
		t := slices.IndexFunc(job.On, func(c *instance.Costs) bool { return c != nil })
		for depth, n := range counts[j] {
			works[j] += float64(n) * float64(job.On[t].Time[depth]) * float64(job.Iterations)
		}
	}
	slices.SortStableFunc(order, func(a, b instance.JobID) int {
		return cmp.Or(cmp.Compare(works[b], works[a]), cmp.Compare(d.class[a], d.class[b]))
	})
	level := func(c *cell) float64 { return c.work / float64(len(c.gpus)) }
	for _, j := range order {
		best := -1
		for i := range cells {
			if len(cells[i].gpus) >= d.in.Jobs[j].Workers && d.in.Jobs[j].Runs(d.in.GPUs[cells[i].gpus[0]].Type) && (best < 0 || level(&cells[i]) < level(&cells[best])) {
				best = i
			}
		}
		if best < 0 {
			return &NoPlan{j, "no cell has GPUs for job " + d.in.Jobs[j].Name}
		}
		cells[best].jobs, cells[best].work = append(cells[best].jobs, j), cells[best].work+works[j]
	}
	for range 4 * len(cells) {
		if !d.swap(cells, works) {
			break
		}
	}
	return nil
}

// swap exchanges a job of the fullest cell for a smaller one, or none, of another, where that makes the fuller of the two
// the least full. It reports whether there was such a pair.
func (d *dealer) swap(cells []cell, works []float64) bool {
	full := 0
	for i := range cells {
		if cells[i].work/float64(len(cells[i].gpus)) > cells[full].work/float64(len(cells[full].gpus)) {
			full = i
		}
	}
	a := &cells[full]
	least := a.work / float64(len(a.gpus)) * (1 - 1e-9)
	other, from, to := -1, -1, -1
	for i := range cells {
		b := &cells[i]
		if i == full {
			continue
		}
		for x, j := range a.jobs {
			if d.in.Jobs[j].Workers > len(b.gpus) || !d.in.Jobs[j].Runs(d.in.GPUs[b.gpus[0]].Type) {
				continue
			}
			for y := -1; y < len(b.jobs); y++ {
				back := 0.0
				if y >= 0 {
					k := b.jobs[y]
					if d.in.Jobs[k].Workers > len(a.gpus) || !d.in.Jobs[k].Runs(d.in.GPUs[a.gpus[0]].Type) {
						continue
					}
					back = works[k]
				}
				if higher := max((a.work-works[j]+back)/float64(len(a.gpus)), (b.work+works[j]-back)/float64(len(b.gpus))); higher < least {
					least, other, from, to = higher, i, x, y
				}
			}
		}
	}
	if other < 0 {
		return false
	}
	b := &cells[other]
	j := a.jobs[from]
	a.work, b.work = a.work-works[j], b.work+works[j]
	if to < 0 {
		a.jobs, b.jobs = slices.Delete(a.jobs, from, from+1), append(b.jobs, j)
		return true
	}
	a.work, b.work = a.work+works[b.jobs[to]], b.work-works[b.jobs[to]]
	a.jobs[from], b.jobs[to] = b.jobs[to], j
	return true
}

// seat plans the jobs of a cell from some time on, all together or, where they do not fit, in two companies
// one after the other: those that are most alike in length.
func (d *dealer) seat(ctx context.Context, plan *instance.BlockSchedule, c *cell, jobs []instance.JobID, from instance.Tick, seed uint64, known map[string]*company) error {
	_, err := d.sit(ctx, plan, c, jobs, from, seed, known)
	return err
}

func (d *dealer) sit(ctx context.Context, plan *instance.BlockSchedule, c *cell, jobs []instance.JobID, from instance.Tick, seed uint64, known map[string]*company) (instance.Tick, error) {
	k := key(d.in, d.class, jobs, c.nodes)
	met, ok := known[k]
	if !ok {
		rounds := 1
		if _, limited := ctx.Deadline(); limited {
			rounds = 0
		}
		if d.config.Quick {
			rounds = -1
		}
		ascending := slices.Sorted(slices.Values(jobs))
		found, err := meet(ctx, d.in, rand.New(rand.NewPCG(seed, 0)), ascending, c.nodes, rounds, 60)
		if err != nil && (len(jobs) == 1 || !d.in.Queues()) {
			return 0, err
		}
		if err == nil {
			found.as(ascending, jobs)
		}
		met = found
		known[k] = met
	}
	if met == nil { // one after the other
		byLength := slices.Clone(jobs)
		slices.SortStableFunc(byLength, func(a, b instance.JobID) int {
			return cmp.Compare(d.length(b), d.length(a))
		})
		half := len(byLength) / 2
		end := from
		for _, some := range [][]instance.JobID{byLength[:half], byLength[half:]} {
			slices.SortFunc(some, func(a, b instance.JobID) int { return cmp.Or(cmp.Compare(d.class[a], d.class[b]), cmp.Compare(a, b)) })
			var err error
			if end, err = d.sit(ctx, plan, c, some, end, seed, known); err != nil {
				return 0, err
			}
		}
		return end, nil
	}
	start, left := from, make([]int, len(jobs))
	for n, j := range jobs {
		job := &d.in.Jobs[j]
		start, left[n] = max(start, max(from, job.Release)+job.Load), job.Iterations
	}
	blocks, end := met.blocks(jobs, c.gpus, left, start)
	plan.Blocks = append(plan.Blocks, blocks...)
	for n, gpus := range met.s.Residency {
		var home []instance.GPUID
		for _, g := range gpus {
			home = append(home, c.gpus[g])
		}
		plan.Residency[jobs[n]] = home
	}
	return end, nil
}

// length is about how long a job takes.
func (d *dealer) length(j instance.JobID) float64 {
	return float64(d.alone[j]) * float64(d.in.Jobs[j].Iterations)
}

// as renumbers the jobs of a company, which was made for a list, as they are in another order.
func (c *company) as(made, wanted []instance.JobID) {
	at := make([]instance.JobID, len(made)) // of each job in wanted
	for n, j := range made {
		at[n] = instance.JobID(slices.Index(wanted, j))
	}
	r, homes := make([]int, len(made)), make([][]instance.GPUID, len(made))
	for n, to := range at {
		r[to], homes[to] = c.r[n], c.s.Residency[n]
	}
	c.r, c.s.Residency = r, homes
	for i := range c.s.Tasks {
		c.s.Tasks[i].Job = at[c.s.Tasks[i].Job]
	}
	for i := range c.s.Syncs {
		c.s.Syncs[i].Job = at[c.s.Syncs[i].Job]
	}
}
