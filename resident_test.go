package jigsaw_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
	"jigsaw/method"
)

// TestResidents: if memory has room for all jobs at once, it makes no difference that they hold it only while they run; if it has not,
// the plan is at least no worse than one in which they hold it all the time.
func TestResidents(t *testing.T) {
	options := jigsaw.Options{Without: method.Set{method.Tree: true}}
	for _, name := range []string{"quickstart", "tight-memory"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			whole := example(t, name)
			jobs := slices.Clone(whole.Jobs)
			for j := range jobs {
				jobs[j].Iterations = 4
			}
			whole = whole.WithJobs(jobs)
			running := *whole
			running.Residence = instance.WhileRunning
			in := &running
			want, err := jigsaw.Plan(t.Context(), whole, options)
			require.NoError(t, err)
			r, err := jigsaw.Plan(t.Context(), in, options)
			require.NoError(t, err)
			assert.LessOrEqual(t, r.Primal.Cmp(want.Primal), 0, "%s instead of %s", r.Primal, want.Primal)
			require.NotNil(t, r.Blocks)
			assert.Empty(t, check.Blocks(in, r.Blocks))
			proven, err := jigsaw.Certify(t.Context(), in, r.Proof)
			require.NoError(t, err)
			assert.Zero(t, proven.Value.Cmp(r.Dual))
			for _, b := range []jigsaw.Baseline{r.Queue, r.Exclusive, r.InterleavedFull} {
				assert.NotNil(t, b.Blocks)
				assert.Empty(t, check.Blocks(b.Instance, b.Blocks))
			}
			if name == "quickstart" {
				assert.Zero(t, r.Primal.Cmp(want.Primal))
				assert.Zero(t, r.Dual.Cmp(want.Dual))
				var equal [2]*jigsaw.Result
				for i, in := range []*instance.Instance{whole, in} {
					equal[i], err = jigsaw.Plan(t.Context(), in, jigsaw.Options{Quick: true, EqualBaselines: true})
					require.NoError(t, err)
				}
				assert.Equal(t, equal[0].Exclusive.Value, equal[1].Exclusive.Value)
				assert.Equal(t, equal[0].InterleavedFull.Value, equal[1].InterleavedFull.Value)
			}
		})
	}
}
