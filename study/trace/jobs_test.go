package trace

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/profiles"
	"jigsaw/study/replay"
)

// TestWindow: a part of a trace, by time after the first arrival or by date.
func TestWindow(t *testing.T) {
	read := func(f Format) *Trace {
		got, err := Read("t", strings.NewReader(samples[f]), f)
		require.NoError(t, err)
		return got
	}
	for _, c := range []struct {
		from, until string
		ids         []string
		text        string
	}{
		{"", "", []string{"1", "0"}, "2 of 2 jobs of a trace of the format philly, which arrive from 2017-10-09 06:01:55 to 2017-10-09 07:01:55"},
		{"1h", "", []string{"0"}, "1 of 2 jobs of a trace of the format philly, which arrive from 2017-10-09 07:01:55 to 2017-10-09 07:01:55"},
		{"", "1h", []string{"1"}, "1 of 2 jobs of"},
		{"2017-10-09T07:00", "2017-10-10", []string{"0"}, "1 of 2 jobs of"},
		{"2017-10-09 06:01:55", "2017-10-09T07:01:55Z", []string{"1"}, "1 of 2 jobs of"},
	} {
		got := read(Philly)
		require.NoError(t, got.Window(c.from, c.until))
		require.Equal(t, c.ids, ids(got), c)
		require.Zero(t, got.Jobs[0].Arrival)
		require.Contains(t, got.String(), c.text)
	}
	tiresias := read(Tiresias)
	require.NoError(t, tiresias.Window("18s", ""))
	require.Equal(t, "1 of 2 jobs of a trace of the format tiresias, which arrive from 0.008333 h to 0.008333 h", tiresias.String())

	require.EqualError(t, read(Muri).Window("", "2017-10-09"), `--until "2017-10-09": traces of the format muri have no dates; write a time after the first arrival, like 240h`)
	require.ErrorContains(t, read(Philly).Window("noon", ""), `--from "noon": write a time after the first arrival, like 240h, or where the trace has dates a date like 2017-10-09T20:00`)
	require.EqualError(t, read(Philly).Window("2018-01-01", ""), "t: no job of this trace arrives between --from and --until; its 2 jobs arrive from 2017-10-09 06:01:55 to 2017-10-09 07:01:55")
}

func ids(t *Trace) (list []string) {
	for _, j := range t.Jobs {
		list = append(list, j.ID)
	}
	return list
}

// profiled is [Options.Profiled] for GPUs of one type.
func profiled(library *profiles.Library, gpu string) func(string, int) bool {
	return func(model string, batch int) bool {
		return slices.ContainsFunc(library.Profiles(model), func(p *instance.Profile) bool { return p.GPU == gpu && p.Batch == batch })
	}
}

// TestList: jobs for a plan are as long as in the trace, and run the profiles of their shapes.
func TestList(t *testing.T) {
	library, err := profiles.Builtin()
	require.NoError(t, err)
	made := func(f Format, table, cluster string, o Options) (*Trace, *replay.Workload, *replay.Cluster, error) {
		read, err := Read("t", strings.NewReader(samples[f]), f)
		require.NoError(t, err)
		built, err := BuiltinTable(table)
		require.NoError(t, err)
		c, err := replay.ParseCluster(cluster)
		require.NoError(t, err)
		w, err := Workload(read, built, library, c, o)
		return read, w, c, err
	}
	read, w, c, err := made(Muri, "muri", "2x8:v100", Options{Profiled: profiled(library, "v100"), SkipUnknown: true})
	require.NoError(t, err)
	list, notes := read.List(w, c)
	require.Equal(t, []instance.JobSpec{{Name: "0", Model: "bert24", Batch: 2, Workers: 8}}, list.Jobs, "from the first job that is left on")
	require.InDelta(t, 100*1.015*0.437/3600, list.Hours[0], 1e-9)
	require.Equal(t, []int{2}, list.Lines)
	require.Equal(t, []string{"stand-ins, by the model table: gpt2 as bert24 at batch 2; jobs are as long as in the trace"}, notes)
	require.Equal(t, "left out, 1 of 2 jobs: since there is no profile for them on these GPUs: 1 x dqn at batch size 128 with 1 GPUs", w.LeftOutText())

	read, w, c, err = made(Philly, "unnamed", "2x8:v100", Options{Profiled: profiled(library, "v100")})
	require.NoError(t, err)
	list, notes = read.List(w, c)
	require.InDelta(t, 66.0/3600, list.Hours[1], 0.3/3600, "its duration")
	require.EqualValues(t, 3_600_000_000_000, list.Jobs[1].Release)
	require.Equal(t, []string{"the format philly names no models: each job is taken for one of the model table's, drawn with --seed"}, notes)

	// Jobs may live where there are figures for them, and where they have a profile.
	read, w, c, err = made(Gavel, "gavel", "1x8:v100,1x8:a100", Options{Profiled: func(string, int) bool { return true }})
	require.NoError(t, err)
	list, _ = read.List(w, c)
	require.Equal(t, instance.JobSpec{Name: "1", Model: "A3C", Workers: 1, Weight: 5, Placement: instance.PlacementSpec{GPUTypes: []string{"v100"}}}, list.Jobs[0])

	// A type is as fast as the one that it is profiled as, times its speed.
	like := []instance.GPUTypeSpec{{Name: "h100", ProfiledAs: []instance.ProfiledAs{{GPU: "a100"}, {GPU: "v100", Speed: 5 * instance.One}}}}
	_, w, _, err = made(Gavel, "gavel", "1x8:v100,1x8:h100", Options{GPUTypes: like})
	require.NoError(t, err)
	require.InDelta(t, w.Classes[0].Iteration[0]/5, w.Classes[0].Iteration[1], 1e-12)
	_, _, _, err = made(Gavel, "gavel", "1x8:a100", Options{Profiled: func(model string, _ int) bool { return model != "A3C" }})
	require.ErrorContains(t, err, `there is no profile of the model "A3C", and`, "a model of no batch size")

	_, _, _, err = made(Muri, "muri", "2x8:v100", Options{Profiled: profiled(library, "v100")})
	require.ErrorContains(t, err, `t:3:12: there is no profile of the model "dqn" at batch 128, and the model table names none that stands in for it; add a shape to the table`)
	_, _, _, err = made(Philly, "unnamed", "2x8:h100", Options{Profiled: profiled(library, "h100")})
	require.ErrorContains(t, err, "of which there is no profile for GPUs of the types [h100]; choose other --models (current, gavel, ")
	_, _, _, err = made(Helios, "unnamed", "1x4:v100", Options{})
	require.ErrorContains(t, err, `asks for 8 GPUs, which the cluster 1x4 does not have in one place even when it is empty; or leave such jobs out, with --skip-unknown`)
	_, w, _, err = made(Helios, "unnamed", "1x4:v100", Options{SkipUnknown: true})
	require.NoError(t, err)
	require.Len(t, w.Jobs, 1)
	require.Contains(t, w.LeftOutText(), "left out, 1 of 2 jobs: since the cluster is too small for them: 1 x ")
}

// TestRealLists makes jobs from published traces.
func TestRealLists(t *testing.T) {
	library, err := profiles.Builtin()
	require.NoError(t, err)
	for name, want := range map[string]struct {
		from, until string
		jobs, left  int
	}{
		"muri/cluster_exp/trace-data/cluster_trace.csv":                  {"240h", "264h", 18, 22},
		"gavel/scheduler/traces/physical_cluster/max_min_fairness.trace": {"", "", 96, 0},
		"tiresias/simulator/60_job.csv":                                  {"", "10m", 0, 0},
		"adaptdl/simulator/traces/philly.csv":                            {"2017-10-09T20:00", "2017-10-10T08:00", 1679, 0},
	} {
		read, err := Read(name, data(t, name), "")
		require.NoError(t, err)
		require.NoError(t, read.Window(want.from, want.until))
		table, err := BuiltinTable(DefaultTable(read.Format))
		require.NoError(t, err)
		cluster, err := replay.ParseCluster("8x8:v100")
		require.NoError(t, err)
		w, err := Workload(read, table, library, cluster, Options{SkipUnknown: true, Profiled: profiled(library, "v100")})
		require.NoError(t, err, filepath.Base(name))
		list, _ := read.List(w, cluster)
		require.Len(t, list.Jobs, len(w.Jobs))
		if want.jobs > 0 {
			require.Len(t, list.Jobs, want.jobs, name)
			require.Equal(t, want.left, len(read.Jobs)-len(list.Jobs), name)
		}
		for i, j := range list.Jobs {
			require.Positive(t, list.Hours[i])
			require.True(t, i == 0 || list.Jobs[i-1].Release <= j.Release)
		}
	}
}
