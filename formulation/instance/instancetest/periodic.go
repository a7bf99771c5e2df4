package instancetest

import (
	"cmp"
	"encoding/binary"
	"math/big"
	"math/bits"
	"slices"

	"jigsaw/formulation/instance"
)

// searchPeriodic returns an optimal periodic schedule; ok is false if the
// budget ran out or the instance is out of range.
//
// For a period P and numbers of iterations r it asks whether any valid schedule
// has them, in order of falling value; the first that has is optimal. What a
// job does in a period, its routine, matters to the others only through the
// ticks modulo P at which it occupies GPUs and links, and through its memory.
// So all routines of each job are listed, and one is sought for each job so
// that they fit together. Left out without loss are:
//
//   - starts of iteration 1 at or after P: shift the job by whole periods;
//   - routines alike in all the others can see of them, but one, and routines
//     that take as much as another of the same residency and more;
//   - all rotations of the first job but one: rotate the whole plan;
//   - residencies of the first job that a permutation of the GPUs within nodes
//     turns into another;
//   - numbers of iterations whose tasks alone exceed the GPUs' time, and those
//     at least as great in each job as some that have no valid schedule: the
//     last iterations of a job can be dropped from a valid one.
func searchPeriodic(in *instance.Instance, budget *int) (s *instance.Schedule, ok bool) {
	if in.MaxPeriod < 1 || in.MaxPeriod > 64 || len(in.Jobs) > 8 {
		return nil, false
	}
	p := &periodic{in: in, budget: budget, known: map[[3]int][]routine{}}
	for j := range in.Jobs {
		p.homes = append(p.homes, homes(in, instance.JobID(j)))
		quickest, work := instance.Tick(0), instance.Tick(0)
		for _, h := range p.homes[j] {
			for _, m := range h.modes {
				sum := instance.Tick(0)
				for _, t := range m.times {
					sum += t
				}
				if quickest == 0 || m.atLeast < quickest {
					quickest = m.atLeast
				}
				if work == 0 || sum < work {
					work = sum
				}
			}
		}
		p.quickest, p.work = append(p.quickest, quickest), append(p.work, work)
	}
	infeasible := map[instance.Tick][][]int{}
	for _, c := range p.candidates() {
		hopeless := slices.ContainsFunc(infeasible[c.period], func(r []int) bool {
			for j := range r {
				if r[j] > c.iterations[j] {
					return false
				}
			}
			return true
		})
		if hopeless {
			continue
		}
		s := p.feasible(c)
		if *budget <= 0 {
			return nil, false
		}
		if s != nil {
			return s, true
		}
		infeasible[c.period] = append(infeasible[c.period], c.iterations)
	}
	panic("instancetest: not even the empty plan is valid")
}

// periodic is the search for a periodic plan.
type periodic struct {
	in     *instance.Instance
	budget *int
	homes  [][]home // by job
	// quickest iteration and least GPU time of an iteration, by job; 0 for a
	// job that has no home.
	quickest, work []instance.Tick
	// known routines by job, period and iterations.
	known map[[3]int][]routine
}

// candidate is a period with iterations of each job, and its value.
type candidate struct {
	period     instance.Tick
	iterations []int
	sum        int
	value      *big.Rat
}

// candidates lists all that are not obviously impossible, best first and, if
// equal, those of the fewest iterations first.
func (p *periodic) candidates() []candidate {
	var list []candidate
	r := make([]int, len(p.in.Jobs))
	for period := instance.Tick(1); period <= p.in.MaxPeriod; period++ {
		var choose func(j, sum int, room instance.Tick)
		choose = func(j, sum int, room instance.Tick) {
			if j == len(r) {
				list = append(list, candidate{period, slices.Clone(r), sum, p.in.RateValue(r, period)})
				return
			}
			for r[j] = 0; ; r[j]++ {
				n := instance.Tick(r[j])
				if n > 0 && (p.work[j] == 0 || n*p.quickest[j] > period || n*p.work[j] > room) {
					break
				}
				choose(j+1, sum+r[j], room-n*p.work[j])
			}
			r[j] = 0
		}
		choose(0, 0, period*instance.Tick(len(p.in.GPUs)))
	}
	slices.SortStableFunc(list, func(a, b candidate) int { return cmp.Or(b.value.Cmp(a.value), cmp.Compare(a.sum, b.sum)) })
	return list
}

// routine is what a job does in one period. Iteration 1 starts at tick 0.
type routine struct {
	home  *home
	busy  []uint64         // by resident GPU, a bit for each tick modulo P
	speed []instance.Rate  // of its syncs, by tick modulo P
	peak  []instance.Bytes // greatest ephemeral bytes, by resident GPU
	tasks []instance.Task
	syncs []instance.Sync
}

// key is equal for routines of a home that are alike to the others.
func (r *routine) key() string {
	var b []byte
	for _, x := range r.busy {
		b = binary.AppendUvarint(b, x)
	}
	for _, x := range r.speed {
		b = binary.AppendUvarint(b, uint64(x))
	}
	for _, x := range r.peak {
		b = binary.AppendUvarint(b, uint64(x))
	}
	return string(b)
}

// within reports whether r takes no more of anything than o, of the same home.
func (r *routine) within(o *routine) bool {
	for n := range r.busy {
		if r.busy[n]&^o.busy[n] != 0 || r.peak[n] > o.peak[n] {
			return false
		}
	}
	for t := range r.speed {
		if r.speed[t] > o.speed[t] {
			return false
		}
	}
	return true
}

// ticks counts the GPU-ticks and bits that a routine takes.
func (r *routine) ticks() (sum int) {
	for _, b := range r.busy {
		sum += bits.OnesCount64(b)
	}
	for _, v := range r.speed {
		sum += int(v)
	}
	for _, v := range r.peak {
		sum += int(v)
	}
	return sum
}

// routines lists the routines of a job with n iterations in a period.
func (p *periodic) routines(id instance.JobID, period instance.Tick, n int) []routine {
	key := [3]int{int(id), int(period), n}
	if list, ok := p.known[key]; ok {
		return list
	}
	var list []routine
	for h := range p.homes[id] {
		list = append(list, p.routinesAt(id, &p.homes[id][h], period, n)...)
	}
	p.known[key] = list
	return list
}

func (p *periodic) routinesAt(id instance.JobID, h *home, period instance.Tick, iterations int) []routine {
	job := &p.in.Jobs[id]
	k := len(h.gpus)
	var list []routine
	seen := map[string]bool{}
	now := routine{home: h, busy: make([]uint64, k), speed: make([]instance.Rate, period), peak: make([]instance.Bytes, k)}

	var iterate func(i int, ready instance.Tick)
	var placeTask func(i, n int, m *mode, ready, end instance.Tick, first bool)
	var placeSync func(i int, m *mode, end instance.Tick)

	iterate = func(i int, ready instance.Tick) {
		if *p.budget--; *p.budget <= 0 {
			return
		}
		if i > iterations {
			if key := now.key(); !seen[key] {
				seen[key] = true
				list = append(list, routine{h, slices.Clone(now.busy), slices.Clone(now.speed), slices.Clone(now.peak),
					slices.Clone(now.tasks), slices.Clone(now.syncs)})
			}
			return
		}
		for m := range h.modes {
			placeTask(i, 0, &h.modes[m], ready, ready, i > 1)
		}
	}
	// placeTask tries all starts of the task on GPU n; first is whether a task
	// already starts at tick 0.
	placeTask = func(i, n int, m *mode, ready, end instance.Tick, first bool) {
		if n == k {
			if first {
				placeSync(i, m, end)
			}
			return
		}
		g := h.gpus[n]
		kept := p.in.Jobs[id].On[p.in.GPUs[g].Type].Ephemeral[m.depths[n]]
		busy, peak := now.busy[n], now.peak[n]
		start, latest := ready, period-m.times[n]-m.shortest
		if n%job.Group() > 0 || job.Gang && n > 0 { // with the others
			start = now.tasks[len(now.tasks)-1].Start
			latest = min(latest, start)
		}
		for ; start <= latest && *p.budget > 0; start++ {
			now.busy[n] = busy | (1<<m.times[n]-1)<<start
			now.peak[n] = max(peak, kept)
			now.tasks = append(now.tasks, instance.Task{Job: id, Iteration: i, GPU: g, Depth: m.depths[n], Start: start, End: start + m.times[n]})
			placeTask(i, n+1, m, ready, max(end, start+m.times[n]), first || start == 0)
			now.tasks = now.tasks[:len(now.tasks)-1]
		}
		now.busy[n], now.peak[n] = busy, peak
	}
	placeSync = func(i int, m *mode, end instance.Tick) {
		if !job.HasSync() {
			iterate(i+1, end)
			return
		}
		for _, y := range m.syncs {
			for start := end; start+y.length <= period; start++ {
				for t := start; t < start+y.length; t++ {
					now.speed[t] = y.rate
				}
				now.syncs = append(now.syncs, instance.Sync{Job: id, Iteration: i, Start: start, End: start + y.length, Rate: y.level})
				iterate(i+1, start+y.length)
				now.syncs = now.syncs[:len(now.syncs)-1]
				for t := start; t < start+y.length; t++ {
					now.speed[t] = 0
				}
			}
		}
	}
	iterate(1, 0)

	// A routine can only be within one that takes at least as much in sum.
	slices.SortStableFunc(list, func(a, b routine) int { return cmp.Compare(a.ticks(), b.ticks()) })
	var kept []routine
	for i := range list {
		*p.budget -= len(kept) / 64
		if !slices.ContainsFunc(kept, func(r routine) bool { return r.within(&list[i]) }) {
			kept = append(kept, list[i])
		}
	}
	return kept
}

// feasible returns a valid schedule of the candidate, nil if there is none or
// the budget ran out.
func (p *periodic) feasible(c candidate) *instance.Schedule {
	in := p.in
	f := fitting{periodic: p, period: c.period,
		busy: make([]uint64, len(in.GPUs)), persistent: make([]instance.Bytes, len(in.GPUs)),
		peak: make([]instance.Bytes, len(in.GPUs)), load: make([][]instance.Rate, len(in.Links)),
		chosen: make([]*routine, len(in.Jobs)), rotation: make([]instance.Tick, len(in.Jobs))}
	for l := range f.load {
		f.load[l] = make([]instance.Rate, c.period)
	}
	options := make([][]routine, len(in.Jobs))
	for j, n := range c.iterations {
		if n > 0 {
			options[j] = p.routines(instance.JobID(j), c.period, n)
			if len(options[j]) == 0 || *p.budget <= 0 {
				return nil
			}
			f.order = append(f.order, instance.JobID(j))
		}
	}
	slices.SortStableFunc(f.order, func(a, b instance.JobID) int { return cmp.Compare(len(options[a]), len(options[b])) })
	f.options = options
	if !f.fit(0) {
		return nil
	}
	s := &instance.Schedule{Period: c.period, Residency: make([][]instance.GPUID, len(in.Jobs))}
	for j, r := range f.chosen {
		if r == nil {
			continue
		}
		s.Residency[j] = slices.Clone(r.home.gpus)
		tasks, syncs := len(s.Tasks), len(s.Syncs)
		s.Tasks, s.Syncs = append(s.Tasks, r.tasks...), append(s.Syncs, r.syncs...)
		instance.Shift(s.Tasks[tasks:], s.Syncs[syncs:], f.rotation[j])
	}
	return s
}

// fitting seeks one routine and rotation for each job that fit together.
type fitting struct {
	*periodic
	period   instance.Tick
	order    []instance.JobID
	options  [][]routine // by job
	chosen   []*routine  // by job
	rotation []instance.Tick

	busy             []uint64 // by GPU
	persistent, peak []instance.Bytes
	load             [][]instance.Rate // by link and tick
}

func (f *fitting) fit(n int) bool {
	if n == len(f.order) {
		return true
	}
	id := f.order[n]
	for i := range f.options[id] {
		r := &f.options[id][i]
		rotations := f.period
		if n == 0 {
			if !f.in.Grouped() && !leading(f.in, r.home.gpus) {
				continue
			}
			rotations = 1
		}
		for by := range rotations {
			if *f.budget--; *f.budget <= 0 {
				return false
			}
			if !f.fits(id, r, by) {
				continue
			}
			busy, peak := slices.Clone(f.busy), slices.Clone(f.peak)
			f.chosen[id], f.rotation[id] = r, by
			f.add(id, r, by, 1)
			if f.fit(n + 1) {
				return true
			}
			f.add(id, r, by, -1)
			f.chosen[id] = nil
			f.busy, f.peak = busy, peak
		}
	}
	return false
}

// leading reports whether the GPUs are the first ones of each of their nodes.
func leading(in *instance.Instance, gpus []instance.GPUID) bool {
	for i, g := range gpus {
		first := in.Nodes[in.GPUs[g].Node].FirstGPU
		if g != first && (i == 0 || gpus[i-1] != g-1) {
			return false
		}
	}
	return true
}

// rotate shifts ticks modulo the period.
func (f *fitting) rotate(ticks uint64, by instance.Tick) uint64 {
	all := uint64(1)<<f.period - 1 // 1<<64 is 0 in Go, so this holds for 64 too
	return (ticks<<by | ticks>>(f.period-by)) & all
}

func (f *fitting) fits(id instance.JobID, r *routine, by instance.Tick) bool {
	for n, g := range r.home.gpus {
		if f.busy[g]&f.rotate(r.busy[n], by) != 0 {
			return false
		}
		t := f.in.GPUs[g].Type
		if f.persistent[g]+f.in.Jobs[id].On[t].Persistent+max(f.peak[g], r.peak[n]) > f.in.Types[t].Memory {
			return false
		}
	}
	for t, v := range r.speed {
		if v == 0 {
			continue
		}
		at := (instance.Tick(t) + by) % f.period
		for _, u := range r.home.span.Uses {
			if f.load[u.Link][at]+v*instance.Rate(u.Times) > f.in.Capacity(u.Link) {
				return false
			}
		}
	}
	return true
}

// add takes (sign 1) or gives back (-1) what a routine uses; the caller
// restores busy and peak.
func (f *fitting) add(id instance.JobID, r *routine, by instance.Tick, sign int) {
	addPersistent(f.in, id, r.home.gpus, f.persistent, instance.Bytes(sign))
	for n, g := range r.home.gpus {
		f.busy[g] |= f.rotate(r.busy[n], by)
		f.peak[g] = max(f.peak[g], r.peak[n])
	}
	for t, v := range r.speed {
		at := (instance.Tick(t) + by) % f.period
		for _, u := range r.home.span.Uses {
			f.load[u.Link][at] += instance.Rate(sign) * v * instance.Rate(u.Times)
		}
	}
}
