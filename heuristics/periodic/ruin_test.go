package periodic

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
	"jigsaw/formulation/instance/instancetest"
	"jigsaw/heuristics/heuristicstest"
)

// randomRuin returns a random instance, sometimes with little memory, and an empty
// plan.
func randomRuin(seed uint64) (*instance.Instance, *ruin) {
	in := instancetest.Random(heuristicstest.Source(seed), instancetest.Options{Objective: instance.Throughput, Jobs: 5, GPUs: 6, MaxPeriod: 40})
	return in, newRuin(in, wantsOf(in), heuristicstest.Source(seed), in.MaxPeriod)
}

// requireSettled checks that the reserved time on GPUs and links is exactly that of
// the chains, and that the plan is valid.
func requireSettled(t *testing.T, r *ruin) {
	t.Helper()
	fresh := newModuloScheduler(r.in, r.residents, r.period)
	worth := int64(0)
	for j, chain := range r.chains {
		for n := range chain {
			fresh.reserve(r.residents[j], &chain[n])
		}
		worth += r.in.Jobs[j].Weight * int64(len(chain))
	}
	require.Equal(t, worth, r.worth)
	for g := range r.gpus {
		require.Equal(t, fresh.gpus[g].load, r.gpus[g].load)
		require.ElementsMatch(t, fresh.gpus[g].busy, r.gpus[g].busy)
	}
	for l := range r.links {
		for at := range r.period {
			_, want := fresh.links[l].first(at, 1, r.in.Capacity(instance.LinkID(l)))
			_, got := r.links[l].first(at, 1, r.in.Capacity(instance.LinkID(l)))
			require.Equal(t, want, got)
		}
	}
	if worth > 0 {
		require.Empty(t, check.Schedule(r.in, r.schedule()))
	}
}

// TestRuinSteps makes steps, and undoes half of them.
func TestRuinSteps(t *testing.T) {
	seeds := instancetest.Many(uint64(150), 30)
	changed := 0
	for seed := range seeds {
		_, r := randomRuin(seed)
		for try := range 60 {
			before := r.schedule()
			worth := r.worth
			r.destroy()
			r.recreate()
			if try%2 == 0 {
				r.undo()
				require.Equal(t, worth, r.worth)
				require.Equal(t, before, r.schedule(), "seed %d, try %d", seed, try)
			} else {
				r.accept()
				changed++
			}
			requireSettled(t, r)
		}
	}
	assert.Positive(t, changed)
}

// TestRuinReads reads plans, once and repeated twice, and continues from them.
func TestRuinReads(t *testing.T) {
	read := 0
	for seed := range uint64(40) {
		in, first := randomRuin(seed)
		first.walk(t.Context(), 2000, ruinHot, ruinCold)
		plan := first.news()
		if plan == nil {
			continue
		}
		assert.Nil(t, first.news())
		read++
		for times := range instance.Tick(2) {
			in.MaxPeriod = plan.Period * (times + 1)
			r := newRuin(in, wantsOf(in), heuristicstest.Source(seed), in.MaxPeriod)
			r.read(plan)
			require.Zero(t, in.Value(plan).Cmp(in.Value(r.schedule())), "seed %d", seed)
			requireSettled(t, r)
			r.walk(t.Context(), 2000, ruinWarm, ruinCold)
			requireSettled(t, r)
		}
	}
	assert.Greater(t, read, 20)
}

// TestRuinInterlocks has two ladders of 6 and 4 ticks on two GPUs: with a period of
// 30, in which no GPU need idle, each completes three iterations.
func TestRuinInterlocks(t *testing.T) {
	ladder := instance.JobSpec{Workers: 2}
	in := periodicByHand(t, instance.Throughput, 2, 0, ladder, ladder)
	r := newRuin(in, wantsOf(in), heuristicstest.Source(1), 30)
	r.walk(t.Context(), 20_000, ruinHot, ruinCold)
	assert.Equal(t, "1/5", in.Value(r.news()).RatString())
}

// TestPromise: two lone workers of 6 ticks and weights 1 and 5 on a GPU.
func TestPromise(t *testing.T) {
	in := periodicByHand(t, instance.Throughput, 1, 0, instance.JobSpec{Workers: 1}, instance.JobSpec{Workers: 1, Weight: 5})
	wants, order := wantsOf(in), []instance.JobID{1, 0}
	for period, want := range map[instance.Tick]float64{
		5:  0,          // no whole iterations
		6:  5. / 6,     // the heavier job gets everything
		15: 10.5 / 15., // plus what two iterations of it leave
	} {
		assert.InDelta(t, want, promise(in, wants, order, period), 1e-12, "period %d", period)
	}
}

// TestCyclicTimelinesFree reserves and frees at random, and checks that the initial
// state returns.
func TestCyclicTimelinesFree(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 3))
	for range 300 {
		period := instance.Tick(1 + rng.IntN(30))
		w := gpuCycle{period: period}
		l := linkCycle{period: period, capacity: 3}
		type taken struct {
			start, length, at, span instance.Tick
			rate                    instance.Rate
		}
		var list []taken
		for range 30 {
			if len(list) > 0 && rng.IntN(3) == 0 {
				n := rng.IntN(len(list))
				w.remove(list[n].start, list[n].length)
				l.add(list[n].at, list[n].span, -list[n].rate)
				list = append(list[:n], list[n+1:]...)
			} else {
				o := taken{length: instance.Tick(1 + rng.IntN(6)), span: instance.Tick(1 + rng.IntN(6)), rate: instance.Rate(1 + rng.IntN(3))}
				var ok, room bool
				o.start, ok = w.first(instance.Tick(rng.IntN(60)), o.length)
				o.at, room = l.first(instance.Tick(rng.IntN(60)), o.span, o.rate)
				if !ok || !room {
					continue
				}
				w.add(o.start, o.length)
				l.add(o.at, o.span, o.rate)
				list = append(list, o)
			}
			busy, used := make([]bool, period), make([]instance.Rate, period)
			load := instance.Tick(0)
			for _, o := range list {
				load += o.length
				for t := range o.length {
					busy[(o.start+t)%period] = true
				}
				for t := range o.span {
					used[(o.at+t)%period] += o.rate
				}
			}
			require.Equal(t, load, w.load)
			for at := range period {
				start, ok := w.first(at, 1)
				require.Equal(t, !busy[at], ok && start == at)
				for rate := instance.Rate(1); rate <= 3; rate++ {
					start, ok := l.first(at, 1, rate)
					require.Equal(t, used[at]+rate <= 3, ok && start == at)
				}
			}
		}
	}
}
