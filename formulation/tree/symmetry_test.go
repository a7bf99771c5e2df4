package tree

import (
	"context"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/bound/columns"
	"jigsaw/formulation/boundtest"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
	"jigsaw/formulation/instance/instancetest"
	"jigsaw/formulation/relax"
	"jigsaw/formulation/relax/cases"
	"jigsaw/formulation/relax/verify"
)

// images lists schedules of the same value that only differ in the names of GPUs and of
// identical jobs, as plans of each job: those that a tree may identify.
func images(in *instance.Instance, s *instance.Schedule) (list [][]*columns.Plan) {
	value := in.Value(s)
	permute(len(in.GPUs), func(gpu []int) {
		permute(len(in.Jobs), func(job []int) {
			for a, b := range job {
				if !slices.ContainsFunc(in.Classes(), func(class []instance.JobID) bool {
					return slices.Contains(class, instance.JobID(a)) && slices.Contains(class, instance.JobID(b))
				}) {
					return
				}
			}
			image := &instance.Schedule{Period: s.Period, Residency: make([][]instance.GPUID, len(in.Jobs))}
			for j, home := range s.Residency {
				for _, g := range home {
					image.Residency[job[j]] = append(image.Residency[job[j]], instance.GPUID(gpu[g]))
				}
				slices.Sort(image.Residency[job[j]])
			}
			for _, t := range s.Tasks {
				t.Job, t.GPU = instance.JobID(job[t.Job]), instance.GPUID(gpu[t.GPU])
				image.Tasks = append(image.Tasks, t)
			}
			for _, y := range s.Syncs {
				y.Job = instance.JobID(job[y.Job])
				image.Syncs = append(image.Syncs, y)
			}
			if image.Sort(); len(check.Schedule(in, image)) == 0 && in.Value(image).Cmp(value) == 0 {
				list = append(list, plansOf(in, image))
			}
		})
	})
	return list
}

// permute calls f with every order of n things.
func permute(n int, f func([]int)) {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	var from func(at int)
	from = func(at int) {
		if at == n {
			f(order)
			return
		}
		for i := at; i < n; i++ {
			order[at], order[i] = order[i], order[at]
			from(at + 1)
			order[at], order[i] = order[i], order[at]
		}
	}
	from(0)
}

// plansOf returns the plan of each job in a schedule.
func plansOf(in *instance.Instance, s *instance.Schedule) []*columns.Plan {
	list := make([]*columns.Plan, len(in.Jobs))
	for j := range list {
		job := &in.Jobs[j]
		list[j] = &columns.Plan{Assignment: s.Residency[j], Ends: make([]int64, job.Iterations), Syncs: make([]columns.SyncStart, job.Iterations)}
		for range job.Iterations {
			list[j].Tasks = append(list[j].Tasks, make([]columns.TaskStart, job.Workers))
		}
	}
	for _, t := range s.Tasks {
		p := list[t.Job]
		p.Tasks[t.Iteration-1][slices.Index(p.Assignment, t.GPU)] = columns.TaskStart{Start: int64(t.Start), Depth: t.Depth}
		p.Ends[t.Iteration-1] = max(p.Ends[t.Iteration-1], int64(t.End))
	}
	for _, y := range s.Syncs {
		p := list[y.Job]
		p.Syncs[y.Iteration-1] = columns.SyncStart{Start: int64(y.Start), Level: slices.Index(in.RateLevels, y.Rate)}
		p.Ends[y.Iteration-1] = max(p.Ends[y.Iteration-1], int64(y.End))
	}
	return list
}

// holdsPlans reports whether a schedule, given by the plan of each job, belongs to the node.
func holdsPlans(n *cases.Node, plans []*columns.Plan) bool {
	for j, b := range n.Jobs {
		p := *plans[j]
		if b.Assignment == nil {
			p.Assignment = nil
		}
		if !allows(b, &p) {
			return false
		}
	}
	return true
}

// anySplit draws a valid split at the node, about something that happens in a plan.
func anySplit(n *cases.Node, rng *rand.Rand, in *instance.Instance, plans []*columns.Plan) cases.Split {
	kinds := []cases.SplitKind{cases.SplitEnd, cases.SplitEnd, cases.SplitAssignment, cases.SplitStart, cases.SplitSync, cases.SplitSingle}
	for {
		how := cases.Split{Kind: kinds[rng.IntN(len(kinds))], Job: rng.IntN(len(in.Jobs))}
		job, p := &in.Jobs[how.Job], plans[how.Job]
		how.Iteration, how.Worker = rng.IntN(job.Iterations), rng.IntN(job.Workers)
		switch task := p.Tasks[how.Iteration][how.Worker]; how.Kind {
		case cases.SplitEnd:
			how.At = p.Ends[how.Iteration]
		case cases.SplitStart:
			how.At = task.Start
		case cases.SplitSync:
			how.At = p.Syncs[how.Iteration].Start
		}
		if how.Kind != cases.SplitAssignment && how.Kind != cases.SplitSingle {
			how.At = max(0, how.At-int64(rng.IntN(2)))
		}
		if !n.Fits(in, how) {
			continue
		}
		switch how.Kind { // details for the other kinds
		case cases.SplitAssignment, cases.SplitSingle:
			how.Iteration, how.Worker = 0, 0
		case cases.SplitEnd, cases.SplitSync:
			how.Worker = 0
		}
		if how.Kind == cases.SplitSingle {
			how.Job = 0
		}
		return how
	}
}

// TestTreesOfAnySplits divides tiny instances by arbitrary valid splits, in any order.
// Some leaf contains an optimal schedule, or one that only differs from it in names; and
// no prices and no orders of tasks prove that such a leaf contains none as good.
func TestTreesOfAnySplits(t *testing.T) {
	engine := boundtest.LiveEngine(t)
	n, trees := uint64(1500), 12
	if testing.Short() {
		n, trees = 150, 6
	}
	told, held, alike := 0, 0, 0
	for seed := range n {
		rng := rand.New(rand.NewPCG(seed, 84))
		in := instancetest.Random(rng, instancetest.Options{Objective: []instance.Objective{instance.Makespan, instance.WeightedCompletion}[seed%2]})
		if relax.Infeasible(in) != nil {
			continue
		}
		best, schedule, status := instancetest.Optimum(in)
		if status != instancetest.Optimal {
			continue
		}
		p := newTreeProblem(in, engine, Limits{Start: schedule})
		if p == nil {
			continue
		}
		same := images(in, schedule)
		require.NotEmpty(t, same)
		if len(same) > 1 {
			alike++
		}
		for range trees {
			var leaves []*cases.Node
			var grow func(n *cases.Node, splits int)
			grow = func(n *cases.Node, splits int) {
				if !slices.ContainsFunc(same, func(plans []*columns.Plan) bool { return holdsPlans(n, plans) }) {
					return
				}
				if splits == 0 {
					leaves = append(leaves, n)
					return
				}
				children, ok := n.Children(in, anySplit(n, rng, in, same[rng.IntN(len(same))]), cases.MostAssignments)
				require.True(t, ok)
				for _, c := range children {
					grow(c, splits-1)
				}
			}
			grow(p.root.node, 1+rng.IntN(10))
			require.NotEmpty(t, leaves, "seed %d: no leaf holds an optimal schedule", seed)
			told++
			n := leaves[rng.IntN(len(leaves))]
			p.target = best.Num().Int64() + 1
			require.Nil(t, p.packed(context.Background(), n), "seed %d", seed)
			proof, _ := p.order(context.Background(), n, p.target, 1<<20)
			require.Nil(t, proof, "seed %d", seed)
			if n.Single && !n.Decided() {
				continue // a split that the search does not make
			}
			at := &node{node: n}
			_, err := p.close(context.Background(), at, nodeBuckets[rng.IntN(len(nodeBuckets))], nil)
			require.NoError(t, err)
			require.Nil(t, at.proof, "seed %d", seed)
			held++
		}
	}
	t.Logf("%d trees, %d leaves, %d instances with more than one name for a schedule", told, held, alike)
	assert.Greater(t, alike, int(n)/5)
}

// TestLimitsTellGPUsApart: two GPUs are alike until a split limits the tasks on one of them,
// and so are two nodes.
func TestLimitsTellGPUsApart(t *testing.T) {
	for _, rack := range []instance.RackSpec{
		{Nodes: 1, GPUs: 2, GPU: "v100", NIC: 8e9, Fabric: 80e9},
		{Nodes: 2, GPUs: 1, GPU: "v100", NIC: 8e9, Fabric: 80e9},
	} {
		in := boundtest.Compile(t, &instance.Spec{
			Version: instance.Version, Profiles: []*instance.Profile{boundtest.FourLayers()},
			Cluster: instance.ClusterSpec{GPUTypes: []instance.GPUTypeSpec{{Name: "v100", Memory: 1 << 30}}, Racks: []instance.RackSpec{rack}},
			Jobs:    []instance.JobSpec{{Name: "a", Model: "four", Workers: 2, Iterations: 2}, {Name: "b", Model: "four", Workers: 1}},
		})
		homes := func(n *cases.Node, job int) [][]instance.GPUID {
			list, ok := n.Assignments(in, job, cases.MostAssignments)
			require.True(t, ok)
			return list
		}
		root := cases.Root(in)
		require.Equal(t, [][]instance.GPUID{{0, 1}}, homes(root, 0))
		decided, ok := root.Children(in, cases.Split{Kind: cases.SplitAssignment, Job: 0}, cases.MostAssignments)
		require.True(t, ok)
		for _, how := range []cases.Split{{Kind: cases.SplitEnd, At: 20}, {Kind: cases.SplitSync, At: 20}} {
			children, _ := decided[0].Children(in, how, cases.MostAssignments)
			for _, child := range children {
				require.Equal(t, [][]instance.GPUID{{0}}, homes(child, 1), "%v", how)
			}
		}
		children, _ := decided[0].Children(in, cases.Split{Kind: cases.SplitStart, Iteration: 1, Worker: 1, At: 20}, cases.MostAssignments)
		for _, child := range children {
			require.Equal(t, [][]instance.GPUID{{0}, {1}}, homes(child, 1))
		}
	}
}

// TestForged changes trees that prove an optimum: splits and leaves are swapped, copied, left
// out and changed. The resulting proof is rejected, or proves no more than the optimum.
func TestForged(t *testing.T) {
	engine := boundtest.LiveEngine(t)
	n := uint64(400)
	if testing.Short() {
		n = 40
	}
	forged, believed := 0, 0
	for seed := range n {
		rng := rand.New(rand.NewPCG(seed, 85))
		in := instancetest.Random(rng, instancetest.Options{Objective: []instance.Objective{instance.Makespan, instance.WeightedCompletion}[seed%2]})
		best, schedule, status := instancetest.Optimum(in)
		if relax.Infeasible(in) != nil || status != instancetest.Optimal {
			continue
		}
		r, err := BranchAndPrice(context.Background(), in, engine, Limits{Start: schedule})
		require.NoError(t, err)
		proof := r.Bound.Proof(in)
		plans := plansOf(in, schedule)
		for range 60 {
			c := *proof
			c.Tree = slices.Clone(proof.Tree)
			claim := rng.Int64N(3)
			for range 1 + rng.IntN(3) {
				i, j := rng.IntN(len(c.Tree)), rng.IntN(len(c.Tree))
				switch p := &c.Tree[i]; rng.IntN(8) {
				case 0:
					c.Tree[i], c.Tree[j] = c.Tree[j], c.Tree[i]
				case 1:
					c.Tree = slices.Insert(c.Tree, i, c.Tree[j])
				case 2:
					if len(c.Tree) > 1 {
						c.Tree = slices.Delete(c.Tree, i, i+1)
					}
				case 3:
					p.Job = rng.IntN(len(in.Jobs)+2) - 1
				case 4:
					p.At, p.Worker = p.At+int64(rng.IntN(3)-1), p.Worker+rng.IntN(3)-1
				case 5:
					p.Sets = append(slices.Clone(p.Sets), rng.IntN(len(in.Jobs)))
				default: // one more split, with the following nodes used on each side
					how := anySplit(cases.Root(in).With(0, func(b *cases.JobLimits) { b.Assignment = plans[0].Assignment }), rng, in, plans)
					c.Tree = slices.Insert(c.Tree, i, relax.ProofNode{Kind: string(how.Kind), Job: how.Job, Iteration: how.Iteration, Worker: how.Worker, At: how.At})
					if rest := c.Tree[i+1:]; rng.IntN(2) == 0 {
						c.Tree = slices.Concat(c.Tree, rest)
						c.Prices = slices.Concat(c.Prices, c.Prices)
					}
				}
			}
			for i := range c.Tree {
				if p := &c.Tree[i]; p.Target > 0 {
					p.Target += claim
				}
			}
			c.Bound = relax.NewClaim(new(big.Rat).Add(&c.Bound.Rat, big.NewRat(claim, 1)))
			forged++
			if b, err := verify.Certificate(context.Background(), in, &c); err == nil {
				require.LessOrEqual(t, b.Value.Cmp(best), 0, "seed %d", seed)
				believed++
			}
		}
	}
	t.Logf("%d trees, of which %d prove what they may", forged, believed)
	assert.Greater(t, believed, forged/100)
}
