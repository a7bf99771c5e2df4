package horizon

import (
	"cmp"
	"math"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics/queue"
	"jigsaw/heuristics/state"
)

// cell is a set of nodes, and the jobs assigned to them.
type cell struct {
	nodes  []instance.NodeID
	gpus   []instance.GPUID
	jobs   []instance.JobID // identical ones next to each other
	demand                  // of the jobs
	least  bool             // jobs count with their least GPU-ticks, not those on the cell's GPUs: if memory is short that may give a better assignment
	whole  bool             // jobs are dealt such that memory holds those of the cell together
	end    instance.Tick    // of the last of them, if they are planned by patterns of all of them or of groups
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

// kind is the type of the GPUs of a cell.
func (d *dealer) kind(c *cell) instance.TypeID { return d.in.GPUs[c.gpus[0]].Type }

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
	return d.on[j][d.kind(c)]
}

// demand is what jobs ask of the GPUs of a cell.
type demand struct {
	work       float64           // in GPU-ticks
	persistent float64           // bytes of all workers
	ephemeral  [2]instance.Bytes // the two largest of a worker at full depth
}

// demand is that of the jobs of a cell.
func (d *dealer) demand(c *cell) (sum demand) {
	for _, j := range c.jobs {
		sum = d.with(c, sum, j)
	}
	return sum
}

// one is the demand of one job.
func (d *dealer) one(c *cell, j instance.JobID) demand {
	job := &d.in.Jobs[j]
	m := job.On[d.kind(c)].Memory(job.Full())
	return demand{d.workIn(c, j), float64(job.Workers) * float64(m.Persistent), [2]instance.Bytes{m.Ephemeral}}
}

// with adds a job to a demand.
func (d *dealer) with(c *cell, sum demand, j instance.JobID) demand {
	one := d.one(c, j)
	sum.work += one.work
	sum.persistent += one.persistent
	if e, more := &sum.ephemeral, one.ephemeral[0]; more > e[0] {
		e[0], e[1] = more, e[0]
	} else {
		e[1] = max(e[1], more)
	}
	return sum
}

// without takes a job out of the demand of its cell.
func (d *dealer) without(c *cell, j instance.JobID) demand {
	sum, one := c.demand, d.one(c, j)
	sum.work -= one.work
	sum.persistent -= one.persistent
	if e := &sum.ephemeral; one.ephemeral[0] == e[0] {
		e[0] = e[1]
	}
	return sum
}

const (
	// packed is the part of a cell's memory, less the largest ephemeral bytes on each GPU, up to which its jobs are likely to find GPUs;
	// mostExcess the mean excess of cells over that from which on jobs are dealt by their work alone.
	packed, mostExcess = 0.9, 0.1
	// takingTurns is by how much the jobs of a cell take longer, about, if they take turns in its memory.
	takingTurns = 1.5
)

// filled is the part of that memory that jobs fill; above 1 they hardly fit.
func (d *dealer) filled(c *cell, of demand) float64 {
	return of.persistent / (packed * float64(len(c.gpus)) * float64(max(1, d.in.Types[d.kind(c)].Memory-of.ephemeral[0])))
}

// level is about how long a cell takes for jobs: the mean work of a GPU, more if they do not fit into its memory but should.
func (d *dealer) level(c *cell, of demand) float64 {
	level := of.work / float64(len(c.gpus))
	if filled := d.filled(c, of); c.whole && filled > 1 {
		level *= takingTurns * filled
	}
	return level
}

// changed is the level of a cell without one of its jobs and with another; [instance.NoJob]: none.
func (d *dealer) changed(c *cell, without, with instance.JobID) float64 {
	of := c.demand
	if without != instance.NoJob {
		of = d.without(c, without)
	}
	if with != instance.NoJob {
		of = d.with(c, of, with)
	}
	return d.level(c, of)
}

// deal assigns all jobs to cells, if possible such that memory holds those of each cell together: jobs that take turns
// keep its GPUs less busy.
func (d *dealer) deal(cells []cell) error {
	for _, whole := range []bool{true, false} {
		for i := range cells {
			c := &cells[i]
			c.whole, c.jobs, c.demand = whole, nil, demand{}
		}
		if err := d.spread(cells); err != nil {
			return err
		}
		excess := 0.0
		for i := range cells {
			excess += max(0, d.filled(&cells[i], cells[i].demand)-1)
		}
		if excess <= mostExcess*float64(len(cells)) {
			break
		}
	}
	return nil
}

// spread gives the jobs, those with most work first, to the cell with the least level then, and then swaps jobs between
// the fullest cell and others.
func (d *dealer) spread(cells []cell) error {
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
			level, inTime := d.changed(c, instance.NoJob, j), d.inTime(c, j)
			if best < 0 || inTime && !timely || inTime == timely && level < least {
				best, least, timely = i, level, inTime
			}
		}
		if best < 0 {
			return state.NewNoPlan(d.in, j, "finds no cell with enough GPUs for it")
		}
		c := &cells[best]
		c.jobs = append(c.jobs, j)
		c.demand = d.demand(c)
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
		if d.level(&cells[i], cells[i].demand) > d.level(&cells[full], cells[full].demand) {
			full = i
		}
	}
	a := &cells[full]
	least := d.level(a, a.demand) * (1 - 1e-9)
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
				k := instance.NoJob
				if y >= 0 {
					if k = b.jobs[y]; !d.admits(a, k) || !d.inTime(a, k) {
						continue
					}
				}
				if higher := max(d.changed(a, j, k), d.changed(b, k, j)); higher < least {
					least, other, from, to = higher, i, x, y
				}
			}
		}
	}
	if other < 0 {
		return false
	}
	b := &cells[other]
	if j := a.jobs[from]; to < 0 {
		a.jobs, b.jobs = slices.Delete(a.jobs, from, from+1), append(b.jobs, j)
	} else {
		a.jobs[from], b.jobs[to] = b.jobs[to], j
	}
	a.demand, b.demand = d.demand(a), d.demand(b)
	return true
}

// admits reports whether a job may live in a cell, memory apart.
func (d *dealer) admits(c *cell, j instance.JobID) bool {
	alone := len(c.nodes) == 1 || len(c.nodes) == len(d.in.Nodes) || !d.strays[j]
	return alone && d.in.Jobs[j].Workers <= len(c.gpus) && d.in.Jobs[j].Runs(d.kind(c))
}

// inTime reports whether a job may be in time in a cell, alone and beside the jobs that are due before or with it.
func (d *dealer) inTime(c *cell, j instance.JobID) bool {
	job := &d.in.Jobs[j]
	if job.Deadline == 0 {
		return true
	}
	work := d.workIn(c, j)
	if float64(job.Release+job.Load)+d.on[j][d.kind(c)]/float64(job.Workers) > duePart*float64(job.Deadline) {
		return false
	}
	for _, k := range c.jobs {
		if due := d.in.Jobs[k].Deadline; due > 0 && due <= job.Deadline {
			work += d.workIn(c, k)
		}
	}
	return work < duePart*float64(len(c.gpus))*float64(job.Deadline)
}

// duePart is the part of the time until a job is due in which it is to be done, since patterns keep no exact pace.
const duePart = 0.8
