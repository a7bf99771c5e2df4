package assign

import (
	"slices"

	"jigsaw/formulation/instance"
)

// draft is a change that is looked at: moves, and what they do to the terms.
type draft struct {
	moves   []move
	jobs    []int32 // that move and have terms of their own
	spans   []instance.Span
	touched []int32 // terms
	diff    []int64 // per term
	seen    []uint32
	stamp   uint32
	home    []int32
}

// move of a worker between GPUs.
type move struct{ worker, from, to int32 }

func (d *draft) begin(terms int) { d.diff, d.seen = make([]int64, terms), make([]uint32, terms) }

// add changes a term.
func (d *draft) add(i int32, ticks int64) {
	if d.seen[i] != d.stamp {
		d.seen[i], d.diff[i] = d.stamp, 0
		d.touched = append(d.touched, i)
	}
	d.diff[i] += ticks
}

// draw fills in the moves of a random change, and reports whether there is one.
func (s *Search) draw() bool {
	s.moves = s.moves[:0]
	a := s.worker()
	if j := s.owner[a]; s.first[j+1]-s.first[j] > 1 {
		switch s.rng.IntN(4) {
		case 0:
			return s.moveJob(j)
		case 1:
			return s.exchange(j)
		}
	}
	return s.moveWorker(a)
}

// worker draws a worker, of loaded GPUs more often.
func (s *Search) worker() int32 {
	a := int32(s.rng.IntN(len(s.gpu)))
	if s.rng.IntN(2) == 0 {
		if g := s.rng.IntN(len(s.residents)); s.terms[g] > s.terms[s.gpu[a]] && len(s.residents[g]) > 0 {
			return s.residents[g][s.rng.IntN(len(s.residents[g]))]
		}
	}
	return a
}

// goal draws a GPU for a worker: of its job's good types, the better ones more often, or
// in a node where its job lives.
func (s *Search) goal(w int32) int32 {
	j := s.owner[w]
	if n := s.first[j+1] - s.first[j]; n > 1 && s.rng.IntN(2) == 0 {
		node := &s.in.Nodes[s.in.GPUs[s.gpu[s.first[j]+s.rng.Int32N(n)]].Node]
		return int32(node.FirstGPU) + int32(s.rng.IntN(node.GPUs))
	}
	u := s.rng.Float64()
	list := s.gpus[s.good[j][int(u*u*float64(len(s.good[j])))]]
	g := list[0]
	if len(list) > 1 {
		g = list[s.rng.IntN(len(list))]
		if s.rng.IntN(2) == 0 {
			if o := list[s.rng.IntN(len(list))]; s.terms[o] < s.terms[g] {
				g = o
			}
		}
	}
	return g
}

// moveWorker moves a worker, who may eject another.
func (s *Search) moveWorker(a int32) bool {
	from, to := s.gpu[a], s.goal(a)
	if to == from {
		return false
	}
	s.moves = append(s.moves, move{a, from, to})
	if s.rng.IntN(2) == 0 || len(s.residents[to]) == 0 {
		return true
	}
	b := s.residents[to][s.rng.IntN(len(s.residents[to]))]
	goal := from
	if s.rng.IntN(2) == 0 {
		goal = s.goal(b)
	}
	if s.owner[a] == s.owner[b] || goal == to {
		return false
	}
	s.moves = append(s.moves, move{b, to, goal})
	return true
}

// moveJob moves all workers of a job to a run of GPUs that begins at a multiple of the
// greatest power of two in their number, so that such homes nest.
func (s *Search) moveJob(j int32) bool {
	k := s.in.Jobs[j].Workers
	apart := k & -k
	at := min(int(s.goal(s.first[j]))/apart*apart, len(s.in.GPUs)-k)
	for n := range k {
		w, to := s.first[j]+int32(n), int32(at+n)
		if s.gpu[w] != to {
			s.moves = append(s.moves, move{w, s.gpu[w], to})
		}
	}
	return len(s.moves) > 0
}

// exchange swaps the home of a job with that of another of as many workers.
func (s *Search) exchange(j int32) bool {
	o := s.owner[s.rng.IntN(len(s.owner))]
	k := s.in.Jobs[j].Workers
	if o == j || s.in.Jobs[o].Workers != k {
		return false
	}
	for n := range int32(k) {
		a, b := s.first[j]+n, s.first[o]+n
		if s.gpu[a] != s.gpu[b] {
			s.moves = append(s.moves, move{a, s.gpu[a], s.gpu[b]}, move{b, s.gpu[b], s.gpu[a]})
		}
	}
	return len(s.moves) > 0
}

// weigh works out what the moves do to the terms, and reports whether they are legal.
func (s *Search) weigh() bool {
	s.stamp++
	s.touched, s.jobs, s.spans = s.touched[:0], s.jobs[:0], s.spans[:0]
	for _, m := range s.moves {
		j := s.owner[m.worker]
		row := s.row(int(j))
		work := row[s.kind[m.to]]
		if work < 0 {
			return false
		}
		s.add(m.from, -row[s.kind[m.from]])
		s.add(m.to, work)
		if !s.held[j] && !slices.Contains(s.jobs, j) {
			s.jobs = append(s.jobs, j)
		}
	}
	if s.tight && !s.fits() {
		return false
	}
	for _, j := range s.jobs {
		if !s.rehome(j) {
			return false
		}
	}
	return true
}

// rehome adds what the moves of a job do to its chain and to links, and reports whether
// rule 1 holds.
func (s *Search) rehome(j int32) bool {
	first, last := s.first[j], s.first[j+1]
	s.home = append(s.home[:0], s.gpu[first:last]...)
	for _, m := range s.moves {
		if m.worker >= first && m.worker < last {
			s.home[m.worker-first] = m.to
		}
	}
	if !s.legal(j) {
		return false
	}
	ids := make([]instance.GPUID, 0, 64)
	for _, g := range s.home {
		ids = append(ids, instance.GPUID(g))
	}
	span, ok := s.in.SpanOf(&s.in.Jobs[j], ids)
	if !ok {
		return false
	}
	s.spans = append(s.spans, span)
	gpus, jobs := int32(len(s.in.GPUs)), int32(len(s.in.Jobs))
	s.add(gpus+j, s.chain(j, s.home, &span)-s.terms[gpus+j])
	s.traffic(j, &s.span[j], func(l instance.LinkID, ticks int64) { s.add(gpus+jobs+int32(l), -ticks) })
	s.traffic(j, &span, func(l instance.LinkID, ticks int64) { s.add(gpus+jobs+int32(l), ticks) })
	return true
}

// legal reports whether job j may live on the GPUs of home, memory aside.
func (s *Search) legal(j int32) bool {
	job := &s.in.Jobs[j]
	first := s.in.GPUs[s.home[0]].Node
	for n, g := range s.home {
		node := s.in.GPUs[g].Node
		if slices.Contains(s.home[:n], g) || job.Within == instance.WithinNode && node != first ||
			job.Within == instance.WithinRack && s.in.Nodes[node].Rack != s.in.Nodes[first].Rack {
			return false
		}
	}
	return true
}

// chain of a job in a home.
func (s *Search) chain(j int32, home []int32, span *instance.Span) int64 {
	job := &s.in.Jobs[j]
	longest := instance.Tick(0)
	for _, g := range home {
		longest = max(longest, job.On[s.in.GPUs[g].Type].Time[job.Full()])
	}
	if job.HasSync() {
		longest += s.sync(j, span)
	}
	return int64(job.Release) + int64(job.Iterations)*int64(longest)
}

// sync is the length of a synchronisation at the highest rate.
func (s *Search) sync(j int32, span *instance.Span) instance.Tick {
	return s.in.SyncTicks(s.in.Jobs[j].Volume(s.counts[j], span.Parties), span.Rate(s.in.RateLevels[0]))
}

// traffic tells of the links that the synchronisations of a job use, and for how many
// ticks they would fill them.
func (s *Search) traffic(j int32, span *instance.Span, each func(instance.LinkID, int64)) {
	if !s.in.Jobs[j].HasSync() {
		return
	}
	sync, rate := int64(s.sync(j, span)), int64(span.Rate(s.in.RateLevels[0]))
	for _, u := range span.Uses {
		// Speeds are below 2^57; parts per 1024 keep the product in range.
		part := min(1024, rate*int64(u.Times)/max(1, int64(s.in.Links[u.Link].Capacity)/1024))
		each(u.Link, int64(s.in.Jobs[j].Iterations)*((sync*part+1023)/1024))
	}
}

// memoryBinds reports whether rule 7 could ever be broken.
func (s *Search) memoryBinds() bool {
	for t := range s.in.Types {
		persistent, ephemeral := instance.Bytes(0), instance.Bytes(0)
		for j := range s.in.Jobs {
			if job := &s.in.Jobs[j]; s.row(j)[t] >= 0 {
				persistent += job.On[t].Persistent
				ephemeral = max(ephemeral, job.On[t].Ephemeral[job.Full()])
			}
		}
		if persistent+ephemeral > s.in.Types[t].Memory {
			return true
		}
	}
	return false
}

// fits reports whether rule 7 holds after the moves.
func (s *Search) fits() bool {
	for _, m := range s.moves {
		t := s.in.GPUs[m.to].Type
		persistent, ephemeral := instance.Bytes(0), instance.Bytes(0)
		count := func(w int32) {
			costs := s.in.Jobs[s.owner[w]].On[t]
			persistent += costs.Persistent
			ephemeral = max(ephemeral, costs.Ephemeral[s.limit[w]])
		}
		for _, w := range s.residents[m.to] {
			if !slices.ContainsFunc(s.moves, func(o move) bool { return o.worker == w }) {
				count(w)
			}
		}
		for _, o := range s.moves {
			if o.to == m.to {
				count(o.worker)
			}
		}
		if persistent+ephemeral > s.in.Types[t].Memory {
			return false
		}
	}
	return true
}
