package heuristics

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/instancetest"
)

// plainStarts decodes a sequence in the simplest way: one operation after the
// other from the beginning, the load of each link tick by tick.
func plainStarts(q *sequence) []instance.Tick {
	in := q.in
	start := make([]instance.Tick, len(q.list))
	free := make([]instance.Tick, len(in.GPUs))
	ready := make([]instance.Tick, len(in.Jobs))
	ends := make([]instance.Tick, len(in.Jobs))
	begun := map[[2]int32]bool{} // iterations of gangs that have been placed
	load := make([]map[instance.Tick]instance.BitRate, len(in.Links))
	for l := range load {
		load[l] = map[instance.Tick]instance.BitRate{}
	}
	for j := range ready {
		ready[j] = in.Jobs[j].Release
	}
	for _, op := range q.list {
		j, i := q.job[op], q.iteration[op]
		job := &in.Jobs[j]
		if int(op) < q.tasks {
			first := q.taskAt[j] + int(i)*job.Workers
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
				at = max(at, free[q.gpu[q.slot[t]]])
			}
			for _, t := range together {
				start[t] = at
				free[q.gpu[q.slot[t]]] = at + q.ticks[t]
				ends[j] = max(ends[j], at+q.ticks[t])
			}
			if job.Workers == 1 {
				ready[j], ends[j] = ends[j], 0
			}
			continue
		}
		y := int(op) - q.tasks
		net := &q.nets[j]
		best, bestEnd, bestRate := ends[j], instance.Tick(math.MaxInt64), instance.BitRate(0)
		for level := int(q.level[y]); level < len(net.rate); level++ {
			length, rate := net.ticks[int(q.kind[y])*len(net.rate)+level], net.rate[level]
			at := ends[j]
			for fits := false; !fits; {
				fits = true
				for t := at; t < at+length && fits; t++ {
					for _, u := range net.span.Uses {
						if load[u.Link][t]+rate*instance.BitRate(u.Times) > in.Links[u.Link].Capacity {
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
				load[u.Link][t] += bestRate * instance.BitRate(u.Times)
			}
		}
		start[op], ready[j], ends[j] = best, bestEnd, 0
	}
	return start
}

// TestSequenceDecode changes sequences at random and compares the decoder,
// which starts at checkpoints, with the simplest one; and looks whether changes
// that are taken back leave no trace.
func TestSequenceDecode(t *testing.T) {
	seeds := uint64(200)
	if testing.Short() {
		seeds = 8
	}
	var kinds [moveKinds]int
	for seed := range seeds {
		in := instancetest.Random(source(seed), instancetest.Options{Objective: finite(seed)})
		if seed%10 == 0 {
			m := mediums()[[]string{"gangs", "thin", "plain"}[seed/10%3]]
			m.jobs, m.iterations = 8, 4
			in = m.instance(t, seed)
		}
		s, err := Greedy(t.Context(), in, source(seed))
		if err != nil {
			continue
		}
		o := newOperations(in)
		l := &lane{decoder: newSequenceDecoder(o)}
		l.decoder.apart = 1 // a checkpoint wherever one may be
		l.rng = source(seed)
		l.load(newSequence(o, s))
		require.False(t, in.Objective.Better(in.Value(s), in.Value(l.schedule())), "seed %d: decoding in order of starts loses nothing", seed)
		for range 100 {
			before := slices.Clone(l.list)
			gpu, depth, ticks, load := slices.Clone(l.gpu), slices.Clone(l.depth), slices.Clone(l.ticks), slices.Clone(l.sequence.load)
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
			require.Equal(t, ticks, l.ticks)
			require.Equal(t, load, l.sequence.load)
		}
		for _, v := range instance.Check(in, l.schedule()) {
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
	for name, m := range mediums() {
		for seed := range uint64(2) {
			m.jobs, m.objective = 10, finite(seed)
			in := m.instance(t, seed)
			counts := startCounts(in)
			where, err := placeHard(in, placing{counts: counts})
			if err != nil {
				continue
			}
			h := newHomes(newOperations(in), where, homing{counts: counts, near: 1, company: 1}, source(seed))
			var kept keptHomes
			h.keep(&kept)
			first := h.energy
			h.anneal(t.Context(), 2000, 1)
			assert.InEpsilon(t, h.total(), h.energy, 1e-6, name)
			again := newHomes(newOperations(in), h.placement(), homing{counts: counts, near: 1, company: 1}, source(seed))
			assert.Equal(t, again.persistent, h.persistent, name)
			h.restore(&kept)
			assert.InEpsilon(t, first, h.energy, 1e-9, name)
			assert.InEpsilon(t, first, h.total(), 1e-6, name)
		}
	}
}

// BenchmarkEvaluate measures how many schedules a second are looked at: decoded
// by events, decoded as a sequence from its beginning, and as changes of a
// sequence in a cold walk, from checkpoints and with giving up early.
func BenchmarkEvaluate(b *testing.B) {
	for _, seed := range []uint64{1, 2, 3} {
		in := medium{racks: 2, nodes: 4, gpus: 8, jobs: 40, iterations: 40, nic: 100e9}.instance(b, seed)
		s, err := Greedy(b.Context(), in, source(seed))
		require.NoError(b, err)
		o := newOperations(in)
		l := &lane{decoder: newSequenceDecoder(o), cycle: 2, rounds: 1}
		l.decoder.apart = 1 // a checkpoint wherever one may be
		l.rng = source(seed)
		l.load(newSequence(o, s))
		l.rounds = 1 // the end of a cycle
		name := func(way string) string { return fmt.Sprintf("%s/seed%d", way, seed) }
		b.Run(name("events"), func(b *testing.B) {
			counts := startCounts(in)
			where, err := placeHard(in, placing{counts: counts})
			require.NoError(b, err)
			base, slope := measure(in, where, counts).keys(in, evenProgress)
			d, dispatch, out := &decision{counts: counts, where: where, base: base, slope: slope}, newDispatcher(in, o.layout), o.newRecord(len(in.Jobs))
			for b.Loop() {
				require.NoError(b, dispatch.decode(b.Context(), d, out))
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
