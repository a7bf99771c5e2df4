package sequence

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
	"jigsaw/formulation/instance/instancetest"
	"jigsaw/heuristics/heuristicstest"
	"jigsaw/heuristics/list"
	"jigsaw/heuristics/placement"
	"jigsaw/heuristics/state"
)

// plainStarts decodes a sequence in the simplest way: one operation after the
// other from the beginning, with the load of each link tick by tick.
func plainStarts(q *sequence) []instance.Tick {
	in := q.In
	start := make([]instance.Tick, len(q.list))
	free := make([]instance.Tick, len(in.GPUs))
	ready := make([]instance.Tick, len(in.Jobs))
	ends := make([]instance.Tick, len(in.Jobs))
	begun := map[[2]int32]bool{} // iterations of gangs that have been placed
	load := make([]map[instance.Tick]instance.Rate, len(in.Links))
	for l := range load {
		load[l] = map[instance.Tick]instance.Rate{}
	}
	for j := range ready {
		ready[j] = in.Jobs[j].Release
	}
	for _, op := range q.list {
		j, i := q.Job[op], q.Iteration[op]
		job := &in.Jobs[j]
		if int(op) < q.Tasks {
			first := q.TaskAt[j] + int(i)*job.Workers
			together := []int{int(op)}
			if job.Gang && job.Workers > 1 {
				if begun[[2]int32{j, i}] {
					continue
				}
				begun[[2]int32{j, i}] = true
				together = nil
				for n := range job.Workers {
					together = append(together, first+n)
				}
			}
			at := ready[j]
			for _, t := range together {
				at = max(at, free[q.gpu[q.Slot[t]]])
			}
			for _, t := range together {
				start[t] = at
				free[q.gpu[q.Slot[t]]] = at + q.ticks[t]
				ends[j] = max(ends[j], at+q.ticks[t])
			}
			if job.Workers == 1 {
				ready[j], ends[j] = ends[j], 0
			}
			continue
		}
		y := int(op) - q.Tasks
		net := &q.nets[j]
		best, bestEnd, bestRate := ends[j], instance.Tick(math.MaxInt64), instance.Rate(0)
		for _, level := range net.levels[q.kind[y]][q.level[y]:] {
			length, rate := level.Length, level.Rate
			at := ends[j]
			for fits := false; !fits; {
				fits = true
				for t := at; t < at+length && fits; t++ {
					for _, u := range net.span.Uses {
						if load[u.Link][t]+rate*instance.Rate(u.Times) > in.Capacity(u.Link) {
							fits = false
						}
					}
				}
				if !fits {
					at++
				}
			}
			if at+length < bestEnd {
				best, bestEnd, bestRate = at, at+length, rate
			}
		}
		for t := best; t < bestEnd; t++ {
			for _, u := range net.span.Uses {
				load[u.Link][t] += bestRate * instance.Rate(u.Times)
			}
		}
		start[op], ready[j], ends[j] = best, bestEnd, 0
	}
	return start
}

// TestSequenceDecode changes sequences at random and compares the decoder,
// which starts at checkpoints, with the simplest one; and checks that undone
// changes leave no trace.
func TestSequenceDecode(t *testing.T) {
	seeds := instancetest.Many(uint64(200), 8)
	var kinds [moveKinds]int
	for seed := range seeds {
		in := instancetest.Random(heuristicstest.Source(seed), instancetest.Options{Objective: heuristicstest.Finite(seed)})
		if seed%10 == 0 {
			m := heuristicstest.Mediums()[[]string{"gangs", "thin", "plain"}[seed/10%3]]
			m.Jobs, m.Iterations = 8, 4
			in = m.Instance(t, seed)
		}
		s, err := list.Greedy(t.Context(), state.Options{}, in, heuristicstest.Source(seed))
		if err != nil {
			continue
		}
		o := state.NewOperations(in)
		l := &lane{decoder: newSequenceDecoder(o)}
		l.decoder.apart = 1 // checkpoints wherever possible
		l.rng = heuristicstest.Source(seed)
		l.load(newSequence(o, choicesOf(in), s))
		require.False(t, in.Objective.Better(in.Value(s), in.Value(l.schedule())), "seed %d: decoding in order of starts loses nothing", seed)
		for range 100 {
			before := slices.Clone(l.list)
			gpu, depth, ticks, load := slices.Clone(l.gpu), slices.Clone(l.depth), slices.Clone(l.ticks), slices.Clone(l.sequence.load)
			level := slices.Clone(l.level)
			l.begin()
			kind := l.rng.IntN(moveKinds)
			if l.draw(kind) && l.rng.IntN(2) == 0 {
				kinds[kind]++
				energy, ok := l.decoder.decode(l.sequence, l.from, math.Inf(1))
				require.True(t, ok)
				l.decoder.accept(l.sequence, energy)
				l.fresh = false
				require.Equal(t, plainStarts(l.sequence), l.times.start, "seed %d, kind %d", seed, kind)
				continue
			}
			l.undo()
			require.Equal(t, before, l.list)
			require.Equal(t, gpu, l.gpu)
			require.Equal(t, depth, l.depth)
			require.Equal(t, level, l.level)
			require.Equal(t, ticks, l.ticks)
			require.Equal(t, load, l.sequence.load)
		}
		for _, v := range check.Schedule(in, l.schedule()) {
			require.Equal(t, 10, v.Rule, "seed %d: %v", seed, v)
		}
	}
	t.Log("changes by kind:", kinds)
	for kind, n := range kinds {
		assert.True(t, n > 0 || testing.Short(), "kind %d was never tried", kind)
	}
}

// TestHomes checks the sums that annealing keeps against those from scratch.
func TestHomes(t *testing.T) {
	for name, m := range heuristicstest.Mediums() {
		for seed := range uint64(2) {
			m.Jobs, m.Objective = 10, heuristicstest.Finite(seed)
			in := m.Instance(t, seed)
			counts := state.CheapestMultisets(in)
			where, counts, err := placement.Place(t.Context(), in, placement.Options{Counts: counts})
			if err != nil {
				continue
			}
			h := placement.NewAnnealer(in, state.NewLayout(in), where, placement.AnnealOptions{Counts: counts, Near: 1, CoResidence: 1}, heuristicstest.Source(seed))
			var kept placement.Snapshot
			h.Keep(&kept)
			first := h.Energy
			h.Anneal(t.Context(), 2000, 1)
			assert.InEpsilon(t, h.Total(), h.Energy, 1e-6, name)
			again := placement.NewAnnealer(in, state.NewLayout(in), h.Placement(), placement.AnnealOptions{Counts: counts, Near: 1, CoResidence: 1}, heuristicstest.Source(seed))
			assert.Equal(t, again.Persistent, h.Persistent, name)
			h.Restore(&kept)
			assert.InEpsilon(t, first, h.Energy, 1e-9, name)
			assert.InEpsilon(t, first, h.Total(), 1e-6, name)
		}
	}
}

// BenchmarkEvaluate measures how many schedules per second are evaluated:
// decoded by events, decoded as a sequence from its beginning, and as changes
// of a sequence in a cold walk, from checkpoints and with early termination.
func BenchmarkEvaluate(b *testing.B) {
	for _, seed := range []uint64{1, 2, 3} {
		in := heuristicstest.Medium{Racks: 2, Nodes: 4, GPUs: 8, Jobs: 40, Iterations: 40, NIC: 100e9}.Instance(b, seed)
		s, err := list.Greedy(b.Context(), state.Options{}, in, heuristicstest.Source(seed))
		require.NoError(b, err)
		o := state.NewOperations(in)
		l := &lane{decoder: newSequenceDecoder(o), cycle: 2, rounds: 1}
		l.decoder.apart = 1 // checkpoints wherever possible
		l.rng = heuristicstest.Source(seed)
		l.load(newSequence(o, choicesOf(in), s))
		l.rounds = 1 // the end of a cycle
		name := func(way string) string { return fmt.Sprintf("%s/seed%d", way, seed) }
		b.Run(name("events"), func(b *testing.B) {
			counts := state.CheapestMultisets(in)
			where, counts, err := placement.Place(b.Context(), in, placement.Options{Counts: counts})
			require.NoError(b, err)
			base, slope := list.Measure(in, where, counts).Keys(in, list.EvenProgress)
			d, dispatch, out := &list.Decision{Counts: counts, Where: where, Base: base, Slope: slope}, list.NewDispatcher(in, o.Layout), list.NewRecord(o.Layout, len(in.Jobs))
			for b.Loop() {
				require.NoError(b, dispatch.Decode(b.Context(), d, out))
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "schedules/s")
		})
		b.Run(name("sequence"), func(b *testing.B) {
			for b.Loop() {
				l.decoder.decode(l.sequence, 0, math.Inf(1))
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "schedules/s")
		})
		b.Run(name("walk"), func(b *testing.B) {
			before := l.tried
			for b.Loop() {
				l.walk(b.Context(), 200_000)
			}
			n := 0
			for kind := range l.tried {
				n += l.tried[kind] - before[kind]
			}
			b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "schedules/s")
		})
	}
}
