package formulation

import "slices"

// deals tells, for a job, what is left to deal to the workers that have not begun an
// iteration, by what has been dealt to the others.
type deals struct {
	depths int
	// ordered: shallower tasks are never longer, and fit wherever deeper ones do. Then
	// the deeper the tasks that have begun, the better for the others.
	ordered bool
	fresh   *deal // where nothing has been dealt
	known   map[string]*deal
	easier  map[[2]*deal]bool
	key     []byte
}

// deal is what is left to deal.
type deal struct {
	rests []rest
	work  []int64 // by number of workers: ticks of the shortest tasks of so many, at the least
}

// rest is a way to go on: the depths of the workers that have not begun, ascending, and
// the ticks of the synchronisation.
type rest struct {
	depths []int
	pause  int64
}

func newDeals(job *sequenced) *deals {
	s := &deals{depths: len(job.job.Depths), ordered: true, known: map[string]*deal{}, easier: map[[2]*deal]bool{}}
	for w := range job.time {
		s.ordered = s.ordered && slices.IsSorted(job.time[w]) && job.depths[w]&(job.depths[w]+1) == 0
	}
	dealt := make([]int16, s.depths)
	for i, dish := range job.dishes {
		var add func(depth int)
		add = func(depth int) {
			if depth == s.depths {
				s.add(job, i, dealt)
				return
			}
			for n := range dish.counts[depth] + 1 {
				dealt[depth] = int16(n)
				add(depth + 1)
			}
			dealt[depth] = 0
		}
		add(0)
	}
	s.fresh = s.at(dealt)
	return s
}

// add adds what is left of a dish.
func (s *deals) add(job *sequenced, dish int, dealt []int16) {
	r := rest{pause: job.pause[dish]}
	for depth, n := range job.dishes[dish].counts {
		for range n - int(dealt[depth]) {
			r.depths = append(r.depths, depth)
		}
	}
	at := s.at(dealt)
	if at == nil {
		at = &deal{}
		s.known[string(s.key)] = at
	}
	at.rests = append(at.rests, r)
	sum := int64(0)
	for n := range len(r.depths) + 1 {
		if n > 0 {
			sum += job.fastest[r.depths[n-1]]
		}
		if n == len(at.work) {
			at.work = append(at.work, sum)
		}
		at.work[n] = min(at.work[n], sum)
	}
}

// at returns what is left where so many workers have begun with each depth.
func (s *deals) at(dealt []int16) *deal {
	s.key = s.key[:0]
	for _, n := range dealt[:s.depths] {
		s.key = append(s.key, byte(n))
	}
	return s.known[string(s.key)]
}

// dominates reports whether what is left after a deal to some workers is no more than
// after another deal to as many, whatever that goes on with.
func (s *deals) dominates(a, b []int16) bool {
	a, b = a[:s.depths], b[:s.depths]
	if slices.Equal(a, b) {
		return true
	}
	if !s.ordered {
		return false
	}
	pair := [2]*deal{s.at(a), s.at(b)}
	easier, ok := s.easier[pair]
	if !ok {
		easier = !slices.ContainsFunc(pair[1].rests, func(y rest) bool {
			return !slices.ContainsFunc(pair[0].rests, func(x rest) bool { return x.dominates(y) })
		})
		s.easier[pair] = easier
	}
	return easier
}

func (r rest) dominates(o rest) bool {
	if r.pause > o.pause || len(r.depths) != len(o.depths) {
		return false
	}
	for i, d := range r.depths {
		if d > o.depths[i] {
			return false
		}
	}
	return true
}
