package fluid

import (
	"jigsaw/formulation/bound/area"
	"jigsaw/formulation/boundtest"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax"
	"testing"

	"github.com/stretchr/testify/assert"
)

func with(j instance.JobSpec, change func(*instance.JobSpec)) instance.JobSpec {
	change(&j)
	return j
}

func TestInfeasibleByHand(t *testing.T) {
	for _, test := range []struct {
		name, want string
		spec       *instance.Spec
	}{
		{
			"chain past the deadline", `job "x": its 40 iterations need at least 480 ms, the deadline is 400 ms`,
			boundtest.TwoNodes(2, instance.JobSpec{Name: "x", Model: "four", Workers: 1, Iterations: 40, Deadline: 400e6}),
		},
		{
			"memory of a worker", `job "x": a worker needs at least 91.6 MiB of memory, the GPUs it may use have 64.0 MiB`,
			change(boundtest.TwoNodes(2, instance.JobSpec{Name: "x", Model: "four", Workers: 1}),
				func(s *instance.Spec) { s.Cluster.GPUTypes[0].Memory = 64 << 20 }),
		},
		{
			// 48 jobs x 96e6 bytes against 4 GPUs of 1 GiB.
			"memory of all", "48 jobs keep at least 4.29 GiB in memory all the time, the 4 GPUs hold 4.00 GiB",
			boundtest.TwoNodes(2, instance.JobSpec{Name: "x", Model: "four", Workers: 1, Count: 48}),
		},
		{
			// 5 workers of 96e6 bytes, of which no two fit in 170 MiB.
			"workers of more than half of a GPU", "5 jobs keep at least 91.6 MiB on each of 5 GPUs all the time, and no two of these can be the same one of the 4 GPUs",
			change(boundtest.TwoNodes(2, instance.JobSpec{Name: "x", Model: "four", Workers: 1, Count: 5}),
				func(s *instance.Spec) { s.Cluster.GPUTypes[0].Memory = 170 << 20 }),
		},
		{
			// 9 jobs x 12 ticks on 4 GPUs before tick 24.
			"work before a deadline", "9 jobs with deadlines have work for the 4 GPUs that must be done between 0 s and 24 ms: 112.5 % of what can be done there",
			boundtest.TwoNodes(2, instance.JobSpec{Name: "x", Model: "four", Workers: 1, Count: 9, Deadline: 24e6}),
		},
		{
			"links that failed", `job "x": no 4 GPUs within its placement limits have the memory and working links between them`,
			change(boundtest.TwoNodes(2, instance.JobSpec{Name: "x", Model: "four", Workers: 4}),
				func(s *instance.Spec) { s.Cluster.FailedLinks = []string{"r0n1.up"} }),
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			in := boundtest.Compile(t, test.spec)
			assert.Equal(t, []string{test.want}, relax.Infeasible(in))
			area.Chain(in) // any value is a bound, but it must not panic
			area.Bound(in)
			test.spec.Objective = instance.WeightedCompletion
			area.Bound(boundtest.Compile(t, test.spec))
		})
	}
	assert.Nil(t, relax.Infeasible(boundtest.Compile(t, boundtest.TwoNodes(2, instance.JobSpec{Name: "x", Model: "four", Workers: 4}))))
}

func change(s *instance.Spec, by func(*instance.Spec)) *instance.Spec {
	by(s)
	return s
}
