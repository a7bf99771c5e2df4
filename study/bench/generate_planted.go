package bench

import (
	"fmt"
	"math/big"

	"jigsaw/formulation/instance"
)

// # Interlocking jobs
//
// A cell is a group of k GPUs for some time, filled by two jobs A and B of k
// workers that take turns. On the GPU of rank g, A's task takes a_g and B's
// b_g, with a_g + b_g = c everywhere: where A is shallow, B is deep.
//
//	GPU 1  AAA BBBBBB AAA BBBBBB         a = 3, b = 6
//	GPU 2  AAAA BBBBB AAAA BBBBB         a = 4, b = 5
//	GPU 3  AAAAA BBBB AAAAA BBBB         a = 5, b = 4
//	GPU 4  AAAAAA BBB AAAAAA BBB         a = 6, b = 3
//
// A synchronises, in s ticks, while B computes, and vice versa, as long as s <=
// min a and s <= min b. No GPU is ever idle, and every job uses the cheapest
// depths that its rule allows. If s = min a = min b no job ever waits either:
// its iterations take max a + s = c, their least length.
//
// A third job of full depth may join: it takes the same time on every GPU.
//
// Every synchronisation lasts the cluster's latency s, at any rate and place:
// the volumes are small enough for the slowest rate.

// cell is a group of GPUs for some time.
type cell struct {
	gpus        []instance.GPUID // ascending
	start, span int              // ticks
}

// shape is the form of a cell's pair of jobs.
type shape int

const (
	// fullPair: both jobs of full depth.
	fullPair shape = iota
	// ladderPair: both jobs follow the ladder.
	ladderPair
	// freePair: A has one full worker and the others as shallow as possible; B has
	// one shallow worker.
	freePair
	shapes
)

// turn is one job of a cell: its model and its depth on every GPU.
type turn struct {
	rule instance.SPBSpec
	// forward and layer are the ticks of the forward pass and of the backward
	// pass of one of the four layers.
	forward, layer int
	depth          []int // in layers, by rank of GPU
}

func (t *turn) ticks(rank int) int { return t.forward + t.layer*t.depth[rank] }

func (t *turn) shortest() int {
	shortest := t.ticks(0)
	for rank := range t.depth {
		shortest = min(shortest, t.ticks(rank))
	}
	return shortest
}

// pair returns the two jobs of a cell of k GPUs with the given forward times
// and time of a layer.
func pair(form shape, k, forwardA, forwardB, layer int) (a, b turn) {
	a, b = turn{forward: forwardA, layer: layer}, turn{forward: forwardB, layer: layer}
	for rank := range k {
		switch form {
		case fullPair:
			a.depth, b.depth = append(a.depth, 4), append(b.depth, 4)
		case ladderPair:
			up := ((rank+1)*4 + k - 1) / k
			down := ((k-rank)*4 + k - 1) / k
			a.depth, b.depth = append(a.depth, up), append(b.depth, down)
		case freePair:
			deep, shallow := 1, 4
			if rank == k-1 {
				deep, shallow = 4, 1
			}
			a.depth, b.depth = append(a.depth, deep), append(b.depth, shallow)
		}
	}
	switch form {
	case fullPair:
		a.rule, b.rule = instance.SPBSpec{Rule: "full"}, instance.SPBSpec{Rule: "full"}
	case ladderPair:
		a.rule, b.rule = instance.SPBSpec{Rule: "ladder"}, instance.SPBSpec{Rule: "ladder"}
	case freePair:
		a.rule = instance.SPBSpec{Rule: "free", MinFull: 1}
		b.rule = instance.SPBSpec{Rule: "free", MinFull: k - 1}
	}
	a.rule.Depths, b.rule.Depths = []int{1, 2, 3, 4}, []int{1, 2, 3, 4}
	return a, b
}

// plant builds a planted instance and its witness.
type plant struct {
	*drawing
	spec   *instance.Spec
	sync   int // ticks of every synchronisation
	models map[string]bool
	// witness numbers jobs in the order in which they were made.
	witness instance.Schedule
}

// planted makes an instance of the planted regime.
func (d *drawing) planted() (*Case, error) {
	p := &plant{drawing: d, spec: d.spec(), models: map[string]bool{}}
	rack := &p.spec.Cluster.Racks[0]
	rack.NIC, rack.Fabric, rack.Oversubscription = 50*gbit, 400*gbit, 0
	p.spec.Cluster.RateLevels = []instance.RateLevel{1, 2, plantedRate}

	var optimum *big.Rat
	switch d.row.Objective {
	case instance.Makespan:
		optimum = p.filled()
	case instance.WeightedCompletion:
		optimum = p.unhindered()
	default:
		optimum = p.periodic()
	}
	p.spec.Cluster.Latency = p.ticks(p.sync)
	return p.shuffled(optimum)
}

// plantedRate is the rate level of all synchronisations of a witness: four jobs
// can share a node's fabric or NIC.
const plantedRate = 4

func (p *plant) ticks(n int) instance.Duration { return instance.Duration(n) * tick(p.spec) }

// shuffled renumbers the jobs, so that their order does not reveal which
// interlock, and compiles.
func (p *plant) shuffled(optimum *big.Rat) (*Case, error) {
	w := &p.witness
	jobs, residency := make([]instance.JobSpec, len(p.spec.Jobs)), make([][]instance.GPUID, len(p.spec.Jobs))
	order := p.Perm(len(jobs))
	for from, to := range order {
		jobs[to], residency[to] = p.spec.Jobs[from], w.Residency[from]
		jobs[to].Name = fmt.Sprintf("j%d", to)
	}
	p.spec.Jobs, w.Residency = jobs, residency
	for i := range w.Tasks {
		w.Tasks[i].Job = instance.JobID(order[w.Tasks[i].Job])
	}
	for i := range w.Syncs {
		w.Syncs[i].Job = instance.JobID(order[w.Syncs[i].Job])
	}
	w.Sort()
	in, err := compile(p.spec)
	if err != nil {
		return nil, err
	}
	return &Case{p.row, p.spec, in, optimum, w}, nil
}

// blocks divides the cluster into at least n groups of GPUs: whole nodes, or
// pairs of small nodes, halved at random while there are too few.
func (p *plant) blocks(n int) [][]instance.GPUID {
	width, nodes := p.size.GPUs, p.size.Racks*p.size.Nodes
	if width == 4 && n <= nodes/2 {
		width = 8
	}
	var blocks [][]instance.GPUID
	for first := 0; first < p.size.TotalGPUs(); first += width {
		block := make([]instance.GPUID, width)
		for i := range block {
			block[i] = instance.GPUID(first + i)
		}
		blocks = append(blocks, block)
	}
	for len(blocks) < n {
		i := p.IntN(len(blocks))
		if half := len(blocks[i]) / 2; half >= 2 {
			blocks = append(blocks, blocks[i][half:])
			blocks[i] = blocks[i][:half]
		}
	}
	return blocks
}

// filled plants for makespan. The cells tile GPUs x [0, T]: no schedule does all
// the work before T, and the last work still has to be synchronised.
func (p *plant) filled() *big.Rat {
	p.sync = p.between(1, 3)
	unit, horizon := 12, int(p.size.Horizon)/12*12
	if p.size.Real {
		p.sync, unit, horizon = 20*p.sync, 240, 2400
	}
	var cells []cell
	for _, block := range p.blocks(1) {
		cells = append(cells, cell{block, 0, horizon})
	}
	// With two or three jobs in every cell.
	count := max(len(cells), p.size.Jobs*42/100)
	for len(cells) < count {
		i := p.IntN(len(cells))
		c := cells[i]
		half, units := len(c.gpus)/2, c.span/unit
		switch {
		case half >= 2 && (p.oneIn(2) || units < 4):
			cells[i].gpus = c.gpus[:half]
			cells = append(cells, cell{c.gpus[half:], c.start, c.span})
		case units >= 4:
			first := unit * p.between(2, units-2)
			cells[i].span = first
			cells = append(cells, cell{c.gpus, c.start + first, c.span - first})
		}
	}
	triples := p.size.Jobs - 2*len(cells)
	for i, c := range cells {
		p.fill(c, i < triples, unit)
	}
	return big.NewRat(int64(horizon+p.sync), 1)
}

// fill puts jobs into a cell that leave no GPU idle.
func (p *plant) fill(c cell, triple bool, unit int) {
	var lengths []int // of a round, in which every job runs once
	for n := unit * 3 / 4; n <= 3*unit && 2*n <= c.span; n++ {
		if c.span%n == 0 {
			lengths = append(lengths, n)
		}
	}
	for {
		length, third := pick(p.drawing, lengths...), 0
		if triple {
			third = p.between(p.sync, max(p.sync, length/3))
		}
		form := shape(p.IntN(int(shapes)))
		layer := p.between(0, length/6)
		if layer == 0 && form != fullPair {
			continue
		}
		a, b := pair(form, len(c.gpus), 0, 0, layer)
		rest := length - third - a.ticks(0) - b.ticks(0) // for the forward passes
		if rest < 0 {
			continue
		}
		a.forward = p.between(0, rest)
		b.forward = rest - a.forward
		if a.shortest() < p.sync || b.shortest() < p.sync {
			continue
		}
		turns := []turn{a, b}
		if triple {
			full, _ := pair(fullPair, len(c.gpus), third, 0, 0)
			turns = append(turns, full)
		}
		p.add(c, length, turns, make([]instance.JobSpec, len(turns)))
		return
	}
}

// unhindered plants for weighted completion: no job ever waits, once released.
func (p *plant) unhindered() *big.Rat {
	p.sync = p.between(3, 6)
	horizon := int(p.size.Horizon)
	if p.size.Real {
		p.sync, horizon = 20*p.sync, 2400
	}
	blocks := p.blocks(max(1, p.size.Jobs/4))
	slots := make([]int, len(blocks)) // cells of a block, one after the other
	for i := range p.size.Jobs / 2 {
		if i >= len(blocks) {
			i = p.IntN(len(blocks))
		}
		slots[i]++
	}
	optimum := new(big.Rat)
	for i, block := range blocks {
		start := 0
		for range slots[i] {
			a, b, length := p.tight(len(block))
			rounds := max(1, horizon/slots[i]/length)
			c := cell{block, start, rounds * length}
			jobs := make([]instance.JobSpec, 2)
			for n := range jobs {
				release := start + n*p.sync
				jobs[n] = instance.JobSpec{Weight: int64(p.between(1, 5)), Release: p.ticks(release)}
				optimum.Add(optimum, big.NewRat(jobs[n].Weight*int64(release+c.span), 1))
			}
			p.add(c, length, []turn{a, b}, jobs)
			start += c.span
		}
	}
	return optimum
}

// periodic plants for throughput: no job ever waits. All rounds divide the period.
func (p *plant) periodic() *big.Rat {
	unit := 1
	if p.size.Real {
		unit = 20
	}
	p.sync = 6 * unit
	period := 72 * unit
	p.spec.MaxPeriod, p.witness.Period = p.ticks(period), instance.Tick(period)
	optimum := new(big.Rat)
	for _, block := range p.blocks(p.size.Jobs / 2) {
		a, b, length := p.tight(len(block))
		for period%length != 0 {
			a, b, length = p.tight(len(block))
		}
		jobs := make([]instance.JobSpec, 2)
		for n := range jobs {
			jobs[n].Weight = int64(p.between(1, 5))
			optimum.Add(optimum, big.NewRat(jobs[n].Weight, int64(length)))
		}
		p.add(cell{block, 0, period}, length, []turn{a, b}, jobs)
	}
	return optimum
}

// tight draws a pair for k GPUs in which neither job ever waits, and the length
// of its rounds.
func (p *plant) tight(k int) (a, b turn, length int) {
	for {
		a, b = pair(shape(p.IntN(int(shapes))), k, 0, 0, 1)
		shallow := a.shortest() // in layers
		layer := p.between(0, p.sync/shallow)
		if layer == 0 && shallow < 4 {
			continue // no better than full depth
		}
		a.layer, b.layer = layer, layer
		a.forward = p.sync - layer*shallow
		b.forward = a.forward
		return a, b, a.forward + 4*layer + p.sync
	}
}

// add makes the jobs of a cell, which take turns in rounds of the given length,
// and adds their schedule. The given jobs hold what the cell does not
// determine: weights and releases.
func (p *plant) add(c cell, length int, turns []turn, jobs []instance.JobSpec) {
	w := &p.witness
	begin := make([]int, len(c.gpus)) // of the turn in the first round, by rank
	for n, turn := range turns {
		id := instance.JobID(len(p.spec.Jobs))
		rounds := c.span / length
		job := jobs[n]
		job.Model, job.Workers, job.SPB = p.model(&turn), len(c.gpus), turn.rule
		if !p.spec.Objective.Periodic() {
			job.Iterations = rounds
		}
		p.spec.Jobs = append(p.spec.Jobs, job)
		w.Residency = append(w.Residency, c.gpus)
		for round := range rounds {
			at, last := c.start+round*length, 0
			for rank, gpu := range c.gpus {
				start := at + begin[rank]
				end := start + turn.ticks(rank)
				last = max(last, end)
				w.Tasks = append(w.Tasks, instance.Task{Job: id, Iteration: round + 1, GPU: gpu, Depth: turn.depth[rank] - 1,
					Start: instance.Tick(start), End: instance.Tick(end)})
			}
			w.Syncs = append(w.Syncs, instance.Sync{Job: id, Iteration: round + 1, Rate: plantedRate,
				Start: instance.Tick(last), End: instance.Tick(last + p.sync)})
		}
		for rank := range begin {
			begin[rank] += turn.ticks(rank)
		}
	}
}

// model returns the name of the model of four equal layers with the turn's times.
func (p *plant) model(t *turn) string {
	name := fmt.Sprintf("f%d-l%d", t.forward, t.layer)
	if p.models[name] {
		return name
	}
	p.models[name] = true
	profile := &instance.Profile{Model: name, GPU: "v100", Batch: 32, Workspace: 64 * mega}
	for l := range 4 {
		layer := instance.Layer{Name: fmt.Sprintf("l%d", l), Backward: p.ticks(t.layer),
			Parameters: mega * instance.Bytes(p.between(1, 3)), Activations: 100 * mega}
		if l == 0 {
			layer.Forward = p.ticks(t.forward)
		}
		profile.Layers = append(profile.Layers, layer)
	}
	p.spec.Profiles = append(p.spec.Profiles, profile)
	return name
}
