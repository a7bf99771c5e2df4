package sweep_test

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"jigsaw/study/store"
	"jigsaw/study/sweep"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// tiny is a study of cells that take milliseconds, the same with every engine.
const tiny = `
version: 1
name: tiny
mixes:
  - name: mixed
    models: [{model: alexnet}, {model: gnmt, weight: 2}, {model: vgg16}]
    workers: [{workers: 1}, {workers: 2, weight: 2}]
    seconds: [{time: 500ms}, {time: 1s}]
    weights: [1, 3]
    releases: 400ms
methods:
  - {name: fast, quick: true, no_lp: true}
base:
  clusters: [1x1x2]
  nic: [25Gbit/s]
sweeps:
  - name: network
    axes: {clusters: [1x2x1], nic: [5Gbit/s, 100Gbit/s], seeds: [1, 2]}
  - name: rules
    axes: {spb: [{rule: full}, {rule: ladder}, {rule: free, min_mean_depth: 0.5}]}
  - name: objectives
    axes: {objectives: [makespan, weighted_completion, throughput, max_min_throughput], load: [1, 2], workers: [1, 2]}
    sample: {cells: 6, seed: 7}
`

func decode(t require.TestingT, text string) *sweep.Study {
	study, err := sweep.Decode([]byte(text))
	require.NoError(t, err)
	return study
}

func create(t *testing.T, name string) *store.Store {
	t.Helper()
	db, err := store.Create(filepath.Join(t.TempDir(), name))
	require.NoError(t, err)
	t.Cleanup(func() { db.Close() })
	return db
}

// table is the study's table without what depends on the program.
func table(t *testing.T, study *sweep.Study, db *store.Store) string {
	t.Helper()
	lines, missing, err := sweep.Lines(study, db)
	require.NoError(t, err)
	require.Zero(t, missing)
	var timeless []store.Line
	for _, l := range lines {
		l.Key, l.Planner, l.Engine, l.PlanNotes = "", "", "", ""
		timeless = append(timeless, l.Line)
	}
	var b bytes.Buffer
	require.NoError(t, store.Write(&b, "csv", timeless))
	return b.String()
}

// TestStudy runs a study in one piece, with which the others are compared.
func TestStudy(t *testing.T) {
	study, whole := decode(t, tiny), create(t, "whole.db")
	p, err := sweep.Run(context.Background(), study, whole, sweep.Options{Parallel: 1})
	require.NoError(t, err)
	assert.Equal(t, p.Cells, p.Done)
	assert.Zero(t, p.Failed)
	assert.InDelta(t, p.Total, p.Weight, 1e-6)
	t.Run("golden table", func(t *testing.T) { goldenTable(t, study, whole) })
	t.Run("shards", func(t *testing.T) { shards(t, study, whole, p.Cells) })
	t.Run("resumed", func(t *testing.T) { resumed(t, study, whole) })
	t.Run("killed", func(t *testing.T) { killedAtAnyMoment(t, study, whole) })
}

// TestHours: plans of hours, made in blocks, have all figures that short plans have; jobs that do not fit together wait for memory.
func TestHours(t *testing.T) {
	study, db := decode(t, `
version: 1
name: hours
mixes: [{name: night, models: [{model: gnmt}, {model: bert24}], workers: [{workers: 2}], seconds: [{time: 1h}, {time: 2h}]}]
methods: [{name: fast, quick: true}]
sweeps: [{name: memory, axes: {clusters: [1x2x2], residence: [plan, run]}}]
`), create(t, "hours.db")
	p, err := sweep.Run(context.Background(), study, db, sweep.Options{})
	require.NoError(t, err)
	require.Zero(t, p.Failed)
	lines, _, err := sweep.Lines(study, db)
	require.NoError(t, err)
	require.Len(t, lines, 2)
	for _, l := range lines {
		require.NotNil(t, l.FullWork)
		assert.InEpsilon(t, *l.PlanEfficiency / *l.PlanGPUs, float64(*l.FullWork)/float64(*l.PlanWork), 1e-9)
		for name, v := range map[string]*float64{
			"queue": l.QueueGPUs, "exclusive": l.ExclusiveGPUs, "interleaved": l.InterleavedFullGPUs, "fewer, exclusive": l.FewerExclusiveGPUs, "fewer, interleaved": l.FewerInterleavedGPUs,
			"plan": l.PlanGPUs, "memory": l.PlanMemory, "NICs": l.PlanNICs, "link": l.PlanLink,
		} {
			if assert.NotNil(t, v, name) {
				assert.True(t, 0 <= *v && *v <= 1, "%s: %v", name, *v)
			}
		}
		require.NotNil(t, l.Gain)
		assert.GreaterOrEqual(t, *l.Gain, 0.0)
	}
}

// goldenTable compares a study with the instances that it had when its results
// were made. The planner's results for them may improve.
func goldenTable(t *testing.T, study *sweep.Study, db *store.Store) {
	lines, _, err := sweep.Lines(study, db)
	require.NoError(t, err)
	var asked []store.Line
	for _, l := range lines {
		assert.Contains(t, []string{"optimal", "feasible"}, l.Status)
		assert.True(t, l.Certified)
		require.NotNil(t, l.FullWork)
		// Full-depth work, and the part of it that is done, per GPU-tick until the
		// makespan.
		assert.InEpsilon(t, *l.PlanEfficiency / *l.PlanGPUs, float64(*l.FullWork)/float64(*l.PlanWork), 1e-9)
		for name, v := range map[string]*float64{"queue": l.Queue, "exclusive": l.Exclusive, "fewer, exclusive": l.FewerExclusive, "fewer, interleaved": l.FewerInterleaved} {
			assert.NotNil(t, v, name)
		}
		assert.Equal(t, *l.Queue > 0, l.Gain != nil, "a queue that leaves a job without GPUs has no least rate to compare with")
		l.Key, l.Planner, l.Engine = "", "", ""
		asked = append(asked, store.Line{Sweep: l.Sweep, Parameters: l.Parameters, Outcome: store.Outcome{Digest: l.Digest, TickUS: l.TickUS, Jobs: l.Jobs, Tasks: l.Tasks}})
	}
	var b bytes.Buffer
	require.NoError(t, store.Write(&b, "csv", asked))
	got := b.String()
	const golden = "testdata/tiny.csv"
	if *update {
		require.NoError(t, os.WriteFile(golden, []byte(got), 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	assert.Equal(t, string(want), got)
}

// shards: merged shards are the study, whatever the number of cells planned at a time, and nothing
// is planned twice, also for a study that has grown.
func shards(t *testing.T, study *sweep.Study, whole *store.Store, all int) {
	merged := create(t, "merged.db")
	cells := 0
	for i := range 3 {
		part := create(t, "part.db")
		p, err := sweep.Run(context.Background(), study, part, sweep.Options{Shard: sweep.Shard{Index: i, Count: 3}, Parallel: 3})
		require.NoError(t, err)
		cells += p.Cells
		require.NoError(t, part.Close())
		m, err := merged.Merge(part.Name())
		require.NoError(t, err)
		assert.Equal(t, store.Merged{Added: p.Cells}, m)
	}
	assert.Equal(t, all, cells)
	assert.Equal(t, table(t, study, whole), table(t, study, merged))

	grown := decode(t, strings.Replace(tiny, "seeds: [1, 2]", "seeds: [1, 2, 3]", 1))
	after, err := sweep.Run(context.Background(), grown, merged, sweep.Options{})
	require.NoError(t, err)
	assert.Equal(t, all, after.Held)
	assert.Equal(t, 2, after.Done-after.Held)
}

func TestShardsPartition(t *testing.T) {
	program := sweep.Program{Planner: "p", Engine: "e"}
	study := decode(t, tiny)
	all := map[string]int{}
	for _, c := range study.Work(program, sweep.Shard{}) {
		all[c.Key(program)]++
	}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(t, "shards")
		found := map[string]int{}
		least, most := 1<<30, 0
		for i := range n {
			work := study.Work(program, sweep.Shard{Index: i, Count: n})
			least, most = min(least, len(work)), max(most, len(work))
			for _, c := range work {
				found[c.Key(program)]++
			}
		}
		assert.Equal(t, all, found)
		assert.LessOrEqual(t, most-least, 1, "shards have about the same work")
	})
	for key, n := range all {
		assert.Equal(t, 1, n, key)
	}
}

// resumed stops a run after each number of cells in turn and resumes it.
func resumed(t *testing.T, study *sweep.Study, whole *store.Store) {
	db := create(t, "stopped.db")
	planned := 0
	for stop := 1; ; stop++ {
		ctx, cancel := context.WithCancel(context.Background())
		p, err := sweep.Run(ctx, study, db, sweep.Options{Parallel: 2, Progress: func(p sweep.Progress) {
			if p.Done-p.Held == stop {
				cancel()
			}
		}})
		planned += p.Done - p.Held
		cancel()
		if err == nil && p.Done == p.Cells {
			assert.Equal(t, p.Cells, planned, "every cell was planned once")
			break
		}
		require.ErrorIs(t, err, context.Canceled)
		require.Less(t, stop, 100)
	}
	assert.Equal(t, table(t, study, whole), table(t, study, db))
}

// TestSameJobs: cells that differ in rule, links, memory, objective or method
// have the same jobs; others do not.
func TestSameJobs(t *testing.T) {
	study := decode(t, tiny)
	jobs := func(change func(*sweep.Cell)) string {
		c := study.Cells(&study.Sweeps[0])[0]
		change(&c)
		spec, err := c.Spec(study.Library())
		require.NoError(t, err)
		var b strings.Builder
		for _, j := range spec.Jobs {
			b.WriteString(j.Name + " " + strings.Repeat("k", j.Workers) + " ")
		}
		return b.String()
	}
	want := jobs(func(*sweep.Cell) {})
	for name, change := range map[string]func(*sweep.Cell){
		"rule":      func(c *sweep.Cell) { c.SPB.Rule = "full" },
		"nic":       func(c *sweep.Cell) { c.NIC *= 2 },
		"memory":    func(c *sweep.Cell) { c.Memory *= 2 },
		"objective": func(c *sweep.Cell) { c.Objective = "throughput" },
		"method":    func(c *sweep.Cell) { c.Method.Effort = 3 },
	} {
		assert.Equal(t, want, jobs(change), name)
	}
	seeds := map[string]bool{}
	for seed := range int64(20) {
		seeds[jobs(func(c *sweep.Cell) { c.Seed = seed })] = true
	}
	assert.Greater(t, len(seeds), 5)
}

func TestKeys(t *testing.T) {
	study := decode(t, tiny)
	c := study.Cells(&study.Sweeps[0])[0]
	p := sweep.Program{Planner: "p", Engine: "e"}
	keys := map[string]string{c.Key(p): "the cell", c.Key(sweep.Program{Planner: "q", Engine: "e"}): "planner", c.Key(sweep.Program{Planner: "p", Engine: "f"}): "engine"}
	for name, change := range map[string]func(*sweep.Cell){
		"seed":    func(c *sweep.Cell) { c.Seed++ },
		"nic":     func(c *sweep.Cell) { c.NIC++ },
		"mix":     func(c *sweep.Cell) { c.Mix.Releases++ },
		"method":  func(c *sweep.Cell) { c.Method.NoLP = !c.Method.NoLP },
		"rule":    func(c *sweep.Cell) { c.SPB.Cuts = 3 },
		"cluster": func(c *sweep.Cell) { c.Cluster.Racks++ },
	} {
		changed := c
		change(&changed)
		keys[changed.Key(p)] = name
	}
	assert.Len(t, keys, 9)
	// The program's digest of a cell must not change between versions by accident:
	// all cells of existing files would be planned again.
	assert.Equal(t, "657ffd35ca2005726c41b25bee011f49446804055a8c86d89d281ffc25cce3d4", c.Key(p))
}

func TestBuiltins(t *testing.T) {
	builtins, err := sweep.Builtins()
	require.NoError(t, err)
	require.NotEmpty(t, builtins)
	for _, b := range builtins {
		study := decode(t, string(b.Data))
		assert.Equal(t, b.Name, study.Name)
		assert.NotEmpty(t, study.Question)
	}
}

// TestVaryingClusters: clusters are named by their size, as long as that distinguishes
// them.
func TestVaryingClusters(t *testing.T) {
	for clusters, want := range map[string][]string{
		"[1x1x4, 2x1x4]":        {"GPUs", "4", "8"},
		"[1x2x4, 2x1x4]":        {"cluster", "1x2x4", "2x1x4"},
		"[1x1x4, 1x2x4, 2x1x4]": {"cluster", "1x1x4", "1x2x4", "2x1x4"},
	} {
		study := decode(t, strings.Replace(sound, "[1x1x4]", clusters, 1))
		axis := study.Varying(&study.Sweeps[0])[0]
		got := []string{axis.Title}
		for _, c := range study.Cells(&study.Sweeps[0]) {
			got = append(got, axis.Of(&c))
		}
		assert.Equal(t, want, got)
	}
}

func TestShardFlag(t *testing.T) {
	var s sweep.Shard
	require.NoError(t, s.Set("7/8"))
	assert.Equal(t, sweep.Shard{Index: 7, Count: 8}, s)
	assert.ErrorContains(t, s.Set("8/8"), "--array=0-7")
	for _, bad := range []string{"", "/", "1", "a/b", "-1/8", "0/0", "1/8/9", "1 /8"} {
		assert.ErrorContains(t, s.Set(bad), "like 0/8", bad)
	}
}
