package bench

import (
	"math"

	"jigsaw/formulation/instance"
)

// demand is the demand of a job on the cluster in one iteration.
type demand struct {
	// work W in GPU ticks; iteration l in ticks, of which sync at the end.
	work, iteration, sync float64
	// traffic is NIC ticks: the bits that all its nodes send divided by the speed
	// of a NIC. 0 for a job that fits a node.
	traffic float64
}

// workerCounts used for fitting jobs.
var workerCounts = []int{1, 2, 4, 8, 16}

// menu returns the demand of every job at every number of workers for which the
// cluster has room: menu[j][i] belongs to workerCounts[i], and the work is 0 if
// there is no room.
func (d *drawing) menu(s *instance.Spec) ([][]demand, error) {
	trial := *s
	trial.Jobs = nil
	type place struct{ job, option int }
	var places []place
	menu := make([][]demand, len(s.Jobs))
	for j := range s.Jobs {
		menu[j] = make([]demand, len(workerCounts))
		for i, k := range workerCounts {
			if k > d.size.TotalGPUs() || s.Jobs[j].Placement.Within == "node" && k > d.size.GPUs {
				continue
			}
			job := s.Jobs[j]
			job.Name += "-" + string(rune('a'+i))
			job.Workers, job.Release = k, 0
			trial.Jobs = append(trial.Jobs, job)
			places = append(places, place{j, i})
		}
	}
	trial.Objective = instance.Makespan
	in, err := compile(&trial)
	if err != nil {
		return nil, err
	}
	for n, p := range places {
		menu[p.job][p.option] = demandOf(in, &in.Jobs[n])
	}
	return menu, nil
}

// demandOf computes the demand of a job on a cluster of identical nodes: with
// its cheapest depths, on as few nodes as possible, at the fastest rate.
func demandOf(in *instance.Instance, j *instance.Job) demand {
	times := j.On[0].Time
	var d demand
	volume := instance.Bytes(math.MaxInt64)
	nodes := (j.Workers + in.Nodes[0].GPUs - 1) / in.Nodes[0].GPUs
	parties := nodes
	if nodes == 1 {
		parties = j.Workers
	}
	multisets(j, func(counts []int) {
		work := 0.0
		for depth, n := range counts {
			work += float64(n) * float64(times[depth])
		}
		if d.work == 0 || work < d.work {
			d.work = work
		}
		volume = min(volume, j.Volume(counts, parties))
	})
	sync := instance.Tick(0)
	if j.HasSync() {
		span, _ := in.SpanNodes(instance.UpTo[instance.NodeID](nodes), j.Workers)
		sync = in.SyncTicks(volume, span.Rate(in.RateLevels[0]))
		if nodes > 1 {
			nic := float64(in.Links[in.Nodes[0].Up].Capacity) * float64(in.TickUS) / 1e6 // bits per tick
			d.traffic = 8 * float64(volume) * float64(nodes) / nic
		}
	}
	d.iteration, d.sync = float64(times[j.Full()]+sync), float64(sync)
	return d
}

// multisets calls f with every permitted number of workers at each depth.
func multisets(j *instance.Job, f func(counts []int)) {
	counts := make([]int, len(j.Depths))
	var assign func(depth, left int)
	assign = func(depth, left int) {
		if depth == j.Full() {
			counts[depth] = left
			if j.Allows(counts) {
				f(counts)
			}
			return
		}
		for n := range left + 1 {
			counts[depth] = n
			assign(depth+1, left-n)
		}
		counts[depth] = 0
	}
	assign(0, j.Workers)
}

// option returns the index of k in workerCounts.
func option(k int) int {
	for i, n := range workerCounts {
		if n == k {
			return i
		}
	}
	return -1
}

// load of the cluster by jobs that never wait.
type load struct {
	// gpus and nics are the fractions of the GPUs and of the nodes' NICs in use.
	gpus, nics float64
}

// loads tracks the load while numbers of workers change.
type loads struct {
	load
	*drawing
	jobs []instance.JobSpec
	menu [][]demand
}

// set changes the workers of a job.
func (l *loads) set(job, workers int) {
	l.book(job, -1)
	l.jobs[job].Workers = workers
	l.book(job, 1)
}

func (l *loads) book(job int, sign float64) {
	m := l.menu[job][option(l.jobs[job].Workers)]
	l.gpus += sign * m.work / m.iteration / float64(l.size.TotalGPUs())
	l.nics += sign * m.traffic / m.iteration / float64(l.size.Racks*l.size.Nodes)
}

// fitWorkers doubles or halves the workers of jobs, at random, until the load
// fits the regime. It reports success.
func (d *drawing) fitWorkers(s *instance.Spec, menu [][]demand) bool {
	l := loads{drawing: d, jobs: s.Jobs, menu: menu}
	for j := range s.Jobs {
		if menu[j][option(s.Jobs[j].Workers)].work == 0 {
			s.Jobs[j].Workers = 1 // there is no room for the drawn number
		}
		l.book(j, 1)
	}
	if d.row.Regime == Network {
		return l.fitTraffic()
	}
	low, high := 1.3, 2.2
	switch {
	case d.row.Regime == ChainBound:
		low, high = 0.3, 0.66
	case d.row.Regime == Crossing && d.row.Objective.Periodic():
		low, high = 0.97, 1.0
	}
	most := option(8)
	if d.size.Real {
		most = option(16)
	}
	for range 30 * len(s.Jobs) {
		if l.gpus >= low && l.gpus <= high {
			return true
		}
		job := d.IntN(len(s.Jobs))
		at := option(s.Jobs[job].Workers)
		if l.gpus < low && at < most && menu[job][at+1].work > 0 {
			l.set(job, workerCounts[at+1])
		} else if l.gpus > high && at > 0 {
			l.set(job, workerCounts[at-1])
		}
	}
	return false
}

// fitTraffic makes jobs span nodes until the NICs are overloaded, and shrinks
// jobs inside nodes until the GPUs have less to do.
func (l *loads) fitTraffic() bool {
	for range 30 * len(l.jobs) {
		job := l.IntN(len(l.jobs))
		k := l.jobs[job].Workers
		switch {
		case l.nics >= 1.6 && l.gpus <= 0.75*l.nics:
			return true
		case l.nics < 1.6 && l.menu[job][option(l.spanning())].work > 0:
			l.set(job, l.spanning())
		case l.nics >= 1.6 && k > 1 && k < l.spanning():
			l.set(job, k/2)
		}
	}
	return false
}

// extent of an instance in ticks.
type extent struct {
	// chain of the longest job; GPU work over GPUs, with the least that any job
	// adds before and after it; NIC time over nodes.
	chain, area, traffic float64
}

func (d *drawing) extent(s *instance.Spec, menu [][]demand) extent {
	var e extent
	head, tail := math.Inf(1), math.Inf(1)
	for j := range s.Jobs {
		job := &s.Jobs[j]
		m, n := menu[j][option(job.Workers)], float64(job.Iterations)
		release := float64(job.Release / tick(s))
		head, tail = min(head, release), min(tail, m.sync)
		e.chain = max(e.chain, release+n*m.iteration)
		e.area += n * m.work / float64(d.size.TotalGPUs())
		e.traffic += n * m.traffic / float64(d.size.Racks*d.size.Nodes)
	}
	e.area += head + tail
	return e
}

// fitIterations gives every job a number of iterations such that area, chains
// and traffic are as the regime requires. It reports success.
func (d *drawing) fitIterations(s *instance.Spec, menu [][]demand) bool {
	horizon := float64(d.size.Horizon)
	share := make([]float64, len(s.Jobs)) // fraction of the horizon that the job's chain takes, before scaling
	for j := range share {
		share[j] = 0.35 + 0.6*d.Float64()
	}
	long := map[int]bool{} // jobs that last the whole horizon
	if d.row.Regime == ChainBound || d.row.Regime == Crossing {
		for _, j := range d.Perm(len(s.Jobs))[:max(1, len(s.Jobs)/4)] {
			long[j] = true
		}
	}
	// assign makes chains their fractions times scale, but not above most.
	assign := func(scale, most float64) extent {
		for j := range s.Jobs {
			length := min(scale*share[j], most)
			if long[j] {
				length = 1
			}
			job := &s.Jobs[j]
			left := length*horizon - float64(job.Release/tick(s))
			job.Iterations = int(max(1, math.Floor(left/menu[j][option(job.Workers)].iteration)))
		}
		return d.extent(s, menu)
	}
	// fill assigns with the least scale at which short does not hold.
	fill := func(most float64, short func(extent) bool) extent {
		low, high := 0.0, 4.0
		for range 30 {
			if middle := (low + high) / 2; short(assign(middle, most)) {
				low = middle
			} else {
				high = middle
			}
		}
		return assign(high, most)
	}
	switch d.row.Regime {
	case AreaBound:
		e := fill(0.86, func(e extent) bool { return e.area < horizon })
		return e.area >= 1.1*e.chain && e.area >= 1.1*e.traffic
	case ChainBound:
		e := assign(1, 0.8)
		return e.chain >= 1.35*e.area && e.chain >= 1.2*e.traffic && e.chain >= 0.9*horizon
	case Crossing:
		e := fill(0.93, func(e extent) bool { return e.area < 0.99*e.chain })
		return math.Abs(e.area-e.chain) <= 0.025*e.chain && e.traffic <= 0.9*e.chain
	default: // Network
		e := fill(0.8, func(e extent) bool { return e.traffic < horizon })
		return e.traffic >= 1.1*e.chain && e.traffic >= 1.1*e.area && e.traffic <= 1.2*horizon
	}
}
