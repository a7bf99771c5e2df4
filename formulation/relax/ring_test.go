package relax_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/instancetest"
	"jigsaw/formulation/relax"
)

// TestRings: every home of a job on several racks of a network of switches has a mode that asks no more of links than it, and is
// no slower.
func TestRings(t *testing.T) {
	t.Parallel()
	options := instancetest.Options{Jobs: 2, Workers: 4, Objective: instance.Makespan}
	several, exact := 0, 0 // classes with several such modes, and homes whose modes have their speed
	for seed := range instancetest.Many[uint64](600, 100) {
		rng := rand.New(rand.NewPCG(seed, 33))
		draw := instancetest.Meshed
		if seed%2 == 0 {
			draw = instancetest.Policed
		}
		in := draw(rng, options)
		m := relax.New(in)
		for c := range m.Classes {
			class := &m.Classes[c]
			if job := class.Job; class.NoMemory || class.Unplaced || job.Deadline > 0 || job.Within > instance.WithinCluster {
				continue
			}
			if n := len(slices.DeleteFunc(slices.Clone(class.Modes), func(o relax.Mode) bool { return o.Kind != relax.Spread })); n > 1 {
				several++
			}
			for home := range homes(in, class.Job) {
				span, ok := in.SpanOf(class.Job, home)
				if !ok || !class.Job.HasSync() {
					continue
				}
				best := instance.Tick(-1)
				sync := in.SyncTicks(relax.LeastVolume(class.Job, span.Parties), span.Rate(in.RateLevels[0]))
				for i := range class.Modes {
					if o := &class.Modes[i]; covers(m, o, home, span) && (best < 0 || o.Sync < best) {
						best = o.Sync
					}
				}
				require.GreaterOrEqual(t, best, instance.Tick(0), "seed %d: %v has no mode", seed, home)
				require.LessOrEqual(t, best, sync, "seed %d: %v", seed, home)
				if best == sync {
					exact++
				}
			}
		}
	}
	assert.Positive(t, several)
	assert.Positive(t, exact)
}

// homes lists the places on several racks where the workers of a job have the memory for their largest tasks.
func homes(in *instance.Instance, job *instance.Job) func(func([]instance.GPUID) bool) {
	return func(yield func([]instance.GPUID) bool) {
		for set := range 1 << len(in.GPUs) {
			var home []instance.GPUID
			racks, fits := map[int]bool{}, true
			for g := range in.GPUs {
				if set>>g&1 == 1 {
					gpu := &in.GPUs[g]
					home = append(home, instance.GPUID(g))
					racks[in.Nodes[gpu.Node].Rack] = true
					costs := job.On[gpu.Type]
					fits = fits && costs != nil && costs.Persistent+slices.Max(costs.Ephemeral) <= in.Types[gpu.Type].Memory
				}
			}
			if len(home) == job.Workers && len(racks) > 1 && fits && !yield(home) {
				return
			}
		}
	}
}

// covers reports whether a home is one of a mode: all its pools are, and its ring crosses as much as is said of the mode.
func covers(m *relax.Model, o *relax.Mode, home []instance.GPUID, span instance.Span) bool {
	if o.Kind != relax.Spread {
		return false
	}
	for _, g := range home {
		if !slices.Contains(o.Pools, m.Network.PoolOf[m.Instance.GPUs[g].Node]) {
			return false
		}
	}
	for _, l := range m.Network.Links() {
		if l.Resource != "waypoint" {
			continue
		}
		times := 0
		for _, u := range span.Uses {
			if u.Link == instance.LinkID(l.At) {
				times = u.Times
			}
		}
		if o.Crosses(&l) > times {
			return false
		}
	}
	return o.Nodes <= span.Parties
}
