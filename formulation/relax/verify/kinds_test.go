package verify_test

import (
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/bound/area"
	"jigsaw/formulation/bound/columns"
	"jigsaw/formulation/bound/fluid"
	"jigsaw/formulation/bound/horizon"
	"jigsaw/formulation/bound/intervals"
	"jigsaw/formulation/bound/packing"
	"jigsaw/formulation/bound/periods"
	"jigsaw/formulation/boundtest"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/instancetest"
	"jigsaw/formulation/relax"
	"jigsaw/formulation/relax/verify"
	"jigsaw/formulation/tree"
)

var (
	// Set by scripts/kernel -update.
	all   = flag.Bool("all", false, "make certificates of many instances for testdata")
	prune = flag.Bool("prune", false, "remove those whose checks execute nothing that the checks of smaller ones do not; with -cover")
)

// scarce is the first seed of the instances with too little memory for all jobs together.
const scarce = 1000

// drawn is the random instance of a seed, objective and kind of proof.
func drawn(seed uint64, objective instance.Objective, kind relax.Kind) *instance.Instance {
	if kind == relax.MemoryTimeBound {
		return instancetest.Queueing(rand.New(rand.NewPCG(seed, 93)), objective)
	}
	in := instancetest.Random(rand.New(rand.NewPCG(seed, 91)), instancetest.Options{Objective: objective, Jobs: 4})
	if seed >= scarce {
		for t := range in.Types {
			in.Types[t].Memory = in.Types[t].Memory * 2 / 3
		}
	}
	if kind == relax.PeriodsBound && seed%2 == 1 {
		in.MaxPeriod = 0
	}
	if kind == relax.CostBound {
		for t := range in.Types {
			in.Types[t].Price = instance.Price(1_000_000 * (t + 1))
		}
	}
	return in
}

// TestKinds proves certificates of every kind, from testdata: only the kernel runs, which `make
// kernel` measures.
func TestKinds(t *testing.T) {
	if *all {
		makeKinds(t)
		return
	}
	files, err := filepath.Glob("testdata/*.json")
	require.NoError(t, err)
	if *prune {
		slices.SortStableFunc(files, func(a, b string) int { return cmp.Compare(sizeOf(t, a), sizeOf(t, b)) })
	}
	kinds, nodes := map[relax.Kind]int{}, map[string]int{}
	placements := 0
	for _, file := range files {
		var kind, objective string
		var seed uint64
		_, err := fmt.Sscan(strings.NewReplacer("-", " ", ".json", "").Replace(filepath.Base(file)), &kind, &objective, &seed)
		require.NoError(t, err, file)
		data, err := os.ReadFile(file)
		require.NoError(t, err)
		in := drawn(seed, instance.Objective(objective), relax.Kind(kind))
		c := boundtest.Read(t, in, data)
		covered := testing.Coverage()
		p, err := verify.Certificate(context.Background(), in, c)
		require.NoError(t, err, file)
		if *prune && testing.Coverage() == covered {
			require.NoError(t, os.Remove(file))
			continue
		}
		require.EqualValues(t, kind, p.Kind)
		kinds[p.Kind]++
		for _, n := range c.Tree {
			nodes[n.Kind]++
		}
		if kind == string(relax.PresolveProof) && relax.Infeasible(in) == nil {
			placements++ // the states of memory are enumerated
		}
	}
	for _, kind := range []string{relax.LeafKind, relax.PackedKind, relax.EmptyKind} {
		assert.Positive(t, nodes[kind], "no tree with a node of kind %s", kind)
	}
	assert.Positive(t, placements)
	for _, kind := range relax.Kinds() {
		assert.Positive(t, kinds[kind], "no certificate of kind %s", kind)
	}
}

func sizeOf(t *testing.T, file string) int64 {
	info, err := os.Stat(file)
	require.NoError(t, err)
	return info.Size()
}

// makeKinds writes certificates of every kind and objective, for many instances.
func makeKinds(t *testing.T) {
	ctx, engine := context.Background(), boundtest.LiveEngine(t)
	require.NoError(t, os.RemoveAll("testdata"))
	require.NoError(t, os.MkdirAll("testdata", 0o755))
	for _, objective := range instance.Objectives() {
		put := func(seed uint64, p relax.Proven) {
			c := p.Proof(drawn(seed, objective, p.Kind))
			if c == nil {
				return
			}
			data, err := json.Marshal(c)
			require.NoError(t, err)
			if len(data) <= 20_000 {
				require.NoError(t, os.WriteFile(fmt.Sprintf("testdata/%s-%s-%d.json", p.Kind, objective, seed), append(data, '\n'), 0o644))
			}
		}
		for seed, left := uint64(scarce), 2; left > 0 && objective != instance.Throughput; seed++ {
			in := drawn(seed, objective, relax.PresolveProof)
			if relax.Infeasible(in) != nil {
				continue
			}
			if reasons := relax.NoPlacement(ctx, in, 1_000_000); reasons != nil {
				put(seed, relax.Refuted(in, reasons))
				left--
			}
		}
		for seed := range uint64(400) {
			in := drawn(seed, objective, "")
			write := func(p relax.Proven) { put(seed, p) }
			if reasons := relax.Infeasible(in); reasons != nil {
				if write(relax.Refuted(in, reasons)); !objective.Periodic() {
					continue
				}
			}
			write(area.Chain(in).Proven)
			if !objective.Periodic() {
				dear := relax.New(drawn(seed, objective, relax.CostBound))
				write(*area.CostBy(dear, 6))
				if p := area.Molds([][]*relax.Model{{relax.New(in)}}); objective == instance.Makespan && p.Kind == relax.WeightsBound {
					write(*p)
				}
				write(horizon.Memory(drawn(seed, objective, relax.MemoryTimeBound)).Proven)
			}
			cheap := area.Bound(in)
			write(cheap.Proven)
			b, err := fluid.Bound(ctx, in, engine, fluid.Limits{Columns: 200})
			require.NoError(t, err)
			write(b.Proven)
			if objective != instance.WeightedCompletion {
				b, err := periods.Bound(ctx, drawn(seed, objective, relax.PeriodsBound), engine, periods.Limits{Until: boundtest.NoSchedule, Nodes: 40})
				require.NoError(t, err)
				if write(b.Proven); objective.Periodic() {
					continue
				}
			}
			b, err = packing.Bound(ctx, in, engine, packing.Limits{Known: cheap.Value})
			require.NoError(t, err)
			write(b.Proven)
			b, err = columns.Bound(ctx, in, engine, columns.Limits{Known: big.NewRat(1, 1)})
			require.NoError(t, err)
			write(b.Proven)
			if objective == instance.WeightedCompletion {
				b, err = intervals.Bound(ctx, in, engine, intervals.Limits{})
				require.NoError(t, err)
				write(b.Proven)
			}
			start, ok := instancetest.ValidSchedule(rand.New(rand.NewPCG(seed, 92)), in)
			if !ok || start.Makespan(in) > 60 {
				continue
			}
			r, err := tree.BranchAndPrice(ctx, in, engine, tree.Limits{Start: start, Nodes: 60})
			if err == nil && r.Bound.Value != nil {
				write(r.Bound.Proven)
			}
		}
	}
}
