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
	// Quick omits most exchanges of jobs between cells in [Config.Cells], and the search that follows list scheduling there and in [Config.Scaled].
	Quick bool
	// Starts are plans by which [Config.Scaled] decides, too.
	Starts []*instance.BlockSchedule
	// Free is when each GPU is free for what [Config.Scaled] plans, and what jobs send from there; nil: from the start.
	Free []instance.Tick
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
		tardy := state.Tardiness(in, ends)
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

// exchangePart is the fraction of the time for trying all sizes of cells, and the fraction of the rest for exchanges.
const exchangePart = 0.5

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

// sortByClass puts identical jobs next to each other, as patterns require.
func sortByClass(class []int, jobs []instance.JobID) {
	slices.SortFunc(jobs, func(a, b instance.JobID) int { return cmp.Or(cmp.Compare(class[a], class[b]), cmp.Compare(a, b)) })
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
		if !ok || max(d.level(&newA, newA.demand), d.level(&newB, newB.demand)) > limit*unit {
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
	newA, newB = *a, *b
	newA.jobs, newB.jobs = slices.Delete(slices.Clone(a.jobs), x, x+1), append(slices.Clone(b.jobs), j)
	if y < len(b.jobs) {
		k := b.jobs[y]
		if d.class[k] == d.class[j] || !d.admits(a, k) || !d.inTime(a, k) {
			return newA, newB, false
		}
		newA.jobs, newB.jobs = append(newA.jobs, k), slices.Delete(newB.jobs, y, y+1)
	}
	sortByClass(d.class, newA.jobs)
	sortByClass(d.class, newB.jobs)
	newA.demand, newB.demand = d.demand(&newA), d.demand(&newB)
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
