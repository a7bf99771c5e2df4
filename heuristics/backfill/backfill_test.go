package backfill

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
)

// machines is a cluster of identical machines, of which a job takes the first free ones. A site is a set of them, one
// bit each.
type machines struct {
	free    uint
	wide    []int
	lengths []instance.Tick
}

func (m *machines) Full() bool                                     { return m.free == 0 }
func (m *machines) Like(j instance.JobID) int                      { return m.wide[j] }
func (m *machines) Length(j instance.JobID, _ *uint) instance.Tick { return m.lengths[j] }
func (m *machines) Find(j instance.JobID) *uint                    { return first(m.free, m.wide[j]) }
func (m *machines) Beside(site *uint, j instance.JobID) *uint {
	return first(m.free&^*site, m.wide[j])
}

func (m *machines) Take(site *uint, free bool) {
	if free {
		m.free |= *site
	} else {
		m.free &^= *site
	}
}

// first returns the first n of a set; nil: there are fewer.
func first(of uint, n int) *uint {
	site := uint(0)
	for ; n > 0; n-- {
		if of == 0 {
			return nil
		}
		site |= of & -of
		of &= of - 1
	}
	return &site
}

// run queues all jobs, which arrive in order, and returns when each starts.
func (m *machines) run(t *testing.T, arrive []instance.Tick) []instance.Tick {
	q := &Queue[uint]{Cluster: m, Steady: true}
	starts := make([]instance.Tick, len(m.wide))
	for j := range m.wide {
		q.Rank = append(q.Rank, j)
	}
	for now, next := instance.Tick(0), 0; next < len(arrive) || len(q.Working) > 0; now++ {
		for len(q.Working) > 0 && q.Working[0].End == now {
			q.End(q.Working[0].Job)
		}
		for ; next < len(arrive) && arrive[next] == now; next++ {
			q.Arrive(instance.JobID(next))
		}
		q.Admit(now, func(s Stint[uint]) { starts[s.Job] = s.Start })
	}
	assert.Empty(t, q.Waiting)
	return starts
}

// TestBackfill is worked out by hand: of four machines the head, job 1, needs all, which it has once job 0 ends at 10.
// Job 3, of 10 ticks, starts before it, and job 4, but not job 2, of 11.
func TestBackfill(t *testing.T) {
	m := &machines{free: 0b1111, wide: []int{2, 4, 1, 1, 1}, lengths: []instance.Tick{10, 5, 11, 10, 2}}
	assert.Equal(t, []instance.Tick{0, 10, 15, 0, 0}, m.run(t, make([]instance.Tick, 5)))
}

// TestBeside is worked out by hand: the head, job 2, waits for two of the machines that job 0 leaves at 5 and one that
// is free. So job 3, however long, may have the other one, but job 4 may not start before.
func TestBeside(t *testing.T) {
	m := &machines{free: 0b11111, wide: []int{2, 1, 3, 1, 1}, lengths: []instance.Tick{5, 9, 4, 20, 20}}
	assert.Equal(t, []instance.Tick{0, 0, 5, 0, 9}, m.run(t, make([]instance.Tick, 5)))
}

// TestTogether is worked out by hand: jobs 0 and 1 both end at 5, so the head, job 2, gets their machines then, and job
// 3, however long, the one that is free now.
func TestTogether(t *testing.T) {
	m := &machines{free: 0b111, wide: []int{1, 1, 2, 1}, lengths: []instance.Tick{5, 5, 4, 20}}
	assert.Equal(t, []instance.Tick{0, 0, 5, 0}, m.run(t, make([]instance.Tick, 4)))
}

// TestQueue compares the queue with the plain definition, tick by tick.
func TestQueue(t *testing.T) {
	passed := 0
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 0))
		size := 2 + rng.IntN(6)
		m := &machines{free: 1<<size - 1}
		arrive := make([]instance.Tick, 3+rng.IntN(12))
		for j := range arrive {
			m.wide = append(m.wide, 1+rng.IntN(size))
			m.lengths = append(m.lengths, instance.Tick(1+rng.IntN(9)))
			arrive[j] = instance.Tick(rng.IntN(12))
		}
		slices.Sort(arrive)
		want := defined(m.free, m.wide, m.lengths, arrive)
		require.Equal(t, want, m.run(t, arrive), "seed %d", seed)
		if !slices.IsSorted(want) {
			passed++
		}
	}
	assert.Greater(t, passed, 100, "jobs that start before earlier ones")
}

// defined is the queue without optimisations.
func defined(all uint, wide []int, lengths, arrive []instance.Tick) []instance.Tick {
	starts, sites := make([]instance.Tick, len(wide)), make([]*uint, len(wide))
	free := func(at instance.Tick) uint { // after those that have started
		left := all
		for j, site := range sites {
			if site != nil && at < starts[j]+lengths[j] {
				left &^= *site
			}
		}
		return left
	}
	byEnd := func(now instance.Tick) (list []int) { // the running jobs
		for j, site := range sites {
			if site != nil && now < starts[j]+lengths[j] {
				list = append(list, j)
			}
		}
		slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(starts[a]+lengths[a], starts[b]+lengths[b]) })
		return list
	}
	known, turn, reserved := -1, instance.Tick(0), (*uint)(nil)
	for now := instance.Tick(0); slices.Contains(sites, nil); now++ {
		head := -1
		for j := range wide {
			if sites[j] != nil || arrive[j] > now {
				continue
			}
			site := first(free(now), wide[j])
			switch {
			case head < 0 && site == nil:
				if head = j; known != head { // it waits for as few jobs as possible, the first to end
					known, reserved = head, nil
					left := free(now)
					for _, i := range byEnd(now) {
						if reserved != nil && starts[i]+lengths[i] > turn {
							break
						}
						left |= *sites[i]
						if reserved = first(left, wide[j]); reserved != nil {
							turn = starts[i] + lengths[i]
						}
					}
				}
				continue
			case head >= 0 && site != nil && now+lengths[j] > turn:
				site = first(free(now)&^*reserved, wide[j])
			}
			if site != nil {
				starts[j], sites[j] = now, site
			}
		}
	}
	return starts
}
