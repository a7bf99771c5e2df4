package jigsaw_test

import (
	"bytes"
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax"
	"jigsaw/solver/backend"
)

// oneLink has jobs of two workers, each pair of GPUs of a type of its own, which all
// synchronise over one link: their rates are no equal shares of it.
func oneLink(t *testing.T, rng *rand.Rand, objective instance.Objective) *instance.Instance {
	const tick = instance.Duration(1e6)
	s := &instance.Spec{Version: instance.Version, Objective: objective}
	c := &s.Cluster
	c.Switches, c.RateLevels = []instance.SwitchSpec{{Name: "s0"}, {Name: "s1"}}, []instance.RateLevel{1, 2}
	c.Links = []instance.LinkSpec{{Name: "l", From: "s0", To: "s1", Rate: 10e6}}
	for _, name := range []string{"a", "b"} {
		c.GPUTypes = append(c.GPUTypes, instance.GPUTypeSpec{Name: name, Memory: 1 << 30, ProfiledAs: []instance.ProfiledAs{{GPU: "a"}}})
		for _, at := range []string{"s0", "s1"} {
			c.Nodes = append(c.Nodes, instance.NodeSpec{Name: at + name, Switch: at, GPUs: 1, GPU: name, NIC: instance.BitRate(5_100_000 + 400_000*rng.IntN(4)), Fabric: 8e6})
		}
	}
	for m := range 3 {
		p := &instance.Profile{Model: fmt.Sprint("m", m), GPU: "a", Batch: 1}
		for range 2 {
			p.Layers = append(p.Layers, instance.Layer{Forward: tick / 2, Backward: tick / 2 * instance.Duration(1+rng.IntN(4)), Parameters: instance.Bytes(400 * (1 + rng.IntN(5)))})
		}
		s.Profiles = append(s.Profiles, p)
	}
	for n := range 3 {
		j := instance.JobSpec{Name: fmt.Sprint("j", n), Model: fmt.Sprint("m", rng.IntN(3)), Workers: 2, Iterations: 1 + rng.IntN(3), Weight: 1 + rng.Int64N(4)}
		j.Placement.GPUTypes = []string{string(rune('a' + rng.IntN(2)))}
		j.SPB = instance.SPBSpec{Rule: "free", MinMeanDepth: 600_000, Cuts: 2}
		s.Jobs = append(s.Jobs, j)
	}
	in, err := instance.Compile(s, nil)
	require.NoError(t, err)
	return in
}

// TestPlannedTrees reads and proves certificates of plans whose trees have splits of times,
// and changes each node: a claim that is not true is refused.
func TestPlannedTrees(t *testing.T) {
	if _, err := backend.Default(); err != nil {
		t.Skip(err)
	}
	splits := map[string]int{}
	refused, tried := 0, 0
	for _, seed := range []uint64{12, 21, 48} {
		in := oneLink(t, rand.New(rand.NewPCG(seed, 86)), []instance.Objective{instance.Makespan, instance.WeightedCompletion}[seed%2])
		r, err := jigsaw.Plan(context.Background(), in, jigsaw.Options{})
		require.NoError(t, err)
		require.Equal(t, jigsaw.Optimal, r.Status, "seed %d", seed)
		require.NotNil(t, r.Proof)
		require.Equal(t, relax.TreeBound, r.Proof.Kind)
		var file bytes.Buffer
		require.NoError(t, jigsaw.EncodeCertificate(&file, r.Proof))
		proof, err := jigsaw.DecodeCertificate(in, &file)
		require.NoError(t, err)
		_, err = jigsaw.Certify(context.Background(), in, proof)
		require.NoError(t, err)
		for i := range proof.Tree {
			n, whole := &proof.Tree[i], proof.Tree[i]
			splits[n.Kind]++
			for _, change := range []func(){func() { n.At++ }, func() { n.At-- }, func() { n.Job++ }, func() { n.Iteration++ }, func() { n.Kind = "home" }} {
				change()
				tried++
				if b, err := jigsaw.Certify(context.Background(), in, proof); err != nil {
					refused++
				} else { // another true proof
					assert.LessOrEqual(t, b.Value.Cmp(in.Value(r.Schedule)), 0)
				}
				*n = whole
			}
		}
		proof.Bound = relax.NewClaim(new(big.Rat).Add(&proof.Bound.Rat, big.NewRat(1, 1)))
		for i := range proof.Tree {
			if proof.Tree[i].Target > 0 {
				proof.Tree[i].Target++
			}
		}
		_, err = jigsaw.Certify(context.Background(), in, proof)
		require.Error(t, err, "seed %d: a bound above the optimum", seed)
	}
	t.Logf("nodes %v; %d of %d changes refused", splits, refused, tried)
	for kind, least := range map[string]int{"end": 6, "start": 6, "sync": 1} { // splits of syncs are rare: one of 120 seeds has any
		assert.GreaterOrEqual(t, splits[kind], least, kind)
	}
	assert.Greater(t, refused, tried/2)
}
