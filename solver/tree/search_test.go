package tree_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/solver/tree"
)

// knapsack maximises the value of items within a capacity; as a minimisation
// its values are negated. Items are sorted by decreasing value per weight.
type knapsack struct {
	worth, weight []int
	capacity      int
	evaluated     []packing
}

// packing has decided on the items before next.
type packing struct{ next, room, worth int }

// Evaluate bounds by filling the room with a fraction of the next items.
func (k *knapsack) Evaluate(_ context.Context, n packing, _ float64) (tree.Outcome[packing], error) {
	k.evaluated = append(k.evaluated, n)
	value := -float64(n.worth)
	if n.next == len(k.worth) {
		return tree.Outcome[packing]{Bound: value, Closed: true, Incumbent: &value}, nil
	}
	bound, room := value, n.room
	for i := n.next; i < len(k.worth); i++ {
		part := min(1, float64(room)/float64(k.weight[i]))
		bound -= part * float64(k.worth[i])
		if part < 1 {
			break
		}
		room -= k.weight[i]
	}
	out := tree.Outcome[packing]{Bound: bound}
	if w := k.weight[n.next]; w <= n.room {
		out.Children = append(out.Children, packing{n.next + 1, n.room - w, n.worth + k.worth[n.next]})
	}
	out.Children = append(out.Children, packing{n.next + 1, n.room, n.worth})
	return out, nil
}

func (k *knapsack) optimum() int {
	best := make([]int, k.capacity+1)
	for i := range k.worth {
		for room := k.capacity; room >= k.weight[i]; room-- {
			best[room] = max(best[room], best[room-k.weight[i]]+k.worth[i])
		}
	}
	return best[k.capacity]
}

// whole is the rounding of values that are integers.
func whole(bound float64) float64 { return math.Ceil(bound - 1e-6) }

// S. Martello and P. Toth, Knapsack Problems (1990), chapter 2: optimum 107.
func textbook() *knapsack {
	return &knapsack{worth: []int{70, 20, 39, 37, 7, 5, 10}, weight: []int{31, 10, 20, 19, 4, 3, 6}, capacity: 50}
}

func randomKnapsack(rng *rand.Rand) *knapsack {
	k := &knapsack{capacity: 20 + rng.IntN(60)}
	for range 4 + rng.IntN(12) {
		k.worth = append(k.worth, 1+rng.IntN(30))
		k.weight = append(k.weight, 1+rng.IntN(30))
	}
	for i := range k.worth { // by falling ratio
		for j := i; j > 0 && k.worth[j]*k.weight[j-1] > k.worth[j-1]*k.weight[j]; j-- {
			k.worth[j], k.worth[j-1] = k.worth[j-1], k.worth[j]
			k.weight[j], k.weight[j-1] = k.weight[j-1], k.weight[j]
		}
	}
	return k
}

func TestTextbookKnapsack(t *testing.T) {
	k := textbook()
	require.Equal(t, 107, k.optimum())
	r, err := tree.Search(context.Background(), k, packing{room: k.capacity}, tree.Options[packing]{Round: whole})
	require.NoError(t, err)
	assert.Equal(t, tree.Closed, r.Status)
	assert.Equal(t, -107.0, r.Bound)
	assert.Equal(t, -107.0, r.Incumbent)
}

// Whatever the order of the search, the optimum is that of dynamic
// programming, and bounds rise to it.
func TestSearchAgainstDynamicProgramming(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		k := randomKnapsack(rng)
		want := -float64(k.optimum())
		for _, plunge := range []int{0, 1, 3} {
			bound, events := math.Inf(-1), 0
			options := tree.Options[packing]{Plunge: plunge, Events: func(e tree.Event) {
				events++
				require.Equal(t, events, e.Nodes)
				require.GreaterOrEqual(t, e.Bound, bound, "bounds never fall")
				require.LessOrEqual(t, e.Bound, want)
				require.GreaterOrEqual(t, e.Incumbent, want)
				bound = e.Bound
			}}
			if rng.IntN(2) == 0 {
				options.Round = whole
			}
			r, err := tree.Search(context.Background(), k, packing{room: k.capacity}, options)
			require.NoError(t, err)
			require.Equal(t, tree.Closed, r.Status)
			require.Equal(t, want, r.Bound)
			require.Equal(t, want, r.Incumbent)
			require.Equal(t, events, r.Nodes)
		}
	}
}

func TestLimits(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	limited := 0
	for range 200 {
		k := randomKnapsack(rng)
		want := -float64(k.optimum())
		nodes := 1 + rng.IntN(10)
		r, err := tree.Search(context.Background(), k, packing{room: k.capacity}, tree.Options[packing]{Nodes: nodes})
		require.NoError(t, err)
		require.LessOrEqual(t, r.Bound, want)
		require.GreaterOrEqual(t, r.Incumbent, want)
		if r.Status == tree.NodeLimit {
			limited++
			require.Equal(t, nodes, r.Nodes)
		}
	}
	assert.Greater(t, limited, 50)

	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r, err := tree.Search(ctx, textbook(), packing{room: 50}, tree.Options[packing]{})
	require.NoError(t, err)
	assert.Equal(t, tree.Stopped, r.Status)
	assert.Equal(t, math.Inf(-1), r.Bound)
}

// A cutoff from outside is a value like any other: with it, the tree closes
// without finding the point itself.
func TestCutoffFromOutside(t *testing.T) {
	k := textbook()
	best := math.Inf(1)
	r, err := tree.Search(context.Background(), k, packing{room: k.capacity}, tree.Options[packing]{
		Round: whole,
		Cutoff: func() float64 {
			if len(k.evaluated) > 0 {
				best = -107
			}
			return best
		}})
	require.NoError(t, err)
	assert.Equal(t, tree.Closed, r.Status)
	assert.Equal(t, -107.0, r.Bound)
	assert.Less(t, r.Nodes, 10)
}

// scripted evaluates nodes from a table.
type scripted map[string]func() (tree.Outcome[string], error)

func (s scripted) Evaluate(_ context.Context, n string, _ float64) (tree.Outcome[string], error) {
	return s[n]()
}

func split(bound float64, children ...string) func() (tree.Outcome[string], error) {
	return func() (tree.Outcome[string], error) {
		return tree.Outcome[string]{Bound: bound, Children: children}, nil
	}
}

func solved(value float64) func() (tree.Outcome[string], error) {
	return func() (tree.Outcome[string], error) {
		return tree.Outcome[string]{Bound: value, Closed: true, Incumbent: &value}, nil
	}
}

// An unresolved node limits the bound, except when an incumbent is as good as
// its bound.
func TestUnresolved(t *testing.T) {
	s := scripted{"root": split(1, "a", "b"), "a": split(4), "b": solved(9)}
	r, err := tree.Search(context.Background(), s, "root", tree.Options[string]{})
	require.NoError(t, err)
	assert.Equal(t, tree.Unresolved, r.Status)
	assert.Equal(t, 4.0, r.Bound)
	assert.Equal(t, 9.0, r.Incumbent)

	s["b"] = solved(4)
	r, err = tree.Search(context.Background(), s, "root", tree.Options[string]{})
	require.NoError(t, err)
	assert.Equal(t, tree.Closed, r.Status)
	assert.Equal(t, 4.0, r.Bound)
}

// An error leaves its node open, so that the bound stays valid.
func TestEvaluateFails(t *testing.T) {
	broken := errors.New("broken")
	s := scripted{"root": split(1, "a", "b"), "a": solved(7), "b": func() (tree.Outcome[string], error) {
		return tree.Outcome[string]{Bound: 100, Closed: true}, broken
	}}
	r, err := tree.Search(context.Background(), s, "root", tree.Options[string]{})
	require.ErrorIs(t, err, broken)
	assert.Equal(t, tree.Failed, r.Status)
	assert.Equal(t, 1.0, r.Bound)
	assert.Equal(t, 7.0, r.Incumbent)
}

// Weaker bounds of children do not undo what their parent proved.
func TestBoundsAreInherited(t *testing.T) {
	s := scripted{"root": split(5, "a"), "a": split(math.Inf(-1), "b"), "b": split(2)}
	r, err := tree.Search(context.Background(), s, "root", tree.Options[string]{})
	require.NoError(t, err)
	assert.Equal(t, tree.Unresolved, r.Status)
	assert.Equal(t, 5.0, r.Bound)
}

func TestStatusString(t *testing.T) {
	assert.Equal(t, "closed", tree.Closed.String())
	assert.Equal(t, "node limit", tree.NodeLimit.String())
	assert.Equal(t, "status 9", tree.Status(9).String())
}
