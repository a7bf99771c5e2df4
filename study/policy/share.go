package policy

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"jigsaw/study/replay"
)

// sharing forms groups when the active jobs request more GPUs than there are.
type sharing struct {
	share int
	// together returns the sum of the speeds of jobs that share GPUs of a type, each
	// relative to running alone, without interference.
	together func(w *replay.Workload, jobs []int, kind int) float64

	known map[string]float64 // of groups, by their classes
}

// party is a group being formed.
type party struct {
	jobs []int
	rank int // of its most urgent job
}

// mix is the set of groups of one size whose jobs have the same classes, by
// urgency.
type mix struct {
	classes string // ascending
	speed   float64
	parties []party
}

// groups turns jobs in order of urgency into groups in order of urgency.
//
// As in Muri, jobs are admitted by urgency: whenever there is room for one, up to
// share jobs with the same number of GPUs are admitted with it. Then, as long as
// the admitted jobs request more GPUs than there are, groups of a size are merged
// where that loses the least speed. If no two should be merged, the least urgent
// ones wait.
func (p *sharing) groups(s *replay.State, order []int) []replay.Group {
	capacity := s.Cluster.Total()
	demand := 0
	for _, i := range order {
		demand += s.ClassOf(i).GPUs
	}
	if demand <= capacity || p.share == 1 {
		return alone(order)
	}
	sizes := p.admit(s, order, capacity)
	demand = 0
	for size, mixes := range sizes {
		for _, m := range mixes {
			demand += size * len(m.parties)
		}
	}
	for demand > capacity {
		freed := p.merge(s, sizes, demand-capacity)
		if freed == 0 {
			break
		}
		demand -= freed
	}
	var all []party
	for _, size := range slices.Sorted(maps.Keys(sizes)) {
		for _, m := range sizes[size] {
			all = append(all, m.parties...)
		}
	}
	slices.SortFunc(all, byRank)
	groups := make([]replay.Group, len(all))
	for k, q := range all {
		groups[k] = replay.Group{Jobs: q.jobs, Type: replay.AnyType}
	}
	return groups
}

func newSharing(o Options, together func(*replay.Workload, []int, int) float64) *sharing {
	return &sharing{share: o.Share, together: together, known: map[string]float64{}}
}

func byRank(a, b party) int { return cmp.Compare(a.rank, b.rank) }

// admit admits jobs, by size, as groups of one.
func (p *sharing) admit(s *replay.State, order []int, capacity int) map[int][]*mix {
	waiting := map[int][]party{}
	smallest := math.MaxInt
	for rank, i := range order {
		size := s.ClassOf(i).GPUs
		smallest = min(smallest, size)
		waiting[size] = append(waiting[size], party{order[rank : rank+1 : rank+1], rank})
	}
	in := make([]bool, len(order))
	var admitted []party
	for rank, i := range order {
		size := s.ClassOf(i).GPUs
		if in[rank] || size > capacity {
			continue
		}
		n := min(p.share, len(waiting[size]))
		for _, q := range waiting[size][:n] {
			in[q.rank] = true
			admitted = append(admitted, q)
		}
		waiting[size] = waiting[size][n:]
		if capacity -= size; capacity < smallest {
			break
		}
	}
	sizes := map[int][]*mix{}
	for _, q := range admitted {
		size := s.ClassOf(q.jobs[0]).GPUs
		sizes[size] = p.join(s, sizes[size], q)
	}
	return sizes
}

// join adds a group to its mix.
func (p *sharing) join(s *replay.State, mixes []*mix, q party) []*mix {
	classes := signature(s, q.jobs)
	k := slices.IndexFunc(mixes, func(m *mix) bool { return m.classes == classes })
	if k < 0 {
		k = len(mixes)
		mixes = append(mixes, &mix{classes: classes, speed: p.speed(s, q.jobs)})
	}
	m := mixes[k]
	at, _ := slices.BinarySearchFunc(m.parties, q, byRank)
	m.parties = slices.Insert(m.parties, at, q)
	return mixes
}

// merge merges groups of the two mixes that lose the least, the most urgent first,
// until the needed number of GPUs is free, and returns how many are.
func (p *sharing) merge(s *replay.State, sizes map[int][]*mix, need int) (freed int) {
	best, size := math.Inf(-1), 0
	var one, other *mix
	for _, n := range slices.Sorted(maps.Keys(sizes)) {
		mixes := sizes[n]
		for a, m := range mixes {
			for _, o := range mixes[a:] {
				if len(m.parties) == 0 || len(o.parties) == 0 || m == o && len(m.parties) < 2 ||
					len(m.parties[0].jobs)+len(o.parties[0].jobs) > p.share {
					continue
				}
				if gain := p.gain(s, m, o); gain > best {
					best, size, one, other = gain, n, m, o
				}
			}
		}
	}
	if one == nil {
		return 0
	}
	// Merged groups are removed first: the new groups may belong to one of these mixes.
	var joined []party
	for freed < need && len(one.parties) > 0 && len(other.parties) > 0 && (one != other || len(one.parties) > 1) {
		a := one.parties[0]
		one.parties = one.parties[1:]
		b := other.parties[0]
		other.parties = other.parties[1:]
		if b.rank < a.rank {
			a, b = b, a
		}
		joined = append(joined, party{slices.Concat(a.jobs, b.jobs), a.rank})
		freed += size
	}
	for _, q := range joined {
		sizes[size] = p.join(s, sizes[size], q)
	}
	return freed
}

// gain is the gain if two groups, each on GPUs of its own, share those of one of
// them: their joint speed, minus the sum of their speeds apart, plus 1 for the
// freed GPUs, which another job can use alone.
func (p *sharing) gain(s *replay.State, a, b *mix) float64 {
	return p.speed(s, slices.Concat(a.parties[0].jobs, b.parties[0].jobs)) - a.speed - b.speed + 1
}

// speed returns the joint speed of jobs; -Inf if there are no GPUs of a type that
// suits them all.
func (p *sharing) speed(s *replay.State, jobs []int) float64 {
	classes := signature(s, jobs)
	v, ok := p.known[classes]
	if !ok {
		v = math.Inf(-1)
		if kind := fastestType(s, jobs); kind >= 0 {
			v = p.together(s.Workload, jobs, kind) / s.Slowdown(len(jobs))
		}
		p.known[classes] = v
	}
	return v
}

// signature is the classes of jobs, in order, as a key.
func signature(s *replay.State, jobs []int) string {
	classes := make([]int, len(jobs))
	for k, i := range jobs {
		classes[k] = s.Jobs[i].Class
	}
	slices.Sort(classes)
	key := make([]byte, 0, 4*len(classes))
	for _, c := range classes {
		key = append(key, byte(c), byte(c>>8), byte(c>>16), byte(c>>24))
	}
	return string(key)
}

// fastestType is the type, among those that suit all jobs, that is fastest for the
// first; -1 if there is none.
func fastestType(s *replay.State, jobs []int) int {
	best := -1
	lengths := s.ClassOf(jobs[0]).Iteration
	for t, length := range lengths {
		if s.Suits(t, jobs...) && (best < 0 || length < lengths[best]) {
			best = t
		}
	}
	return best
}
