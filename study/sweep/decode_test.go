package sweep_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/study/sweep"
)

const sound = `version: 1
name: s
mixes:
  - name: m
    models: [{model: alexnet}]
    workers: [{workers: 2}]
base: {clusters: [1x1x4]}
sweeps:
  - name: a
`

func TestDecodeDefaults(t *testing.T) {
	study := decode(t, sound)
	cells := study.Cells(&study.Sweeps[0])
	require.Len(t, cells, 1)
	assert.Equal(t, "plan", cells[0].Method.Name)
	assert.Equal(t, "ladder 4", sweep.RuleName(cells[0].SPB))
	assert.Equal(t, int64(1000), cells[0].TickUS)
}

// TestDecodeErrors: every error comes with its line and column, all at once.
func TestDecodeErrors(t *testing.T) {
	for name, test := range map[string]struct{ from, to, want string }{
		"cluster":          {"1x1x4", "4x4", `line 7, column 19: base.clusters[0]: "4x4" is not a cluster; write racks x nodes x GPUs, like "2x4x8"`},
		"no cluster":       {"base: {clusters: [1x1x4]}\n", "", "sweeps[0].axes: no clusters; list them here or in base"},
		"unknown field":    {"base:", "basis:", `line 7, column 1: unknown field "basis"`},
		"twice":            {"name: s", "name: s\nname: t", `the field "name" is given twice`},
		"model":            {"alexnet", "lexnet", `line 5, column 22: mixes[0].models[0].model: there is no profile of model "lexnet"`},
		"batch":            {"alexnet", "alexnet, batch: 3", `there is no profile of model "alexnet" on v100 at batch 3`},
		"name":             {"name: s", "name: ../s", `"../s" is not a name`},
		"same name":        {"  - name: a\n", "  - name: a\n  - name: a\n", `there is another "a"`},
		"too many workers": {"workers: 2", "workers: 5", "no number of workers that fits the 4 GPUs of 1x1x4"},
		"axis":             {"  - name: a\n", "  - {name: a, axis: networks}\n", `there is no axis "networks"; choose one of clusters, gpus`},
		"mix":              {"[1x1x4]", "[1x1x4], mixes: [n]", `there is no mix "n"`},
		"method":           {"[1x1x4]", "[1x1x4], methods: [n]", `there is no method "n"`},
		"objective":        {"[1x1x4]", "[1x1x4], objectives: [makespans]", "makespans"},
		"rule":             {"[1x1x4]", "[1x1x4], spb: [{rule: ladders}]", `unknown rule "ladders"`},
		"load":             {"[1x1x4]", "[1x1x4], load: [0]", "a load of 0 workers per GPU"},
		"memory":           {"[1x1x4]", "[1x1x4], memory: [0GiB]", "a memory of 0; choose more"},
		"cluster twice":    {"[1x1x4]", "[1x1x4, 1x1x8, 1x1x4]", `line 7, column 33: base.clusters[2]: 1x1x4 is already number 1 of the list; each value is listed once`},
		"seed twice":       {"- name: a", "- name: a\n    axes: {seeds: [1, 2, 2]}", `sweeps[0].axes.seeds[2]: 2 is already number 2 of the list`},
		"rule twice":       {"[1x1x4]", "[1x1x4], spb: [{}, {rule: ladder, cuts: 4}]", `base.spb[1]: ladder 4 is already number 1 of the list`},
		"sample":           {"  - name: a\n", "  - {name: a, sample: {cells: 0}}\n", "a sample of 0 cells"},
		"version":          {"version: 1", "version: 2", "version 2 is not supported; this program reads version: 1"},
		"seconds":          {"    workers:", "    seconds: [{time: 0s}]\n    workers:", "a job of 0s"},
		"weight":           {"alexnet", "alexnet, weight: -1", "a weight of -1"},
		"own profile":      {"base:", "profiles: [{model: x, gpu: v100, batch: 1, layers: []}]\nbase:", "profiles[0].layers: a profile needs 1 to"},
		"profile twice":    {"base:", "profiles: [{model: alexnet, gpu: v100, batch: 256, layers: [{name: l, forward: 1ms, backward: 1ms}]}, {model: alexnet, gpu: v100, batch: 256, layers: [{name: l, forward: 1ms, backward: 1ms}]}]\nbase:", "two profiles of alexnet"},
	} {
		text := strings.Replace(sound, test.from, test.to, 1)
		require.NotEqual(t, sound, text, name)
		_, err := sweep.Decode([]byte(text))
		if assert.Error(t, err, name) {
			assert.Contains(t, err.Error(), test.want, name)
		}
	}
	_, err := sweep.Decode([]byte(strings.NewReplacer("alexnet", "x", "[1x1x4]", "[1x1x4], load: [0]").Replace(sound)))
	assert.ErrorContains(t, err, "models[0].model")
	assert.ErrorContains(t, err, "base.load[0]", "both mistakes at once")
}

// TestHostileStudies: files that request more than any machine has are rejected
// at once.
func TestHostileStudies(t *testing.T) {
	seeds := "[1" + strings.Repeat(", 1", 9999) + "]"
	for name, test := range map[string]struct{ text, want string }{
		"cells":   {strings.Replace(sound, "[1x1x4]", "[1x1x4], seeds: "+seeds+", workers: "+seeds+", load: "+seeds, 1), "shorten axes"},
		"sample":  {strings.Replace(strings.Replace(sound, "[1x1x4]", "[1x1x4], seeds: "+seeds+", workers: "+seeds, 1), "- name: a", "- name: a\n    sample: {cells: 1}", 1), "a sample is drawn from at most"},
		"cluster": {strings.Replace(sound, "1x1x4", "99999x99999x99999", 1), "has more than 100000 GPUs"},
		"load":    {strings.Replace(sound, "[1x1x4]", "[10x100x9], load: [1000]", 1), "workers, more than 1000000"},
		"alias":   {"version: 1\nname: &a s\nquestion: *a", "aliases are not supported"},
		"deep":    {strings.Repeat("[", 10000), ""},
		"empty":   {"", "the file is empty"},
		"nul":     {"version: \x00", "NUL"},
	} {
		_, err := sweep.Decode([]byte(test.text))
		if assert.Error(t, err, name) {
			assert.Contains(t, err.Error(), test.want, name)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(sound))
	f.Add([]byte(tiny))
	builtins, err := sweep.Builtins()
	require.NoError(f, err)
	for _, b := range builtins {
		f.Add(b.Data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<14 {
			return
		}
		_, _ = sweep.Decode(data)
	})
}
