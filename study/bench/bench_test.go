package bench

import (
	"context"
	"encoding/json"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
	"jigsaw/formulation/instance/codec"
	"jigsaw/method"
)

// TestMain lets the test binary be the child started by a run.
func TestMain(m *testing.M) {
	if len(os.Args) == 6 && os.Args[1] == "child" {
		row, err := ParseRow(os.Args[2])
		way, _ := ParseWay(os.Args[3:])
		if err == nil && row.Seed == failingSeed {
			panic("no memory left")
		}
		if err == nil {
			err = Child(context.Background(), os.Stdout, row, way)
		}
		if err != nil {
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// failingSeed of rows whose child dies.
const failingSeed = 2

func TestRun(t *testing.T) {
	self, err := os.Executable()
	require.NoError(t, err)
	var log strings.Builder
	p := Plan{Out: filepath.Join(t.TempDir(), "results", "r.jsonl"), Way: Way{Limit: 500 * time.Millisecond}, Log: &log,
		Selection: Selection{Sizes: []string{"tiny"}, Regimes: []Regime{Planted, ChainBound}, Objectives: []instance.Objective{instance.Makespan}, Seeds: failingSeed}}
	require.NoError(t, p.Run(t.Context(), self))

	records, err := Read(p.Out)
	require.NoError(t, err)
	require.Len(t, records, 4)
	for _, r := range records {
		assert.NotEmpty(t, r.Digest)
		assert.Positive(t, r.Machine.Cores)
		if r.Seed == failingSeed {
			assert.Equal(t, Failed, r.Status)
			assert.Contains(t, r.Error, "no memory left")
			continue
		}
		assert.Contains(t, []string{"optimal", "feasible"}, r.Status, r.Error)
		assert.Equal(t, 0.5, r.Limit)
		assert.Positive(t, r.Wall)
		assert.NotNil(t, r.Gap)
		if _, err := os.Stat("/proc/self/status"); err == nil {
			assert.Greater(t, r.PeakMemory, int64(1<<20))
		}
	}

	// Existing records are not measured again, except failed ones.
	require.NoError(t, p.Run(t.Context(), self))
	data, err := os.ReadFile(p.Out)
	require.NoError(t, err)
	assert.Equal(t, 6, strings.Count(string(data), "\n"))
	records, err = Read(p.Out)
	require.NoError(t, err)
	assert.Len(t, records, 4, "the last record of a row counts")

	// Rows planned in another way are different rows.
	p.Seeds, p.Way = 1, Way{Work: 1, Without: method.Set{method.Tree: true}}
	require.NoError(t, p.Run(t.Context(), self))
	records, err = Read(p.Out)
	require.NoError(t, err)
	require.Len(t, records, 6)
	assert.Equal(t, 1, records[5].Work)
	assert.Equal(t, "tree", records[5].Without)
	assert.Zero(t, records[5].Limit)
	assert.Positive(t, records[5].CPU)
	assert.ErrorContains(t, Comparable(records), "limits")
	assert.ErrorContains(t, Comparable([]Record{records[4], {Row: records[4].Row, Work: 1}}), "different methods or work")

	p.Way = Way{Limit: 500 * time.Millisecond}
	p.Strict, p.Seeds = true, 2
	assert.EqualError(t, p.Run(t.Context(), self), "bench: 2 of 4 rows failed")
}

// TestContradiction: an impossible result is a failure, not a result.
func TestContradiction(t *testing.T) {
	c, err := Generate(Row{"tiny", Planted, instance.Makespan, 1})
	require.NoError(t, err)
	rat := func(d int64) *big.Rat { return new(big.Rat).Add(c.Optimum, big.NewRat(d, 1)) }
	assert.NoError(t, c.contradiction(c.Witness, rat(0), rat(0)))
	assert.NoError(t, c.contradiction(nil, rat(1), rat(-1)))
	assert.NoError(t, c.contradiction(nil, nil, nil))
	assert.ErrorContains(t, c.contradiction(c.Witness, rat(1), rat(0)), "the schedule's value")
	assert.ErrorContains(t, c.contradiction(nil, rat(-1), nil), "better than the optimum")
	assert.ErrorContains(t, c.contradiction(nil, nil, rat(1)), "better than the bound")
	broken := *c.Witness
	broken.Tasks = append([]instance.Task(nil), c.Witness.Tasks...)
	broken.Tasks[0].Start++
	assert.ErrorContains(t, c.contradiction(&broken, rat(0), rat(0)), "the schedule is invalid")
}

func record(solver string, seed uint64, gap, optimum float64) Record {
	r := Record{Row: Row{"tiny", AreaBound, instance.Makespan, seed}, Solver: solver, Limit: 60, Status: "feasible", PeakMemory: 100 << 20, Wall: 60}
	if gap >= 0 {
		r.Gap = &gap
	}
	if optimum >= 0 {
		r.Status, r.TimeToOptimum, r.Wall = "optimal", &optimum, optimum
	}
	return r
}

// lineWith returns the table line that begins with the text.
func lineWith(t *testing.T, table, begin string) string {
	t.Helper()
	for line := range strings.Lines(table) {
		if strings.HasPrefix(line, begin) {
			return strings.TrimSpace(line)
		}
	}
	require.Fail(t, "no line", "%s in\n%s", begin, table)
	return ""
}

func TestTable(t *testing.T) {
	failed := record(JigSaw, 3, -1, -1)
	failed.Status, failed.Error = Failed, "out of\nmemory"
	var out strings.Builder
	Table(&out, []Record{record(JigSaw, 1, 0, 1.5), record(JigSaw, 2, 0.02, -1), failed})
	assert.Equal(t, "| tiny | makespan | area | 3 | 1 | 2.00 % | – | > 60 | > 60 | > 60 | > 60 | 60 | – | – | 100 MiB | 1 |",
		lineWith(t, out.String(), "| tiny"))
	assert.Contains(t, out.String(), "* tiny-area-makespan-3, jigsaw: out of memory")
}

// TestFailedRows: a failed row has reached nothing, whatever its record says.
func TestFailedRows(t *testing.T) {
	records := []Record{record(JigSaw, 1, 0, 1.5), record(JigSaw, 2, 0, 1), record(JigSaw, 3, 0, 2)}
	for i := range 2 {
		records[i].Status, records[i].Error = Failed, "the schedule is invalid"
	}
	var out strings.Builder
	Table(&out, records)
	assert.Equal(t, "| tiny | makespan | area | 3 | 1 | – | – | > 60 | > 60 | > 60 | > 60 | > 60 | – | – | – | 2 |", lineWith(t, out.String(), "| tiny"))
}

// TestProvenLate: a proof after the limit does not count, for any solver.
func TestProvenLate(t *testing.T) {
	for _, seconds := range []float64{4, 5.9, 6.1} {
		r := Record{Limit: 5}
		r.proven(seconds)
		assert.Equal(t, seconds < 6, r.TimeToOptimum != nil)
	}
	c, err := Generate(Row{"tiny", Planted, instance.Makespan, 1})
	require.NoError(t, err)
	r, err := Measure(t.Context(), c, Way{Limit: time.Minute})
	require.NoError(t, err)
	assert.NotNil(t, r.TimeToOptimum)
}

// TestComparable: records with other limits, or of other instances, are not put into one
// table.
func TestComparable(t *testing.T) {
	ours, peer := record(JigSaw, 1, 0, 1), record("cpsat", 1, 0, 1)
	ours.Digest, peer.Digest = "a", "a"
	assert.NoError(t, Comparable([]Record{ours, peer}))
	peer.Limit = 5
	assert.ErrorContains(t, Comparable([]Record{ours, peer}), "rows of size tiny have limits of 60 s and of 5 s")
	peer.Limit, peer.Digest = 60, "b"
	assert.ErrorContains(t, Comparable([]Record{ours, peer}), "tiny-area-makespan-1 was another instance for jigsaw than for cpsat")

	// For one solver the last record counts, even if its instance is different.
	file := filepath.Join(t.TempDir(), "r.jsonl")
	old := ours
	old.Digest = "old"
	require.NoError(t, Append(file, &old))
	require.NoError(t, Append(file, &ours))
	records, err := Read(file)
	require.NoError(t, err)
	require.Len(t, records, 1)
	assert.Equal(t, "a", records[0].Digest)
}

func TestPeerTable(t *testing.T) {
	tests := map[string]struct {
		ours, peer Record
		want       string
	}{
		"both prove":    {record(JigSaw, 1, 0, 2), record("cpsat", 1, 0, 9), "| 2.00 s | 9.00 s | cpsat | 4.5 x time |"},
		"we prove":      {record(JigSaw, 1, 0, 2), record("cpsat", 1, 0.1, -1), "| 2.00 s | 10.00 % | cpsat | > 30.0 x time |"},
		"peer proves":   {record(JigSaw, 1, 0.1, -1), record("cpsat", 1, 0, 6), "| 10.00 % | 6.00 s | cpsat | < 0.1 x time |"},
		"gaps":          {record(JigSaw, 1, 0.02, -1), record("cpsat", 1, 0.1, -1), "| 2.00 % | 10.00 % | cpsat | 5.0 x gap |"},
		"peer has none": {record(JigSaw, 1, 0.02, -1), record("cpsat", 1, -1, -1), "| 2.00 % | no plan | cpsat | no plan |"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			PeerTable(&out, []Record{test.ours, test.peer})
			assert.Equal(t, "| tiny | makespan | area | 1 "+test.want, lineWith(t, out.String(), "| tiny"))
		})
	}
	var out strings.Builder
	worse := record("highs-pool", 1, 0.5, -1)
	worse.Relaxed = true
	PeerTable(&out, []Record{record(JigSaw, 1, 0.02, -1), worse, record("cpsat", 1, 0.1, -1), record(JigSaw, 2, 0.9, -1)})
	assert.Equal(t, "| tiny | makespan | area | 1 | 2.00 % | 10.00 % | 50.00 % | cpsat | 5.0 x gap |",
		lineWith(t, out.String(), "| tiny"), "seeds that no peer has are left out")
	assert.Contains(t, out.String(), "highs-pool* |")

	// A peer with fewer seeds says so, is not the best, and is compared on its own
	// seeds.
	out.Reset()
	PeerTable(&out, []Record{
		record(JigSaw, 1, 0, 1), record(JigSaw, 2, 0, 4), record(JigSaw, 3, 0, 8),
		record("cpsat", 1, 0, 6), record("cpsat", 2, 0, 6), record("cpsat", 4, 0, 50), record("highs-node", 3, 0, 2),
		record("cbc-node", 4, 0, 1),
	})
	assert.Equal(t, "| tiny | makespan | area | 3 | 4.00 s | – | 6.00 s (n = 2) | 2.00 s (n = 1) | cpsat | 1.5 x time |", lineWith(t, out.String(), "| tiny"))

	// In total.
	out.Reset()
	value := func(r Record, primal float64) Record {
		r.Primal = &primal
		return r
	}
	PeerTable(&out, []Record{
		record(JigSaw, 1, 0, 2), record("cpsat", 1, 0, 9), record(JigSaw, 2, 0, 2), record("cpsat", 2, 0.1, -1),
		value(record(JigSaw, 3, 0.02, -1), 70), value(record("cpsat", 3, 0.1, -1), 69), value(record(JigSaw, 4, 0.03, -1), 70), value(record("cpsat", 4, 0.2, -1), 71),
	})
	assert.Contains(t, out.String(), "\nOf 4 rows JigSaw proves 2 optimal, cpsat 1. On the 1 that both prove JigSaw has the proof 4.5 times as fast in the median. On the 2 that "+
		"neither proves its gap is the smaller 2 times, 3.00 % against 20.00 % in the median; its schedule is the better one in 1, and the worse one in 1.\n")
}

func TestContradictions(t *testing.T) {
	value := func(r Record, primal, dual float64) Record {
		r.Primal, r.Dual = &primal, &dual
		return r
	}
	ours, peer := value(record(JigSaw, 1, 0, -1), 70, 69), value(record("cpsat", 1, 0, -1), 71, 70)
	assert.Empty(t, Contradictions([]Record{ours, peer}))
	peer = value(peer, 71, 70.5)
	assert.Equal(t, []string{"tiny-area-makespan-1: jigsaw has a schedule of 70, cpsat a bound of 70.5"}, Contradictions([]Record{ours, peer}))
	ours.Relaxed = true
	assert.Empty(t, Contradictions([]Record{ours, peer}), "a relaxed value is not a schedule's")
}

func TestReadRefusesNonsense(t *testing.T) {
	file := filepath.Join(t.TempDir(), "r.jsonl")
	require.NoError(t, os.WriteFile(file, []byte("{}\nnonsense\n"), 0o644))
	_, err := Read(file)
	assert.ErrorContains(t, err, "line 2")
	records, err := Read(file + ".none")
	require.NoError(t, err)
	assert.Empty(t, records)
}

func TestWriteFiles(t *testing.T) {
	folder := t.TempDir()
	row := Row{"tiny", Planted, instance.Makespan, 1}
	require.NoError(t, WriteFiles(folder, row))
	data, err := os.ReadFile(filepath.Join(folder, row.String()+".yaml"))
	require.NoError(t, err)
	document, err := codec.Decode(data)
	require.NoError(t, err)
	in, err := document.Compile(nil)
	require.NoError(t, err)
	file, err := os.Open(filepath.Join(folder, row.String()+".schedule.json"))
	require.NoError(t, err)
	defer file.Close()
	s, err := codec.DecodeSchedule(in, file)
	require.NoError(t, err)
	assert.Empty(t, check.Schedule(in, s))
}

// TestShallowest: the omitted multisets can be replaced.
func TestShallowest(t *testing.T) {
	for seed := range uint64(5) {
		c, err := Generate(Row{"small", AreaBound, instance.Makespan, seed + 1})
		require.NoError(t, err)
		for n := range c.Instance.Jobs {
			j := &c.Instance.Jobs[n]
			kept := shallowest(j)
			require.NotEmpty(t, kept)
			multisets(j, func(counts []int) {
				found := false
				for _, k := range kept {
					found = found || atMost(k, counts)
				}
				assert.True(t, found, "%v", counts)
			})
			data, err := json.Marshal(kept)
			require.NoError(t, err)
			assert.NotContains(t, string(data), "null")
		}
	}
}
