package bound

import (
	"jigsaw/formulation/boundtest"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax"
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestBest(t *testing.T) {
	in := boundtest.Compile(t, boundtest.TwoNodes(2, instance.JobSpec{Name: "x", Model: "four", Workers: 1}))
	low, high := Bound{Proven: relax.Proven{Kind: relax.ChainBound, Value: big.NewRat(1, 1)}}, Bound{Proven: relax.Proven{Kind: relax.AreaBound, Value: big.NewRat(2, 1)}}
	assert.Equal(t, relax.AreaBound, Best(in, low, high, Bound{Proven: relax.Proven{Kind: relax.FluidBound}}).Kind)
	assert.Equal(t, relax.FluidBound, Best(in, low, Bound{Proven: relax.Proven{Kind: relax.FluidBound, Infeasible: []string{"no"}}}, high).Kind)
	assert.Equal(t, Bound{}, Best(in))
}

func TestNumberOfVerb(t *testing.T) {
	assert.Equal(t, "limit", Verb("the 64 GPUs of type v100"))
	assert.Equal(t, "limits", Verb("the GPU of type v100"))
	assert.Equal(t, "limits", Verb("the memory of the 4 GPUs"))
	assert.Equal(t, "limit", Verb("the NICs of the 2 nodes of type a"))
}

// TestSentenceOfJobs: a sentence about the jobs of a class reads like one about a
// job.
func TestSentenceOfJobs(t *testing.T) {
	t.Parallel()
	for _, subject := range []string{`job "a"`, `the 2 jobs "a" to "b"`} {
		found := Bindings(instance.Makespan, []Binding{{Resource: "job", Subject: subject, Effect: -1}})
		assert.Equal(t, "the iterations of "+subject+" limit the plan: more GPUs will not make them faster", found[0].Text)
	}
}
