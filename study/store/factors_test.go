package store_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"jigsaw/study/store"
)

// TestFactors: by hand. Order 120/100, interleaving 100/80, and of the remaining 80/50
// the work left out is 5/4.
func TestFactors(t *testing.T) {
	full, plan := int64(500), int64(400)
	r := &store.Row{}
	r.Objective, r.FullWork, r.PlanWork = "makespan", &full, &plan
	r.Queue, r.Exclusive, r.InterleavedFull, r.Plan = ptr(120), ptr(100), ptr(80), ptr(50)
	f := r.Factors()
	for name, test := range map[string]struct {
		want float64
		got  *float64
	}{
		"gain": {2.4, f.Gain}, "order": {1.2, f.Order}, "interleaving": {1.25, f.Interleaving}, "left out": {1.25, f.LeftOut}, "packing": {1.28, f.Packing},
	} {
		require.NotNil(t, test.got, name)
		assert.InDelta(t, test.want, *test.got, 1e-12, name)
	}
	r.InterleavedFull = nil
	f = r.Factors()
	assert.Equal(t, []bool{true, true, false, true, false}, []bool{f.Gain != nil, f.Order != nil, f.Interleaving != nil, f.LeftOut != nil, f.Packing != nil})
}

// TestFactorsMultiply: whatever the values, the factors multiply to the whole gain, and
// a better schedule has a factor above 1 in every objective.
func TestFactorsMultiply(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.Float64Range(1e-6, 1e12)
		work := rapid.Int64Range(1, 1<<50)
		r := &store.Row{}
		r.Objective = rapid.SampledFrom([]string{"makespan", "weighted_completion", "throughput", "max_min_throughput"}).Draw(t, "objective")
		for _, v := range []**float64{&r.Queue, &r.Exclusive, &r.InterleavedFull, &r.Plan} {
			drawn := value.Draw(t, "value")
			*v = &drawn
		}
		full, plan := work.Draw(t, "full"), work.Draw(t, "plan")
		r.FullWork, r.PlanWork = &full, &plan

		f := r.Factors()
		assert.InEpsilon(t, *f.Gain, *f.Order**f.Interleaving**f.LeftOut**f.Packing, 1e-9)
		minimised := r.Objective == "makespan" || r.Objective == "weighted_completion"
		if *r.Queue != *r.Plan {
			assert.Equal(t, minimised == (*r.Plan < *r.Queue), *f.Gain > 1)
		}
	})
}
