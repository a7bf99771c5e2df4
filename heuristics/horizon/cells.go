package horizon

import (
	"cmp"
	"context"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"time"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/symmetry"
	"jigsaw/heuristics/pattern"
	"jigsaw/heuristics/queue"
	"jigsaw/heuristics/state"
	"jigsaw/method"
)

// Config sets how the searches of this package run.
type Config struct {
	// Rounds limits the work of [Config.Phases]; 0 means until the context ends.
	Rounds int
	// Quick omits most exchanges of jobs between cells in [Config.Cells], and the search that follows list scheduling.
	Quick bool
	// Without lists the methods that are switched off.
	Without method.Set
	// Improved is called with the value of each plan better than all before it; nil: no one is told.
	Improved func(value *big.Rat)
}

// Cells plans jobs that share GPUs on cells, groups of nodes of a rack that share no job: jobs are assigned to cells by
// their work and exchanged between them; those of a cell repeat a pattern together or, if memory does not hold them
// all, one group after the other. The sizes of cells are tried from the smallest that fits the widest job. Identical
// cells with identical jobs are planned once. If jobs are released one after the other a second plan may follow, in
// which they are admitted as they come: [Config.Phases] may make either the better one. Cells in which jobs miss
// deadlines admit them one by one. The error is a [*state.NoPlan]
// if no size gave a plan. Without a deadline of the context the result is the same for the same instance and state of
// rng.
func (c Config) Cells(ctx context.Context, in *instance.Instance, rng *rand.Rand) (*instance.BlockSchedule, error) {
	if plan := c.copies(ctx, in, rng); plan != nil {
		return plan, nil
	}
	d := dealer{config: c, in: in, class: in.ClassOf(), kinds: symmetry.Kinds(in), alone: queue.Alone(in), strays: pattern.Strays(in), known: map[string]*found{}, estimates: map[string]instance.Tick{}, rng: rng, seed: rng.Uint64()}
	d.works, d.on = works(in)
	var best *instance.BlockSchedule
	var failed error
	late, chosen := instance.Tick(0), 0
	divisions := map[int][]cell{} // by size
	take := func(size int) {
		s, err := d.plan(ctx, divisions[size])
		if err != nil {
			failed = err
			return
		}
		_, ends := s.Spans(in)
		tardy := tardiness(in, ends)
		if best == nil || cmp.Or(cmp.Compare(tardy, late), in.Value(s).Cmp(in.Value(best))) < 0 {
			best, late, chosen = s, tardy, size
			if c.Improved != nil && late == 0 {
				c.Improved(in.Value(s))
			}
		}
	}
	sizes := d.sizes()
	for n, size := range sizes {
		if best != nil && ctx.Err() != nil {
			break
		}
		within, cancel := state.Portion(ctx, exchangePart/float64(len(sizes)-n))
		cells, err := d.divide(within, size)
		cancel()
		if err != nil {
			failed = err
			continue
		}
		divisions[size] = cells
		take(size)
	}
	if best != nil && !c.Quick {
		within, cancel := state.Portion(ctx, exchangePart)
		d.exchange(within, divisions[chosen])
		cancel()
		take(chosen)
		if err := d.search(ctx, divisions[chosen]); err != nil {
			failed = err
		}
		take(chosen)
	}
	if best == nil {
		if failed == nil {
			failed = &state.NoPlan{Reason: "no group of nodes of one rack has enough GPUs for the widest job"}
		}
		return nil, failed
	}
	_, ends := best.Spans(in)
	return best, state.Missed(in, ends, "")
}

// duePart is the part of the time until a job is due in which it is to be done, since patterns keep no exact pace.
const duePart = 0.8

// exchangePart is the fraction of the time for trying all sizes of cells, and the fraction of the rest for exchanges.
const exchangePart = 0.25

// dealer assigns jobs to cells.
type dealer struct {
	config Config
	in     *instance.Instance
	class  []int
	kinds  []int             // of nodes
	alone  []instance.Tick   // an iteration of each job alone
	known  map[string]*found // by groups of identical jobs and nodes
	// estimates are the ends of such groups without a search, also of those whose patterns are no longer known.
	estimates map[string]instance.Tick
	works     []float64   // least GPU-ticks of each job on any type
	on        [][]float64 // the same by type of GPU, 0 if it may not run there
	strays    []bool      // by job, see [pattern.Strays]
	rng       *rand.Rand
	seed      uint64 // of patterns
}

// found is the best pattern found of a group of jobs, nil if they do not fit together, and the number of searches for
// it.
type found struct {
	*pattern.Pattern
	searches int
}

// mostKnown is the number of patterns from which on exchanges forget them: thousands would take a gigabyte.
const mostKnown = 200

// cell is a set of nodes, and the jobs assigned to them.
type cell struct {
	nodes []instance.NodeID
	gpus  []instance.GPUID
	jobs  []instance.JobID // identical ones next to each other
	work  float64          // GPU-ticks of the jobs
	least bool             // jobs count with their least GPU-ticks, not those on the cell's GPUs: if memory is short that may give a better assignment
	end   instance.Tick    // of the last of them, if they are planned by patterns of all of them or of groups
}

// level is the mean work of a GPU.
func (c *cell) level() float64 { return c.work / float64(len(c.gpus)) }

// sizes are the numbers of nodes per cell worth trying.
func (d *dealer) sizes() []int {
	widest, gpus := 0, d.in.WidestNode()
	for j := range d.in.Jobs {
		widest = max(widest, d.in.Jobs[j].Workers)
	}
	whole := 0
	for _, rack := range d.in.Racks {
		whole = max(whole, len(rack.Nodes))
	}
	var sizes []int
	for size := (widest + gpus - 1) / gpus; size <= whole && len(sizes) < 3; size *= 2 {
		if cells := max(1, len(d.in.Nodes)/size); len(d.in.Jobs)/cells > pattern.MostJobs && (len(sizes) > 0 || !d.in.Queues()) {
			break
		}
		sizes = append(sizes, size)
	}
	if len(d.in.Jobs) <= pattern.MostJobs && len(d.in.Racks) == 1 && !slices.Contains(sizes, whole) {
		sizes = append(sizes, whole)
	}
	return sizes
}

// divide assigns all jobs to cells of the given number of nodes (with several types of GPU by either measure of work)
// and, for the makespan, exchanges jobs between them.
func (d *dealer) divide(ctx context.Context, size int) (best []cell, err error) {
	for _, least := range []bool{false, true} {
		if least && len(d.in.Types) == 1 {
			break
		}
		cells, failed := d.dealt(ctx, size, least)
		if failed != nil {
			err = failed
		} else if best == nil || cells[latest(cells)].end < best[latest(best)].end {
			best = cells
		}
	}
	if best == nil {
		return nil, err
	}
	if d.in.Objective == instance.Makespan {
		d.exchange(ctx, best)
	}
	return best, nil
}

// dealt makes cells and assigns the jobs to them.
func (d *dealer) dealt(ctx context.Context, size int, least bool) ([]cell, error) {
	cells := d.cut(size)
	if len(cells) == 0 {
		return nil, &state.NoPlan{Reason: "there are too few nodes for a cell"}
	}
	for i := range cells {
		cells[i].least = least
	}
	if err := d.deal(cells); err != nil {
		return nil, err
	}
	for i := range cells {
		sortByClass(d.class, cells[i].jobs)
		if err := d.measure(ctx, &cells[i], 0); err != nil {
			return nil, err
		}
	}
	return cells, nil
}

// measure sets the end of a cell after the given number of searches for its patterns.
func (d *dealer) measure(ctx context.Context, c *cell, searches int) (err error) {
	c.end, err = d.lay(ctx, nil, c, c.jobs, 0, searches)
	return err
}

// estimate is measure without searches, from the estimates where possible.
func (d *dealer) estimate(ctx context.Context, c *cell) error {
	key := pattern.Key(d.class, d.kinds, c.jobs, c.nodes)
	if e, ok := d.estimates[key]; ok {
		c.end = e
		return nil
	}
	if err := d.measure(ctx, c, 0); err != nil {
		return err
	}
	d.estimates[key] = c.end
	if len(d.known) > mostKnown {
		clear(d.known)
	}
	return nil
}

// plan combines the plans of all cells.
func (d *dealer) plan(ctx context.Context, cells []cell) (*instance.BlockSchedule, error) {
	plan := &instance.BlockSchedule{Residency: make([][]instance.GPUID, len(d.in.Jobs))}
	for i := range cells {
		if _, err := d.lay(ctx, plan, &cells[i], cells[i].jobs, 0, 0); err != nil {
			return nil, err
		}
	}
	plan.Sort()
	return plan, nil
}

// tardiness is by how much jobs with these ends miss their deadlines, in total.
func tardiness(in *instance.Instance, ends []instance.Tick) (sum instance.Tick) {
	for j, end := range ends {
		if due := in.Jobs[j].Deadline; due > 0 {
			sum += max(0, end-due)
		}
	}
	return sum
}

// sortByClass puts identical jobs next to each other, as patterns require.
func sortByClass(class []int, jobs []instance.JobID) {
	slices.SortFunc(jobs, func(a, b instance.JobID) int { return cmp.Or(cmp.Compare(class[a], class[b]), cmp.Compare(a, b)) })
}

// cut makes cells of identical nodes of a rack.
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
			c.gpus = d.in.GPUsOn(c.nodes)
			cells = append(cells, c)
		}
	}
	return cells
}

// works returns the least GPU-ticks of every job on any type, and those by type of GPU.
func works(in *instance.Instance) (least []float64, on [][]float64) {
	q := queue.New(in)
	for j := range in.Jobs {
		least, on = append(least, q.Work(instance.JobID(j))), append(on, make([]float64, len(in.Types)))
		for t := range in.Types {
			if in.Jobs[j].Runs(instance.TypeID(t)) {
				on[j][t] = float64(in.Jobs[j].Iterations) * float64(q.Iteration(instance.JobID(j), instance.TypeID(t)))
			}
		}
	}
	return least, on
}

// workIn is the GPU-ticks of a job in a cell that admits it.
func (d *dealer) workIn(c *cell, j instance.JobID) float64 {
	if c.least {
		return d.works[j]
	}
	return d.on[j][d.in.GPUs[c.gpus[0]].Type]
}

// deal gives the jobs, those with most work first, to the cell that then has least work per GPU, and then swaps jobs
// between the fullest cell and others.
func (d *dealer) deal(cells []cell) error {
	order := d.in.AllJobs()
	slices.SortStableFunc(order, func(a, b instance.JobID) int {
		due := func(j instance.JobID) instance.Tick { return cmp.Or(d.in.Jobs[j].Deadline, math.MaxInt64) }
		return cmp.Or(cmp.Compare(due(a), due(b)), cmp.Compare(d.works[b], d.works[a]), cmp.Compare(d.class[a], d.class[b]), cmp.Compare(d.in.Jobs[a].Release, d.in.Jobs[b].Release))
	})
	for _, j := range order {
		best, least, timely := -1, 0.0, false
		for i := range cells {
			c := &cells[i]
			if !d.admits(c, j) {
				continue
			}
			level, inTime := (c.work+d.workIn(c, j))/float64(len(c.gpus)), d.inTime(c, j)
			if best < 0 || inTime && !timely || inTime == timely && level < least {
				best, least, timely = i, level, inTime
			}
		}
		if best < 0 {
			return state.NewNoPlan(d.in, j, "finds no cell with enough GPUs for it")
		}
		cells[best].jobs, cells[best].work = append(cells[best].jobs, j), cells[best].work+d.workIn(&cells[best], j)
	}
	for range 4 * len(cells) {
		if !d.swap(cells) {
			break
		}
	}
	return nil
}

// swap exchanges a job of the fullest cell for a smaller one, or none, of another, if that makes the fuller of the two
// less full than any alternative. It reports whether there was such a pair.
func (d *dealer) swap(cells []cell) bool {
	full := 0
	for i := range cells {
		if cells[i].level() > cells[full].level() {
			full = i
		}
	}
	a := &cells[full]
	least := a.level() * (1 - 1e-9)
	other, from, to := -1, -1, -1
	for i := range cells {
		b := &cells[i]
		if i == full {
			continue
		}
		for x, j := range a.jobs {
			if !d.admits(b, j) || !d.inTime(b, j) {
				continue
			}
			for y := -1; y < len(b.jobs); y++ {
				here, there := a.work-d.workIn(a, j), b.work+d.workIn(b, j)
				if y >= 0 {
					k := b.jobs[y]
					if !d.admits(a, k) || !d.inTime(a, k) {
						continue
					}
					here, there = here+d.workIn(a, k), there-d.workIn(b, k)
				}
				if higher := max(here/float64(len(a.gpus)), there/float64(len(b.gpus))); higher < least {
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
	a.work, b.work = a.work-d.workIn(a, j), b.work+d.workIn(b, j)
	if to < 0 {
		a.jobs, b.jobs = slices.Delete(a.jobs, from, from+1), append(b.jobs, j)
		return true
	}
	a.work, b.work = a.work+d.workIn(a, b.jobs[to]), b.work-d.workIn(b, b.jobs[to])
	a.jobs[from], b.jobs[to] = b.jobs[to], j
	return true
}

// exchanges is the largest number of exchanges of jobs tried per cell without a deadline, quickExchanges if plans are to be
// quick, and exchangePatience the largest number in a row without a new pattern.
const exchanges, quickExchanges, exchangePatience = 30, 1, 1000

// hottest is the mean amount by which an exchange may at first raise the norm of the ends of two cells, cooling how much lower
// it is at last. With more than mostAnnealed cells there is no time to make up for bad exchanges.
const hottest, cooling, mostAnnealed = 0.03, 0.02, 8

// exchange anneals the division of jobs: it moves a job from a cell, every second time from the one that ends last, to
// another, or swaps it for one there, and accepts that unless the norm of the ends of the two grows by more than a random
// amount, which declines. New patterns are made by list scheduling alone.
func (d *dealer) exchange(ctx context.Context, cells []cell) {
	if len(cells) < 2 {
		return
	}
	most, hot, begin := exchanges*len(cells), 0.0, time.Now()
	deadline, limited := ctx.Deadline()
	switch {
	case d.config.Quick:
		most = quickExchanges * len(cells)
	case limited:
		if most = math.MaxInt; len(cells) <= mostAnnealed {
			hot = hottest
		}
	}
	all := float64(max(1, cells[latest(cells)].end))
	best, least := slices.Clone(cells), norm(all, cells...)
	known, vain := len(d.estimates), 0
	for tries := 0; ctx.Err() == nil && tries < most && vain < exchangePatience; tries, vain = tries+1, vain+1 {
		limit := 0.0
		if hot > 0 {
			done := float64(time.Since(begin)) / float64(deadline.Sub(begin))
			limit = hot * math.Pow(cooling, done) * d.rng.ExpFloat64()
		}
		from := latest(cells)
		if d.rng.IntN(2) == 0 {
			from = d.rng.IntN(len(cells))
		}
		to := d.rng.IntN(len(cells) - 1)
		if to >= from {
			to++
		}
		a, b := cells[from], cells[to]
		newA, newB, ok := d.exchanged(&a, &b)
		unit := float64(max(1, a.end, b.end))
		limit += norm(unit, a, b)
		if !ok || max(newA.level(), newB.level()) > limit*unit {
			continue
		}
		worse := d.estimate(ctx, &newB) != nil || float64(newB.end) > limit*unit || d.estimate(ctx, &newA) != nil || norm(unit, newA, newB) >= limit
		if len(d.estimates) > known {
			known, vain = len(d.estimates), 0
		}
		if worse {
			continue
		}
		cells[from], cells[to] = newA, newB
		if now := norm(all, cells...); now < least {
			best, least = slices.Clone(cells), now
		}
	}
	copy(cells, best)
	for i := range cells { // their patterns may have been forgotten
		if d.known[pattern.Key(d.class, d.kinds, cells[i].jobs, cells[i].nodes)] == nil {
			_ = d.measure(ctx, &cells[i], 0) // which succeeded before
		}
	}
}

// exchanged is two cells after a random job of the first has moved to the second or, two times in three, been swapped for
// one there; not ok if that may not be.
func (d *dealer) exchanged(a, b *cell) (newA, newB cell, ok bool) {
	if len(a.jobs) == 0 {
		return newA, newB, false
	}
	x, y := d.rng.IntN(len(a.jobs)), d.rng.IntN(len(b.jobs)+len(b.jobs)/2+1)
	j := a.jobs[x]
	if !d.admits(b, j) || !d.inTime(b, j) {
		return newA, newB, false
	}
	newA = cell{nodes: a.nodes, gpus: a.gpus, least: a.least, work: a.work - d.workIn(a, j), jobs: slices.Delete(slices.Clone(a.jobs), x, x+1)}
	newB = cell{nodes: b.nodes, gpus: b.gpus, least: b.least, work: b.work + d.workIn(b, j), jobs: append(slices.Clone(b.jobs), j)}
	if y < len(b.jobs) {
		k := b.jobs[y]
		if d.class[k] == d.class[j] || !d.admits(a, k) || !d.inTime(a, k) {
			return newA, newB, false
		}
		newA.jobs, newB.jobs = append(newA.jobs, k), slices.Delete(newB.jobs, y, y+1)
		newA.work, newB.work = newA.work+d.workIn(a, k), newB.work-d.workIn(b, k)
	}
	sortByClass(d.class, newA.jobs)
	sortByClass(d.class, newB.jobs)
	return newA, newB, true
}

// latest is the first of the cells that end last.
func latest(cells []cell) int {
	last := 0
	for i := range cells {
		if cells[i].end > cells[last].end {
			last = i
		}
	}
	return last
}

// norm of the ends of cells, in units: mostly that of the latest.
func norm(unit float64, cells ...cell) (sum float64) {
	const power = 30
	for i := range cells {
		sum += math.Pow(float64(cells[i].end)/unit, power)
	}
	return math.Pow(sum, 1.0/power)
}

// admits reports whether a job may live in a cell, memory apart.
func (d *dealer) admits(c *cell, j instance.JobID) bool {
	alone := len(c.nodes) == 1 || len(c.nodes) == len(d.in.Nodes) || !d.strays[j]
	return alone && d.in.Jobs[j].Workers <= len(c.gpus) && d.in.Jobs[j].Runs(d.in.GPUs[c.gpus[0]].Type)
}

// inTime reports whether a job may be in time in a cell, alone and beside the jobs that are due before or with it.
func (d *dealer) inTime(c *cell, j instance.JobID) bool {
	job := &d.in.Jobs[j]
	if job.Deadline == 0 {
		return true
	}
	work := d.workIn(c, j)
	if float64(job.Release+job.Load)+d.on[j][d.in.GPUs[c.gpus[0]].Type]/float64(job.Workers) > duePart*float64(job.Deadline) {
		return false
	}
	for _, k := range c.jobs {
		if due := d.in.Jobs[k].Deadline; due > 0 && due <= job.Deadline {
			work += d.workIn(c, k)
		}
	}
	return work < duePart*float64(len(c.gpus))*float64(job.Deadline)
}

// search searches for better patterns, first of the cell that ends last. Without a deadline it ends when that cell has
// been searched already.
func (d *dealer) search(ctx context.Context, cells []cell) error {
	_, limited := ctx.Deadline()
	searches := make([]int, len(cells))
	for n := 0; ctx.Err() == nil; n++ {
		last := latest(cells)
		if !limited && searches[last] > 0 {
			return nil
		}
		searches[last]++
		within, cancel := state.Portion(ctx, 1/float64(1+len(cells)))
		err := d.measure(within, &cells[last], searches[last])
		cancel()
		if err != nil {
			return err
		}
	}
	return nil
}

// lay plans jobs of a cell from some time on, all together or, if they do not fit, in two groups one after the other:
// those that are most alike in length. It returns the end of the last, and adds the blocks to plan unless that is nil.
// Their pattern is the best of the given number of searches.
func (d *dealer) lay(ctx context.Context, plan *instance.BlockSchedule, c *cell, jobs []instance.JobID, from instance.Tick, searches int) (instance.Tick, error) {
	if len(jobs) == 0 {
		return from, nil
	}
	k := pattern.Key(d.class, d.kinds, jobs, c.nodes)
	f := d.known[k]
	if f == nil {
		f = &found{}
		if len(jobs) <= pattern.MostJobs || !d.in.Queues() {
			var err error
			if f.Pattern, err = pattern.New(ctx, d.in, d.pcg(0), jobs, c.nodes, pattern.ListTries); err != nil && (len(jobs) == 1 || !d.in.Queues()) {
				return 0, err
			}
		}
		d.known[k] = f
	}
	if f.Pattern == nil { // one after the other
		byLength := slices.Clone(jobs)
		slices.SortStableFunc(byLength, func(a, b instance.JobID) int {
			return cmp.Compare(d.length(b), d.length(a))
		})
		half := len(byLength) / 2
		end := from
		for _, some := range [][]instance.JobID{byLength[:half], byLength[half:]} {
			sortByClass(d.class, some)
			var err error
			if end, err = d.lay(ctx, plan, c, some, end, searches); err != nil {
				return 0, err
			}
		}
		return end, nil
	}
	for ; f.searches < searches && ctx.Err() == nil; f.searches++ {
		rounds := 1
		if _, limited := ctx.Deadline(); limited {
			rounds = 0
		}
		if err := f.Search(ctx, d.pcg(1+f.searches), rounds, f.searches == 0); err != nil {
			return 0, err
		}
	}
	jobs = state.Pick(jobs, f.At)
	start, left := from, make([]int, len(jobs))
	for n, j := range jobs {
		job := &d.in.Jobs[j]
		start, left[n] = max(start, max(from, job.Release)+job.Load), job.Iterations
	}
	write := f.Blocks // to estimate the end, without list schedules of what is left
	if plan != nil {
		write = f.Evenly
	}
	blocks, end := write(jobs, c.gpus, left, start)
	if plan != nil {
		plan.Blocks = append(plan.Blocks, blocks...)
		for n, gpus := range f.Schedule.Residency {
			plan.Residency[jobs[n]] = state.Pick(c.gpus, gpus)
		}
	}
	return end, nil
}

// pcg is the random source of the pattern of a group, a different one for each search.
func (d *dealer) pcg(n int) *rand.Rand { return rand.New(rand.NewPCG(d.seed, uint64(n))) }

// length is about how long a job takes.
func (d *dealer) length(j instance.JobID) float64 {
	return float64(d.alone[j]) * float64(d.in.Jobs[j].Iterations)
}
