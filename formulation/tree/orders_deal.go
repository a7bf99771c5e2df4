package tree

import (
	"jigsaw/formulation/relax/orders"
	"slices"
)

// deals tells, for a job, what is left to deal to the workers that have not begun an
// iteration, by what has been dealt to the others.
type deals struct {
	*orders.PlacedJob
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

func newDeals(job *orders.PlacedJob) *deals {
	s := &deals{PlacedJob: job, ordered: slices.IsSorted(job.Fastest), known: map[string]*deal{}, easier: map[[2]*deal]bool{}}
	for w := range job.Time {
		s.ordered = s.ordered && slices.IsSorted(job.Time[w]) && job.Depths[w]&(job.Depths[w]+1) == 0
	}
	s.fresh = s.at(make([]int16, len(job.Job.Depths)))
	return s
}

// at returns what is left where so many workers have begun with each depth.
func (s *deals) at(dealt []int16) *deal {
	dealt = dealt[:len(s.Job.Depths)]
	s.key = s.key[:0]
	for _, n := range dealt {
		s.key = append(s.key, byte(n), byte(n>>8))
	}
	d := s.known[string(s.key)]
	if d == nil {
		d = &deal{}
		s.known[string(s.key)] = d
		for i := range s.Multisets {
			if within(dealt, s.Multisets[i].Counts) {
				d.add(s.PlacedJob, i, dealt)
			}
		}
	}
	return d
}

// within reports whether a multiset has as many of each depth.
func within(dealt []int16, counts []int) bool {
	for d, n := range counts {
		if int(dealt[d]) > n {
			return false
		}
	}
	return true
}

// add adds what is left of a multiset.
func (d *deal) add(job *orders.PlacedJob, multiset int, dealt []int16) {
	r := rest{pause: job.Pause[multiset]}
	for depth, n := range job.Multisets[multiset].Counts {
		for range n - int(dealt[depth]) {
			r.depths = append(r.depths, depth)
		}
	}
	d.rests = append(d.rests, r)
	sum := int64(0)
	for n := range len(r.depths) + 1 {
		if n > 0 {
			sum += job.Fastest[r.depths[n-1]]
		}
		if n == len(d.work) {
			d.work = append(d.work, sum)
		}
		d.work[n] = min(d.work[n], sum)
	}
}

// dominates reports whether what is left after a deal to some workers is no more than
// after another deal to as many, whatever that goes on with.
func (s *deals) dominates(a, b []int16) bool {
	n := len(s.Job.Depths)
	a, b = a[:n], b[:n]
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
