package classical

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"jigsaw"
	"jigsaw/formulation/instance"
)

// lines are made up: a strip of width 3 and length 4 cut into four, three jobs on two
// machines, and two jobs on unrelated machines.
const lines = `{"family":"P|size|Cmax","name":"strip","machines":3,"jobs":[[2,3],[1,4],[1,1],[1,1]],"optimum":4}
{"family":"P||Cmax","name":"three","machines":2,"jobs":[[1,5],[1,2],[1,3]],"optimum":5}
{"family":"R||Cmax","name":"two","machines":2,"times":[[1,9],[9,2]],"best_known":2}
`

// TestMeasure plans made-up problems of every family to their optima.
func TestMeasure(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	data, out := filepath.Join(folder, "instances.jsonl"), filepath.Join(folder, "out.jsonl")
	require.NoError(t, os.WriteFile(data, []byte(lines), 0o600))
	var log bytes.Buffer
	r := Run{Data: data, Out: out, Limit: time.Minute, Log: &log}
	require.NoError(t, r.Run(context.Background()))
	records, err := ReadRecords(out)
	require.NoError(t, err)
	require.Len(t, records, 5)
	for _, record := range records {
		require.Equal(t, "optimal", record.Status, "%s %s", record.Name, record.Error)
		require.InDelta(t, 1, *record.Plan, 0)
		require.InDelta(t, 1, *record.Bound, 0)
	}
	log.Reset()
	require.NoError(t, r.Run(context.Background()))
	require.Empty(t, log.String(), "rows at hand are skipped")
	var table bytes.Buffer
	Table(&table, records)
	require.Contains(t, table.String(), `| P\|\|sum Cj | 1 | 1 |`)
}

// TestShortestFirst: 2, 3 and 2+5 end the jobs of line two.
func TestShortestFirst(t *testing.T) {
	t.Parallel()
	problems, err := decode(strings.NewReader(lines))
	require.NoError(t, err)
	require.Equal(t, Flow, problems[3].Family)
	require.Equal(t, "12", problems[3].Known.RatString())
	require.Equal(t, instance.WeightedCompletion, problems[3].Spec.Objective)
}

// TestManyMachines: two jobs side by side take all machines, more than a node has.
func TestManyMachines(t *testing.T) {
	t.Parallel()
	problems, err := decode(strings.NewReader(`{"family":"P|size|Cmax","name":"wide","machines":2059,"jobs":[[2000,3],[59,3],[2059,1]],"optimum":4}`))
	require.NoError(t, err)
	for _, p := range problems {
		in, err := instance.Compile(p.Spec, nil)
		require.NoError(t, err)
		require.Len(t, in.GPUs, 2059)
		r, err := jigsaw.Plan(t.Context(), in, jigsaw.Options{})
		require.NoError(t, err)
		require.Equal(t, jigsaw.Optimal, r.Status)
		require.Equal(t, p.Known, r.Primal)
	}
}

// TestAbsent: without the data there is a notice and no error.
func TestAbsent(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	r := Run{Data: filepath.Join(t.TempDir(), "instances.jsonl"), Log: &log}
	require.NoError(t, r.Run(context.Background()))
	require.Contains(t, log.String(), "skipped: there is no")
}

// TestRefused: errors of invalid lines give the reason.
func TestRefused(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		`{`: "line 1: unexpected end",
		`{"family":"Q||Cmax","name":"q","machines":1}`:                                                `line 1: "q": family "Q||Cmax" is not known`,
		`{"family":"P||Cmax","name":"q","machines":0}`:                                                "there are 0 machines",
		`{"family":"P||Cmax","name":"q","machines":2,"jobs":[[2,1]],"optimum":1}`:                     "jobs[0] has width 2",
		`{"family":"P|size|Cmax","name":"q","machines":2,"jobs":[[3,1]],"optimum":1}`:                 "jobs[0] has width 3",
		`{"family":"R||Cmax","name":"q","machines":2,"times":[[1]],"best_known":1}`:                   "times[0] has to hold",
		`{"family":"R||Cmax","name":"q","machines":1,"times":[[1152921504606846976]],"best_known":1}`: "times[0] has to hold",
	} {
		_, err := decode(strings.NewReader(line))
		require.ErrorContains(t, err, want)
	}
}
