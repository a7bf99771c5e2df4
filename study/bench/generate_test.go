package bench

import (
	"bytes"
	"flag"
	"fmt"
	"math/big"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
	"jigsaw/formulation/relax"
)

var update = flag.Bool("update", false, "rewrite the digests of the generated instances")

// testRows returns the rows used by tests: all five seeds of sizes up to large,
// and one of xl.
func testRows(t *testing.T) []Row {
	t.Helper()
	selection := Selection{Sizes: []string{"tiny", "small", "medium16", "medium32", "large"}, Seeds: 5}
	if testing.Short() {
		selection.Seeds = 1
	}
	rows, err := selection.Rows()
	require.NoError(t, err)
	if !testing.Short() {
		xl, err := Selection{Sizes: []string{"xl"}, Seeds: 1}.Rows()
		require.NoError(t, err)
		rows = append(rows, xl...)
	}
	return rows
}

// bounds returns the values of the chain and the area bound, and the resource
// of the area bound.
func bounds(t *testing.T, in *instance.Instance) (chain, area float64, resource string) {
	t.Helper()
	result, err := jigsaw.Bound(t.Context(), in, jigsaw.Options{NoLP: true})
	require.NoError(t, err)
	require.Empty(t, result.Reasons, "infeasible")
	for _, b := range result.Bounds {
		v, _ := b.Value.Float64()
		switch b.Kind {
		case relax.ChainBound:
			chain = v
		case relax.AreaBound:
			area = v
			if len(b.Binding) > 0 {
				resource = b.Binding[0].Resource
			}
		}
	}
	return chain, area, resource
}

// TestRegimes checks every generated instance against the claims of its regime,
// with the exact bounds, which are independent of the generator.
func TestRegimes(t *testing.T) {
	for _, row := range testRows(t) {
		if row.Regime == Planted || row.Objective == instance.WeightedCompletion {
			continue // makespan has the same jobs; see TestObjectivesShareJobs
		}
		t.Run(row.String(), func(t *testing.T) {
			c, err := Generate(row)
			require.NoError(t, err)
			// Regimes are defined by rates that need not be whole numbers in a period.
			period := c.Spec.MaxPeriod
			c.Spec.MaxPeriod = 0
			free, err := compile(c.Spec)
			require.NoError(t, err)
			c.Spec.MaxPeriod = period
			chain, area, resource := bounds(t, free)
			if row.Objective.Periodic() {
				// Upper bounds: the smaller one limits.
				switch row.Regime {
				case AreaBound:
					assert.Less(t, area, 0.98*chain)
					assert.Equal(t, "gpu", resource)
				case ChainBound:
					assert.GreaterOrEqual(t, area, 0.999*chain)
				case Crossing:
					assert.InEpsilon(t, chain, area, 0.05)
				case Network:
					assert.Less(t, area, 0.98*chain)
					fasterNICsHelp(t, c)
				}
				return
			}
			switch row.Regime {
			case AreaBound:
				assert.Greater(t, area, 1.05*chain)
				assert.Equal(t, "gpu", resource)
			case ChainBound:
				assert.GreaterOrEqual(t, chain, area)
			case Crossing:
				assert.InEpsilon(t, chain, area, 0.05)
			case Network:
				assert.Greater(t, area, 1.05*chain)
				assert.Equal(t, "nic", resource)
			}
			horizon := float64(must(SizeNamed(row.Size)).Horizon)
			assert.InEpsilon(t, horizon, max(chain, area), 0.3, "the length of plans")
		})
	}
}

// fasterNICsHelp checks that the LP bound, which combines GPUs and NICs, rises
// if the NICs are faster.
func fasterNICsHelp(t *testing.T, c *Case) {
	t.Helper()
	if _, err := jigsaw.Engine(); err != nil {
		t.Log(err)
		return
	}
	bound := func(in *instance.Instance) float64 {
		result, err := jigsaw.Bound(t.Context(), in, jigsaw.Options{Quick: true})
		require.NoError(t, err)
		v, _ := result.Dual.Float64()
		return v
	}
	slow := bound(c.Instance)
	c.Spec.Cluster.Racks[0].NIC *= 16
	fast, err := compile(c.Spec)
	require.NoError(t, err)
	assert.Greater(t, bound(fast), 1.01*slow)
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// TestPlanted checks that the witness is valid, that it attains the optimum, and
// that a bound proves the optimum.
func TestPlanted(t *testing.T) {
	for _, row := range testRows(t) {
		if row.Regime != Planted {
			continue
		}
		t.Run(row.String(), func(t *testing.T) {
			c, err := Generate(row)
			require.NoError(t, err)
			if v := check.Schedule(c.Instance, c.Witness); len(v) > 0 {
				require.Fail(t, v[0].String())
			}
			assert.Equal(t, c.Optimum.RatString(), c.Instance.Value(c.Witness).RatString())
			result, err := jigsaw.Bound(t.Context(), c.Instance, jigsaw.Options{NoLP: true})
			require.NoError(t, err)
			assert.Equal(t, c.Optimum.RatString(), result.Dual.RatString())
			assert.True(t, result.Certified)
		})
	}
}

// TestWitnessIsNotTrivial checks that planted jobs use structured partial
// backpropagation and that their tasks interlock: the schedule keeps the GPUs
// busy, and some task is shallow.
func TestWitnessIsNotTrivial(t *testing.T) {
	shallow := 0
	for seed := range uint64(5) {
		c, err := Generate(Row{"medium16", Planted, instance.Makespan, seed + 1})
		require.NoError(t, err)
		busy := instance.Tick(0)
		for _, task := range c.Witness.Tasks {
			busy += task.End - task.Start
			if task.Depth < c.Instance.Jobs[task.Job].Full() {
				shallow++
			}
		}
		filled := new(big.Rat).SetFrac64(int64(busy), int64(len(c.Instance.GPUs)))
		sync := new(big.Rat).SetInt64(int64(c.Instance.Latency))
		assert.Equal(t, c.Optimum.RatString(), filled.Add(filled, sync).RatString())
	}
	assert.Positive(t, shallow)
}

func TestObjectivesShareJobs(t *testing.T) {
	for _, regime := range []Regime{AreaBound, ChainBound, Crossing, Network} {
		a, err := Generate(Row{"small", regime, instance.Makespan, 3})
		require.NoError(t, err)
		b, err := Generate(Row{"small", regime, instance.WeightedCompletion, 3})
		require.NoError(t, err)
		assert.Equal(t, a.Spec.Jobs, b.Spec.Jobs)
		assert.Equal(t, a.Spec.Profiles, b.Spec.Profiles)
		assert.Equal(t, a.Spec.Cluster, b.Spec.Cluster)
	}
}

// TestMixture checks that the instances of a size contain what the package
// comment says.
func TestMixture(t *testing.T) {
	rules, workers, levels := map[string]int{}, map[int]int{}, map[int]int{}
	for _, row := range testRows(t) {
		if row.Regime == Planted {
			continue
		}
		c, err := Generate(row)
		require.NoError(t, err)
		levels[len(c.Instance.RateLevels)]++
		for i := range c.Spec.Jobs {
			rules[c.Spec.Jobs[i].SPB.Rule]++
			workers[c.Spec.Jobs[i].Workers]++
		}
	}
	for _, rule := range []string{"full", "ladder", "free"} {
		assert.Greater(t, rules[rule], 20, rule)
	}
	for _, k := range []int{1, 2, 4, 8} {
		assert.Greater(t, workers[k], 20, "%d workers", k)
	}
	if !testing.Short() {
		assert.Len(t, levels, 3)
	}
}

// TestDigests checks that instances are unchanged: results refer to them.
func TestDigests(t *testing.T) {
	const file = "testdata/digests.txt"
	rows, err := Selection{Sizes: []string{"tiny", "small", "medium16", "medium32", "large", "xl", "rack", "racks", "night", "nights", "month"}, Seeds: 5}.Rows()
	require.NoError(t, err)
	if testing.Short() {
		rows = slices.DeleteFunc(rows, func(r Row) bool { return r.Seed > 1 || r.Size == "xl" || r.Size == "month" })
	}
	if *update {
		var out bytes.Buffer
		for _, row := range rows {
			fmt.Fprintln(&out, row, digest(t, row))
		}
		require.NoError(t, os.WriteFile(file, out.Bytes(), 0o644))
		return
	}
	data, err := os.ReadFile(file)
	require.NoError(t, err)
	want := map[string]string{}
	for line := range strings.Lines(string(data)) {
		name, sum, _ := strings.Cut(strings.TrimSpace(line), " ")
		want[name] = sum
	}
	for _, row := range rows {
		assert.Equal(t, want[row.String()], digest(t, row), row)
	}
}

func digest(t *testing.T, row Row) string {
	t.Helper()
	c, err := Generate(row)
	require.NoError(t, err)
	sum, err := c.Digest()
	require.NoError(t, err)
	return sum
}

// TestLong: jobs of hours are planned in blocks; all of a rack are in memory together, those of a
// night are not.
func TestLong(t *testing.T) {
	for _, size := range []string{"rack", "racks", "night"} {
		c, err := Generate(Row{size, Long, instance.Makespan, 1})
		require.NoError(t, err)
		assert.Len(t, c.Instance.Jobs, must(SizeNamed(size)).Jobs)
		assert.Len(t, c.Instance.GPUs, must(SizeNamed(size)).TotalGPUs())
		assert.Equal(t, size == "night", c.Instance.Queues())
		chain, area, _ := bounds(t, c.Instance)
		assert.Greater(t, area, chain)
		r, err := jigsaw.Plan(t.Context(), c.Instance, jigsaw.Options{Quick: true, NoLP: true, Time: time.Millisecond})
		require.NoError(t, err)
		assert.NotNil(t, r.Blocks)
	}
}

// TestNights: each has the shape that its seed stands for.
func TestNights(t *testing.T) {
	for seed := range uint64(5) {
		c, err := Generate(Row{"nights", Long, instance.WeightedCompletion, seed + 1})
		require.NoError(t, err)
		in := c.Instance
		assert.True(t, in.Queues())
		assert.Positive(t, in.Tasks())
		per := len(in.Jobs) / len(in.Nodes)
		assert.Contains(t, []int{3, 5, 8}, per)
		assert.Equal(t, seed+1 == 2, len(in.Types) == 2)
		assert.Equal(t, seed+1 == 3, slices.ContainsFunc(in.Jobs, func(j instance.Job) bool { return j.Deadline > 0 }))
		assert.Equal(t, seed+1 == 4, slices.ContainsFunc(in.Jobs, func(j instance.Job) bool { return j.Release > 0 }))
		assert.Equal(t, seed+1 == 5, in.Types[0].Name == "v100")
	}
}

func TestParseRow(t *testing.T) {
	rows, err := Selection{Seeds: 2}.Rows()
	require.NoError(t, err)
	assert.Len(t, rows, 7*5*3*2+5*2*2)
	for _, row := range rows {
		got, err := ParseRow(row.String())
		require.NoError(t, err)
		assert.Equal(t, row, got)
	}
	for _, bad := range []string{"", "tiny", "tiny-area-makespan-x", "huge-area-makespan-1", "tiny-odd-makespan-1", "tiny-area-max_min_throughput-1", "tiny-long-makespan-1", "night-area-makespan-1", "night-long-throughput-1"} {
		_, err := ParseRow(bad)
		assert.Error(t, err, bad)
	}
}
