package intervals

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/boundtest"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax"
)

// TestSlowLinks: however slow the links, no amount overflows, and neither do sums at the highest prices.
func TestSlowLinks(t *testing.T) {
	found := 0
	for _, nic := range []instance.BitRate{1e3, 1e4, 1e6, 1e9} {
		for _, iterations := range []int{1, 1000, 1_000_000} {
			spec := boundtest.TwoNodes(2, instance.JobSpec{Name: "a", Count: 3, Model: "four", Workers: 4, Iterations: iterations}, instance.JobSpec{Name: "b", Model: "four", Workers: 1, Iterations: 5})
			spec.Objective, spec.Cluster.Racks[0].NIC = instance.WeightedCompletion, nic
			s := New(relax.New(boundtest.Compile(t, spec)), []int64{1, 100, 1 << 20, 1 << 40})
			if s == nil {
				continue
			}
			found++
			prices := make([][]int64, len(s.Groups))
			for g := range prices {
				if s.Groups[g].Capacity > 0 {
					prices[g] = []int64{math.MaxInt64, 0, 1, math.MaxInt64}
				}
			}
			p := s.NewPayer(prices)
			for c := range s.Classes {
				for _, mode := range s.Classes[c].Modes {
					for _, a := range mode.Peak {
						require.GreaterOrEqual(t, a.Ticks, int64(0))
					}
				}
				plan, err := p.Least(&s.Classes[c], 1)
				require.NoError(t, err)
				require.GreaterOrEqual(t, plan.Price, s.Classes[c].Weight*s.Classes[c].Modes[plan.Mode].Ticks, "%v, %d iterations", nic, iterations)
				require.Less(t, plan.Price, int64(1)<<62)
			}
		}
	}
	assert.Greater(t, found, 4)
}

// TestLeast compares what a job pays at least with an enumeration of all ways to spread its ticks over the intervals.
func TestLeast(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 5))
		s := &Program{}
		for end := int64(0); len(s.Ends) < 1+rng.IntN(4); s.Ends = append(s.Ends, end) {
			end += 1 + rng.Int64N(4)
		}
		work := 1 + rng.Int64N(5)
		mode := Mode{Iteration: 1 + rng.Int64N(3), Peak: Use{{0, work}}, Ways: []Way{{Counts: []int64{1}, Items: [][]Use{{{{0, work}}}}}}}
		mode.Ticks = mode.Iteration * (1 + rng.Int64N(4))
		class := Class{Count: 1, Weight: 1 + rng.Int64N(5), Release: rng.Int64N(6), Modes: []Mode{mode}}
		if rng.IntN(2) == 0 {
			class.Deadline = class.Release + mode.Ticks + rng.Int64N(8)
		}
		prices := [][]int64{{}}
		for range s.Ends {
			prices[0] = append(prices[0], rng.Int64N(10))
		}
		p := s.NewPayer(prices)
		p.Uncorrected = rng.IntN(2) == 0
		plan, err := p.Least(&class, 1)
		require.NoError(t, err)

		least := int64(math.MaxInt64)
		var spread func(at int, left, paid int64, last int, end int64)
		spread = func(at int, left, paid int64, last int, end int64) {
			if left == 0 {
				correction := int64(0)
				for b := range s.Ends {
					if class.Release < s.Ends[b] && b < last { // a bound between the release and the end
						before, after := prices[0][b], int64(0)
						if b+1 < len(s.Ends) {
							after = prices[0][b+1]
						}
						correction += work * max(before-after, after-before)
					}
				}
				if p.Uncorrected {
					correction = 0
				}
				least = min(least, class.Weight*end+max(0, paid-correction))
			}
			if at > len(s.Ends) || left == 0 {
				return
			}
			begin, to := max(s.From(at), class.Release), s.To(at)
			if class.Deadline > 0 {
				to = min(to, class.Deadline)
			}
			rate := int64(0)
			if at < len(s.Ends) {
				rate = work * prices[0][at] / mode.Iteration
			}
			spread(at+1, left, paid, last, end)
			for y := int64(1); y <= min(left, to-begin); y++ {
				spread(at+1, left-y, paid+y*rate, at, begin+y)
			}
		}
		spread(0, mode.Ticks, 0, -1, 0)
		what := fmt.Sprintf("seed %d: %+v, ends %v, prices %v", seed, class, s.Ends, prices)
		require.LessOrEqual(t, plan.Price, least, what)
		if p.Uncorrected {
			require.Equal(t, least, plan.Price, what)
		}
	}
}
