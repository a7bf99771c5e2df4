package fluid

import (
	"context"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/bound"
	"jigsaw/formulation/bound/area"
	"jigsaw/formulation/boundtest"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax"
	"jigsaw/formulation/relax/exact"
	"jigsaw/formulation/relax/fluid"
	"jigsaw/formulation/relax/linear"
	"jigsaw/formulation/relax/verify"
	"jigsaw/solver"
)

// vast draws an instance with numbers near the largest permitted: tasks of up to 2^40 ticks,
// many iterations and jobs, heavy weights, late releases, large clusters.
func vast(rng *rand.Rand, objective instance.Objective) (*instance.Instance, error) {
	upTo := func(bits int) int64 { return 1 + rng.Int64N(1<<max(bits-rng.IntN(4), rng.IntN(bits+1))) }
	tick := instance.Duration(1000)
	p := &instance.Profile{Model: "m", GPU: "v100", Batch: 8, Layers: []instance.Layer{
		{Name: "l", Forward: instance.Duration(upTo(38)) * tick, Backward: instance.Duration(upTo(38)) * tick, Parameters: instance.Bytes(upTo(40))},
		{Name: "l", Backward: instance.Duration(upTo(38)) * tick, Parameters: instance.Bytes(upTo(40))},
	}}
	spec := &instance.Spec{
		Version: instance.Version, TickUS: 1, Objective: objective, Profiles: []*instance.Profile{p},
		Cluster: instance.ClusterSpec{
			GPUTypes: []instance.GPUTypeSpec{{Name: "v100", Memory: 1 << 56}},
			Racks:    []instance.RackSpec{{Nodes: int(upTo(9)), GPUs: int(1 + upTo(5)), GPU: "v100", NIC: 1 << 50, Fabric: instance.BitRate(1) << (30 + rng.IntN(20))}},
		},
	}
	if objective.Periodic() && rng.IntN(2) == 0 {
		spec.MaxPeriod = instance.Duration(upTo(49))
	}
	for j := range 1 + rng.IntN(3) {
		job := instance.JobSpec{
			Name: string(rune('a' + j)), Model: "m", Workers: 1 + rng.IntN(2), Count: int(upTo(8)), Weight: min(1e9, upTo(30)),
			Placement: instance.PlacementSpec{Within: "node"},
		}
		if !objective.Periodic() {
			job.Iterations, job.Release = int(upTo(12)), instance.Duration(upTo(39))*tick
		}
		if rng.IntN(2) == 0 {
			job.SPB = instance.SPBSpec{Rule: "free", MinMeanDepth: 600_000}
		}
		spec.Jobs = append(spec.Jobs, job)
	}
	return instance.Compile(spec, nil)
}

// oneByOne returns the value of running the jobs one after the other; for rates, one
// iteration of each in turn.
func oneByOne(in *instance.Instance) *big.Rat {
	now, sum, slowest := new(big.Int), new(big.Rat), new(big.Rat)
	for i := range in.Jobs {
		if r := big.NewInt(int64(in.Jobs[i].Release)); r.Cmp(now) > 0 {
			now = r
		}
	}
	for i := range in.Jobs {
		j := &in.Jobs[i]
		counts := make([]int, len(j.Depths))
		counts[j.Full()] = j.Workers
		if j.Rule.Fixed != nil {
			counts = j.Rule.Fixed
		}
		step := int64(j.On[0].Time[j.Full()])
		if j.HasSync() {
			span, _ := in.Span([]instance.GPUID{0, 1}[:j.Workers])
			step += int64(in.SyncTicks(j.Volume(counts, span.Parties), span.Rate(in.RateLevels[0])))
		}
		now.Add(now, exact.Mul(step, int64(j.Iterations)))
		end := new(big.Rat).SetInt(now)
		sum.Add(sum, end.Mul(end, new(big.Rat).SetInt64(j.Weight)))
		if one := big.NewRat(int64(j.FastestFull()), j.Weight); i == 0 || one.Cmp(slowest) < 0 {
			slowest = one
		}
	}
	period := new(big.Rat).SetInt(now)
	switch in.Objective {
	case instance.Makespan:
		return period
	case instance.WeightedCompletion:
		return sum
	case instance.MaxMinThroughput:
		return slowest.Quo(slowest, period)
	}
	weights := new(big.Rat)
	for i := range in.Jobs {
		weights.Add(weights, new(big.Rat).SetInt64(in.Jobs[i].Weight))
	}
	return weights.Quo(weights, period)
}

// TestNoOverflow: if numbers are too large for machine integers, or for exact floating point,
// a bound is missing, not wrong; the same holds for certificates with any prices.
func TestNoOverflow(t *testing.T) {
	s := boundtest.Engine(t)
	n := 100
	if testing.Short() {
		n = 25
	}
	proven, refused := 0, 0
	for _, objective := range instance.Objectives() {
		for seed := range uint64(n) {
			rng := rand.New(rand.NewPCG(seed, 86))
			in, err := vast(rng, objective)
			if err != nil {
				continue
			}
			schedule := oneByOne(in)
			if in.MaxPeriod > 0 && new(big.Rat).Inv(schedule).Sign() > 0 && objective.Periodic() {
				schedule = new(big.Rat) // the period may be too long
			}
			holds := func(b bound.Bound) {
				if b.Value != nil {
					require.False(t, in.Objective.Better(schedule, b.Value), "%s, seed %d: %s bound %s, but a schedule has %s", objective, seed, b.Kind, b.Value, schedule)
					proven++
				}
			}
			holds(area.Chain(in))
			holds(area.Bound(in))
			f := fluid.New(relax.New(in), fluid.UsualDetail(defaultColumns))
			if f.Linear.Fits() == nil { // the engine may still fail with such numbers
				if b, err := Bound(context.Background(), in, s, Limits{Solver: solver.Limits{Iterations: 2000}}); err == nil {
					holds(b)
				}
				continue
			}
			refused++
			_, err = Bound(context.Background(), in, s, Limits{})
			require.ErrorContains(t, err, "too large")
			prices := make([]*big.Int, len(f.Linear.Rows))
			for i := range prices {
				if prices[i] = big.NewInt(rng.Int64N(100)); f.Linear.Rows[i].Sense == linear.AtMost {
					prices[i].Neg(prices[i])
				}
			}
			_, err = verify.Check(context.Background(), in, &relax.Certificate{Kind: relax.FluidBound, Columns: defaultColumns, Denominator: big.NewInt(1), Prices: prices})
			require.ErrorContains(t, err, "too large")
		}
	}
	t.Logf("%d bounds, %d programs refused", proven, refused)
	assert.Greater(t, proven, n)
	assert.Greater(t, refused, n/2)
}

// TestWrappedCapacity: iterations of 2^40 ticks in periods of 2^50, on 2^14 GPUs, whose time
// would wrap to nothing, and with it the bound.
func TestWrappedCapacity(t *testing.T) {
	s := boundtest.Engine(t)
	half := instance.Duration(1<<39) * 1000
	in := boundtest.Compile(t, &instance.Spec{
		Version: instance.Version, TickUS: 1, Objective: instance.Throughput,
		Profiles: []*instance.Profile{{Model: "m", GPU: "v100", Batch: 8, Layers: []instance.Layer{{Name: "l", Forward: half, Backward: half}}}},
		Cluster: instance.ClusterSpec{
			GPUTypes: []instance.GPUTypeSpec{{Name: "v100", Memory: 1 << 30}},
			Racks:    []instance.RackSpec{{Nodes: 64, GPUs: 256, GPU: "v100", NIC: 8e9, Fabric: 80e9}},
		},
		Jobs: []instance.JobSpec{{Name: "a", Model: "m", Workers: 1, Count: 2}},
	})
	schedule := big.NewRat(2, 1<<40) // each on a GPU of its own
	b, err := Bound(context.Background(), in, s, Limits{})
	if err == nil {
		require.NotNil(t, b.Value)
		require.False(t, in.Objective.Better(schedule, b.Value), "the bound is %s", b.Value)
	} else {
		require.ErrorContains(t, err, "too large")
	}
}
