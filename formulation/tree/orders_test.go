package tree

import (
	"context"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
	"jigsaw/formulation/instance/instancetest"
	"jigsaw/formulation/relax"
	"jigsaw/formulation/relax/cases"
	"jigsaw/formulation/relax/exact"
	"jigsaw/formulation/relax/orders"
	"jigsaw/formulation/relax/trees"
)

// decidedTree returns the tree of a random instance, a node at which the jobs live
// as in an optimal schedule, and the optimum; ok is false if the instance is not
// suitable for a tree.
func decidedTree(seed uint64) (t *search, n *cases.Node, best int64, ok bool) {
	rng := rand.New(rand.NewPCG(seed, 26))
	in := instancetest.Random(rng, instancetest.Options{Objective: []instance.Objective{instance.Makespan, instance.WeightedCompletion}[seed%2]})
	if relax.Infeasible(in) != nil {
		return nil, nil, 0, false
	}
	value, schedule, status := instancetest.Optimum(in)
	if status != instancetest.Optimal {
		return nil, nil, 0, false
	}
	if t = newTreeProblem(in, nil, Limits{Start: schedule}); t == nil {
		return nil, nil, 0, false
	}
	n = cases.Root(in)
	for j, home := range schedule.Residency {
		n = n.With(j, func(b *cases.JobLimits) { b.Assignment = home })
	}
	return t, n, value.Num().Int64(), true
}

// TestSequences compares sequencings with brute force: if the jobs live as in an optimal
// schedule they never prove more than the optimum, expanding few states finds nothing better
// than expanding all, and what is found is as good a schedule as claimed, ignoring links.
func TestSequences(t *testing.T) {
	n := uint64(2000)
	if testing.Short() {
		n = 100
	}
	examined, closed, valid, costs := 0, 0, 0, 0
	for seed := range n {
		p, node, best, ok := decidedTree(seed)
		if !ok {
			continue
		}
		for _, target := range []int64{best - 1, best, best + 1, best + 3} {
			master, ok := cases.NewProgram(p.m, node, p.modes, target, 1)
			if !ok {
				require.LessOrEqual(t, target, best, "seed %d", seed)
				continue
			}
			list := orders.Problems(master, node, target)
			sum, none := orders.Chains(master, list), false
			for _, q := range list {
				most := target - 1 - (sum - q.Chains)
				e := orders.Examiner{Ctx: context.Background(), Problem: q, Most: most, Steps: 1 << 24}
				least, ok := e.Examine()
				require.True(t, ok)
				narrow := orders.Examiner{Ctx: context.Background(), Problem: q, Most: most, Steps: 1 << 24, Width: 2}
				some, all := narrow.Examine()
				require.GreaterOrEqual(t, some, least, "seed %d, target %d", seed, target)
				require.True(t, some == least || !all, "seed %d, target %d", seed, target)
				examined++
				if least == exact.NoPrice {
					none = true
					break
				}
				if q.Weighted {
					require.LessOrEqual(t, least, most)
					sum += least - q.Chains
					costs++
				}
			}
			if none {
				require.LessOrEqual(t, target, best, "seed %d", seed)
				closed++
			}
		}
		// Together, ignoring links, they are no worse than the optimum.
		if _, schedule := p.order(context.Background(), node, best+1, 1<<24); assert.NotNil(t, schedule, "seed %d", seed) {
			require.LessOrEqual(t, p.in.Value(schedule).Cmp(big.NewRat(best, 1)), 0, "seed %d", seed)
			for _, problem := range check.Schedule(p.in, schedule) {
				require.Equal(t, 8, problem.Rule, "seed %d: %s", seed, problem)
			}
			if len(check.Schedule(p.in, schedule)) == 0 {
				valid++
			}
		}
	}
	t.Logf("%d examined, %d closed, %d sums, %d schedules valid", examined, closed, costs, valid)
	assert.Greater(t, closed, int(n)/10)
	assert.Greater(t, valid, int(n)/10)
	assert.Greater(t, costs, int(n)/10)
}

// TestSequenceLeaves tampers with leaves proven by the order of tasks.
func TestSequenceLeaves(t *testing.T) {
	seen := 0
	for seed := range uint64(60) {
		p, node, best, ok := decidedTree(seed)
		if !ok {
			continue
		}
		proof, _ := p.order(context.Background(), node, best, 1<<24)
		if proof == nil || len(proof.Sets) == 0 {
			continue
		}
		seen++
		prove := func(l trees.Leaf, steps int) bool {
			_, ok := trees.ProveOrders(context.Background(), p.m, node, p.modes, &l, steps)
			return ok
		}
		require.True(t, prove(proof.Leaf, 1<<24))
		require.False(t, prove(trees.Leaf{Target: best + 1, Sets: proof.Sets}, 1<<24), "seed %d", seed)
		require.False(t, prove(trees.Leaf{Target: best, Sets: append(slices.Clone(proof.Sets), proof.Sets[0])[1:]}, 1<<24) && len(proof.Sets) > 1)
		require.False(t, prove(trees.Leaf{Target: best, Sets: []int{len(p.in.Jobs)}}, 1<<24))
		require.False(t, prove(trees.Leaf{Target: best, Sets: []int{-1}}, 1<<24))
		require.False(t, prove(trees.Leaf{Target: best}, 1<<24))
	}
	assert.Greater(t, seen, 5)
}
