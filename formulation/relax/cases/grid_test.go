package cases

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/instancetest"
	"jigsaw/formulation/relax"
)

// TestEveryTickIsAPoint: limits on ends are in ticks, so every tick of a node's program is a point, also where buckets
// do not divide the horizon.
func TestEveryTickIsAPoint(t *testing.T) {
	for seed := range uint64(20) {
		in := instancetest.Random(rand.New(rand.NewPCG(seed, 85)), instancetest.Options{Objective: instance.Makespan})
		m := relax.New(in)
		modes := make([][]relax.ModeOptions, len(m.Classes))
		for c := range m.Classes {
			modes[c] = m.ModeOptions(&m.Classes[c])
		}
		for target := int64(2); target < 60; target++ {
			root := &Node{Jobs: Root(in).Jobs[:len(m.Classes)]}
			p, ok := NewProgram(m, root, modes, target, 12)
			for c := 0; ok && c < len(modes); c++ {
				g := p.Classes[c].Plans.Grid
				assert.Equal(t, g.Release+int64(g.Points), g.Tick(g.Points), "seed %d, target %d", seed, target)
			}
		}
	}
}
