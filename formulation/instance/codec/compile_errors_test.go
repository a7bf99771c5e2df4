package codec

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
)

// shelf is a small profile library: model "tiny" on two GPUs whose profiles
// have different layers, "many" at two batch sizes, and "pair" for workers of two GPUs.
type shelf struct{}

func (shelf) Models() []string { return []string{"many", "tiny"} }

func (shelf) Profiles(model string) []*instance.Profile {
	layers := func(n int) (l []instance.Layer) {
		for range n {
			l = append(l, instance.Layer{Forward: 1e6, Backward: 2e6, Parameters: 1e6})
		}
		return l
	}
	switch model {
	case "tiny":
		return []*instance.Profile{
			{Model: "tiny", GPU: "v100", Batch: 8, Layers: layers(4)},
			{Model: "tiny", GPU: "a100", Batch: 8, Layers: layers(5)},
		}
	case "many":
		return []*instance.Profile{
			{Model: "many", GPU: "v100", Batch: 64, Layers: layers(2)},
			{Model: "many", GPU: "v100", Batch: 8, Layers: layers(2)},
		}
	case "pair":
		return []*instance.Profile{{Model: "pair", GPU: "v100", Batch: 8, GPUs: 2, Layers: layers(2)}}
	}
	return nil
}

// clusterLines are lines 1 to 9 of the files below.
const clusterLines = `version: 1
cluster:
  gpu_types:
    - {name: v100, memory: 16GiB}
    - {name: a100, memory: 40GiB}
  racks:
    - {nodes: 2, gpus: 8, gpu: v100, nic: 10Gbit/s, fabric: 100Gbit/s}
    - {nodes: 1, gpus: 4, gpu: a100, nic: 10Gbit/s, fabric: 100Gbit/s}
jobs:
`

func TestCompileErrors(t *testing.T) {
	job := func(fields string) string { return clusterLines + "  - {name: bert, " + fields + "}\n" }
	tests := map[string]struct {
		file string
		want []string
	}{
		"no node of its type": {strings.Replace(job("model: many, batch: 8, workers: 1"), "gpu: v100", "gpu: a100", 1), []string{
			`line 10, column 25: jobs[0].model "bert": its profiles and its placement leave only GPUs of type v100, which no node has; ` +
				`for others say in cluster.gpu_types whose profiles to use: profiled_as`}},
		"unknown model": {job("model: nope, workers: 2"), []string{
			`line 10, column 25: jobs[0].model "bert": no profile of model "nope"; add one under profiles, or choose many, tiny`}},
		"misspelled model": {job("model: Man-y2, workers: 2"), []string{
			`line 10, column 25: jobs[0].model "bert": no profile of model "Man-y2"; did you mean "many"?`}},
		"misspelled GPU type": {job("model: many, batch: 8, workers: 1, placement: {gpu_types: [V100]}"), []string{
			`line 10, column 77: jobs[0].placement.gpu_types[0] "bert": unknown GPU type "V100"; did you mean "v100"?`}},
		"ambiguous batch": {job("model: many, workers: 2"), []string{
			`line 10, column 5: jobs[0].batch "bert": model "many" has profiles at batch sizes 8, 64 on "v100"; choose one`}},
		"no such batch": {job("model: many, workers: 2, batch: 9"), []string{
			`line 10, column 50: jobs[0].batch "bert": model "many" has no profile at batch 9 on v100, only at 8, 64`}},
		"no profile on the GPU type": {job("model: many, workers: 2, placement: {gpu_types: [a100]}"), []string{
			`line 10, column 25: jobs[0].model "bert": model "many" has no profile on a100, only on v100; choose another model, or for a100 in cluster.gpu_types say whose profiles to use: profiled_as: [{gpu: v100, speed: 1}]`}},
		"no profile of one GPU": {job("model: pair, workers: 2"), []string{
			`line 10, column 5: jobs[0].gpus_per_worker "bert": model "pair" has no profile of one GPU, only of 2 GPUs; set gpus_per_worker: 2`}},
		"mismatched layers": {job("model: tiny, workers: 2"), []string{
			`line 10, column 5: jobs[0].placement.gpu_types "bert": the profiles of "tiny" on "v100" and "a100" split the model into different layers, so depths do not match; allow only one of these GPU types`}},
		"too many workers for a node": {job("model: many, batch: 8, workers: 16, placement: {within: node}"), []string{
			`line 10, column 50: jobs[0].workers "bert": 16 workers exceed the 8 GPUs of its node limit`}},
		"too many workers for a rack": {job("model: many, batch: 8, workers: 17, placement: {within: rack}"), []string{
			`line 10, column 50: jobs[0].workers "bert": 17 workers exceed the 16 GPUs of its rack limit`}},
		"too many workers": {job("model: many, batch: 8, workers: 17"), []string{
			`line 10, column 50: jobs[0].workers "bert": 17 workers exceed the 16 GPUs that the cluster has for it`}},
		"unknown GPU type": {job("model: many, batch: 8, workers: 1, placement: {gpu_types: [v100, h100]}"), []string{
			`line 10, column 83: jobs[0].placement.gpu_types[1] "bert": unknown GPU type "h100"; list it in cluster.gpu_types`}},
		"same name twice": {clusterLines + `  - {name: bert, model: many, batch: 8, workers: 1}
  - {name: bert, model: many, batch: 8, workers: 1}
`, []string{`line 11, column 12: jobs[1].name: there is another job named "bert"; names must differ`}},
		"more jobs than there may be": {clusterLines + `  - {name: a, model: many, batch: 8, workers: 1, iterations: 1, count: 131072}
  - {name: b, model: many, batch: 8, workers: 1, iterations: 1}
  - {name: c, model: many, batch: 8, workers: 1, iterations: 1}
`, []string{`line 11, column 5: jobs[1]: up to this one there are more than 131072 jobs`}},
		"count collides": {clusterLines + `  - {name: bert-2, model: many, batch: 8, workers: 1}
  - {name: bert, model: many, batch: 8, workers: 1, count: 3}
`, []string{`line 11, column 12: jobs[1].name: there is another job named "bert-2"; names must differ`}},
		"depths": {job("model: many, batch: 8, workers: 1, spb: {depths: [1, 3]}"), []string{
			`line 10, column 71: jobs[0].spb.depths[1] "bert": depth 3 is not a cut of "many", whose depths go from 1 to 2; the nearest is 2`}},
		"several in one job": {job(`model: many, batch: -8, workers: 0, iterations: 2000000000, weight: -1, optimizer: lion, spb: {rule: loose, cuts: 99, measure: time, min_full: 1}, placement: {within: room}, deadline: 1us, count: -2`), []string{
			`line 10, column 214: jobs[0].count: -2 jobs are too many or too few; choose 1 to 131072 in all`}},
		"several in one job, but for the count": {job(`model: many, batch: -8, workers: 0, iterations: 2000000000, weight: -1, optimizer: lion, spb: {rule: loose, cuts: 99, measure: time, min_full: 1}, placement: {within: room}, deadline: 1us`), []string{
			`line 10, column 38: jobs[0].batch "bert": the batch size -8 is negative`,
			`line 10, column 51: jobs[0].workers "bert": 0 workers; a job needs 1 to 1048576`,
			`line 10, column 66: jobs[0].iterations "bert": 2000000000 iterations; choose 1 to 1000000000`,
			`line 10, column 86: jobs[0].weight "bert": a weight of -1 is out of range; choose 1 to 1000000000`,
			`line 10, column 101: jobs[0].optimizer "bert": unknown optimizer "lion"; choose sgd, momentum or adam`,
			`line 10, column 119: jobs[0].spb.rule "bert": min_full and min_mean_depth belong to rule: free`,
			`line 10, column 119: jobs[0].spb.rule "bert": unknown rule "loose"; choose full, ladder or free`,
			`line 10, column 132: jobs[0].spb.cuts "bert": 99 cuts; choose 1 to 16`,
			`line 10, column 145: jobs[0].spb.measure "bert": unknown measure "time"; choose backward_time or layers`,
			`line 10, column 185: jobs[0].placement.within "bert": unknown limit "room"; choose node, rack or cluster`,
			`line 10, column 202: jobs[0].deadline "bert": 1µs is shorter than a tick of 1000 us`}},
		"a name for terminals": {"name: \"a\\e[31mred\"\n" + job("model: many, batch: 8, workers: 1, iterations: 1"), []string{
			`line 1, column 7: name: the name "a\x1b[31mred" holds characters that control a terminal or turn the direction of text; leave them out`}},
		"several places": {`version: 1
objective: fast
tick_us: -5
max_period: 1s
jobs:
  - {name: a, model: many, workers: 0}
  - {name: b, model: many, batch: 8, workers: 1, spb: {rule: free, min_full: 2, min_mean_depth: 150%}}
cluster:
  gpu_types:
    - {name: v100, memory: 0}
    - {name: v100, memory: 1GiB, profiled_as: [{gpu: "", speed: 5000}]}
  rate_levels: [1/2, 0.5]
  racks:
    - {nodes: 0, gpus: 2000, gpu: h100, nic: 0bit/s, fabric: 1Gbit/s, uplink: 1Gbit/s, oversubscription: 2, count: -1}
profiles:
  - {model: m, gpu: v100, batch: 0, layers: []}
`, []string{
			`line 2, column 12: objective: unknown objective "fast"; choose makespan, weighted_completion, throughput or max_min_throughput`,
			`line 3, column 10: tick_us: a tick of -5 us is out of range; choose 1 to 60000000`,
			`line 4, column 13: max_period: only the throughput objectives have a period; remove it or set the objective`,
			`line 6, column 37: jobs[0].workers "a": 0 workers; a job needs 1 to 1048576`,
			`line 7, column 78: jobs[1].spb.min_full "b": 2 full-depth workers; choose 1 to the job's 1 workers`,
			`line 7, column 97: jobs[1].spb.min_mean_depth "b": a mean depth-fraction of 1.5 is out of range; choose 0 to 1`,
			`line 10, column 28: cluster.gpu_types[0].memory: give the memory of a GPU, like "16GiB"`,
			`line 11, column 14: cluster.gpu_types[1].name: there is another GPU type named "v100"; names must differ`,
			`line 11, column 54: cluster.gpu_types[1].profiled_as[0].gpu: name the GPU whose profiles are used for "v100"`,
			`line 11, column 65: cluster.gpu_types[1].profiled_as[0].speed: a relative speed of 5000 is out of range; choose 0.001 to 1000`,
			`line 12, column 3: cluster.rate_levels: levels must be different fractions 1/n with n from 1 to 1024`,
			`line 14, column 15: cluster.racks[0].nodes: 0 nodes in a rack is out of range; choose 1 to 131072`,
			`line 14, column 24: cluster.racks[0].gpus: 2000 GPUs in a node is out of range; choose 1 to 1024`,
			`line 14, column 35: cluster.racks[0].gpu: unknown GPU type "h100"; list it in cluster.gpu_types`,
			`line 14, column 46: cluster.racks[0].nic: give a speed like "100Gbit/s"`,
			`line 14, column 106: cluster.racks[0].oversubscription: give either uplink or oversubscription, not both`,
			`line 14, column 116: cluster.racks[0].count: -1 racks is out of range; choose 1 to 131072`,
			`line 16, column 34: profiles[0].batch: the batch size is 0; choose 1 to 16777216`,
			`line 16, column 37: profiles[0].layers: a profile needs 1 to 100000 layers, not 0`,
		}},
		"network": {`version: 1
jobs: [{name: a, model: many, batch: 8, workers: 1}]
cluster:
  gpu_types: [{name: v100, memory: 16GiB}]
  switches: [{name: s}, {name: s}]
  nodes:
    - {name: n, switch: t, gpus: 1, gpu: v100, nic: 1Gbit/s, fabric: 1Gbit/s}
    - {name: n, switch: s, gpus: 1, gpu: v100, nic: 1Gbit/s, fabric: 1Gbit/s}
  links:
    - {from: s, to: n, rate: 1Gbit/s}
    - {from: s, to: s, rate: 0bit/s}
    - {name: s-s, from: s, to: s, rate: 1bit/s}
`, []string{
			`line 5, column 32: cluster.switches[1].name: there is another switch or node named "s"; names must differ`,
			`line 7, column 25: cluster.nodes[0].switch: unknown switch "t"; list it in cluster.switches`,
			`line 8, column 14: cluster.nodes[1].name: there is another switch or node named "n"; names must differ`,
			`line 10, column 7: cluster.links[0]: unknown switch "n"; links join switches; nodes are joined to theirs by their nic`,
			`line 11, column 7: cluster.links[1]: the link joins "s" to itself`,
			`line 11, column 30: cluster.links[1].rate: give a speed like "100Gbit/s"`,
			`line 12, column 7: cluster.links[2]: the link joins "s" to itself`,
			`line 12, column 14: cluster.links[2].name: there is another link named "s-s"; names must differ`,
		}},
		"failed link": {strings.Replace(job("model: many, batch: 8, workers: 1"), "cluster:\n", "cluster:\n  failed_links: [r0.up, r9.up]\n", 1), []string{
			`line 3, column 25: cluster.failed_links[1]: unknown link "r9.up"; links are named like "r0n0.up"`}},
		"failed node": {strings.Replace(job("model: many, batch: 8, workers: 1"), "cluster:\n", "cluster:\n  failed_nodes: [r9n9]\n", 1), []string{
			`line 3, column 18: cluster.failed_nodes[0]: unknown node "r9n9"; nodes are named like "r0n0"`}},
		"failed gpu": {strings.Replace(job("model: many, batch: 8, workers: 1"), "cluster:\n", "cluster:\n  failed_gpus: [r0n0.gpu9]\n", 1), []string{
			`line 3, column 17: cluster.failed_gpus[0]: unknown GPU "r0n0.gpu9"; GPUs are named like "r0n0.gpu0"`}},
		"no node left": {strings.Replace(job("model: many, batch: 8, workers: 1"), "cluster:\n", "cluster:\n  failed_nodes: [r0n0, r0n1, r1n0]\n", 1), []string{
			`line 2, column 1: cluster: the cluster has no GPUs`}},
		"no cluster": {"version: 1\ncluster: {gpu_types: [{name: v100, memory: 1GiB}]}\njobs: [{name: a, model: many, batch: 8, workers: 1}]\n", []string{
			`line 2, column 1: cluster: the cluster has no nodes; give racks, or switches and nodes`}},
		"no jobs": {strings.Replace(clusterLines, "jobs:\n", "jobs: []\n", 1), []string{`line 9, column 1: jobs: list at least one job`}},
		"periodic": {strings.Replace(job("model: many, batch: 8, workers: 1, release: 1s"), "version: 1\n", "version: 1\nobjective: throughput\nmax_period: 1us\n", 1), []string{
			`line 3, column 13: max_period: 1µs is shorter than a tick of 1000 us`,
			`line 12, column 5: jobs[0] "bert": a periodic plan has no beginning: remove release and deadline, or change the objective`}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			d, err := Decode([]byte(test.file))
			require.NoError(t, err)
			_, err = d.Compile(shelf{})
			assert.EqualError(t, err, "instance: "+strings.Join(test.want, "\ninstance: "))
		})
	}
}

func TestDecodeErrors(t *testing.T) {
	tests := map[string]struct {
		file string
		want []string
	}{
		"empty":             {" \n", []string{"the file is empty"}},
		"only comments":     {"# nothing\n", []string{"the file is empty"}},
		"only a null":       {"---\n...\n", []string{"the file is empty"}},
		"not text":          {"a: \xff", []string{"line 1, column 4: the byte 0xff is not UTF-8; save the file as UTF-8"}},
		"NUL":               {"a: é\nb\x00", []string{"line 2, column 2: there is a NUL byte; an instance file is UTF-8 text"}},
		"UTF-16":            {"\xfe\xff\x00a", []string{"the file is UTF-16; save it as UTF-8"}},
		"text":              {"hello", []string{`line 1, column 1: expected an object with the fields version, name, lesson, tick_us, objective, max_period, residence, activations, cluster, profiles, jobs, found the text "hello"`}},
		"list":              {"- 1", []string{`line 1, column 1: expected an object with the fields version, name, lesson, tick_us, objective, max_period, residence, activations, cluster, profiles, jobs, found a list`}},
		"version 2":         {"nonsense: 3\nversion: 2", []string{"line 2, column 10: version: version 2 is not supported; this program reads version: 1"}},
		"huge version":      {`{"version": 99999999999999999999}`, []string{"line 1, column 13: version: version 99999999999999999999 is not supported; this program reads version: 1"}},
		"nothing there":     {"{}", []string{"line 1, column 1: the field \"version\" is missing; add version: 1", "line 1, column 1: the field \"cluster\" is missing; give an object with the fields gpu_types, racks, switches, nodes, links, exceptions, failed_links, failed_nodes, failed_gpus, load_rate, degraded_links, policies, latency, rate_levels", "line 1, column 1: the field \"jobs\" is missing; give a list"}},
		"two documents":     {"version: 1\n---\nversion: 1\n", []string{"line 2, column 1: a second YAML document begins here; a file holds one"}},
		"tabs":              {"version: 1\ncluster:\n\tracks: []\n", []string{"line 3: not valid YAML: found character that cannot start any token; YAML is indented with spaces, not tabs"}},
		"open bracket":      {"version: 1\njobs: [\n", []string{"line 2: not valid YAML: did not find expected node content"}},
		"JSON comma":        {"{\"version\": 1,\n}", []string{"line 2, column 1: invalid JSON: invalid character '}' looking for beginning of object key string"}},
		"JSON colon":        {`{"version" 1}`, []string{"line 1, column 12: invalid JSON: invalid character '1' after object key"}},
		"JSON end":          {`{"version": 1} x`, []string{"line 1, column 16: invalid JSON: invalid character 'x' looking for beginning of value"}},
		"JSON cut short":    {`{"version": `, []string{"line 1, column 13: invalid JSON: unexpected end of the file"}},
		"JSON word":         {`{"version": nope}`, []string{`line 1, column 13: invalid JSON: invalid character 'o' in literal null (expecting 'u')`}},
		"JSON number":       {`{"version": 01}`, []string{`line 1, column 14: invalid JSON: invalid character '1' after object key:value pair`}},
		"JSON open text":    {`{"version`, []string{`line 1, column 2: invalid JSON: what begins here does not end`}},
		"JSON line in text": {"{\"ver\nsion\": 1}", []string{`line 1, column 2: invalid JSON: invalid character '\n' in string literal`}},
		"JSON escape":       {`{"\x": 1}`, []string{`line 1, column 2: invalid JSON: invalid character 'x' in string escape code`}},
		"JSON hex":          {`{"\u12g4": 1}`, []string{`line 1, column 2: invalid JSON: invalid character 'g' in \u hexadecimal character escape`}},
		"JSON types": {"{\"version\": 1, \"name\": 3, \"jobs\": {}, \"cluster\": null,\n \"é\": 1, \"tick_us\": \"5\"}", []string{
			"line 1, column 24: name: expected a text, found 3",
			"line 1, column 35: jobs: expected a list, found an object",
			"line 1, column 50: cluster: the value is null; expected an object with the fields gpu_types, racks, switches, nodes, links, exceptions, failed_links, failed_nodes, failed_gpus, load_rate, degraded_links, policies, latency, rate_levels",
			"line 2, column 2: unknown field \"é\"; the fields here are version, name, lesson, tick_us, objective, max_period, residence, activations, cluster, profiles, jobs",
			"line 2, column 21: tick_us: expected a whole number, found the text \"5\""}},
		"not indented": {`version: 1
cluster:
gpu_types: []
workers: 2
jobs: []
`, []string{
			`line 2, column 9: cluster: the value is empty; expected an object with the fields gpu_types, racks, switches, nodes, links, exceptions, failed_links, failed_nodes, failed_gpus, load_rate, degraded_links, policies, latency, rate_levels`,
			`line 3, column 1: unknown field "gpu_types"; it is a field of "cluster"`,
			`line 4, column 1: unknown field "workers"; it is a field of the elements of "jobs"`,
		}},
		"many at once": {`version: 1
cluster:
  gpu_type: []
  racks:
    - nodes: 2
      gpus: 2.5
      gpu: v100
      nic: 100
      fabric: fast
      fabric: 1Gbit/s
  latency: -1ms
jobs:
  - name: a
    workers: "3"
    gang: yes
    model:
    realease: 3
    batch: 010
    count: 1e3
    weight: 99999999999999999999
    iterations: 0x10
    spb: {depths: [1_000], min-full: 1}
  - nonsense
`, []string{
			`line 3, column 3: cluster: unknown field "gpu_type"; did you mean "gpu_types"?`,
			`line 3, column 3: cluster: the field "gpu_types" is missing; give a list`,
			`line 6, column 13: cluster.racks[0].gpus: 2.5 is not a whole number in plain decimal digits`,
			`line 8, column 12: cluster.racks[0].nic: "100" is not a link speed; write it like "100Gbit/s"`,
			`line 9, column 15: cluster.racks[0].fabric: "fast" is not a link speed; write it like "100Gbit/s"`,
			`line 10, column 7: cluster.racks[0]: the field "fabric" is given twice, first in line 9`,
			`line 11, column 12: cluster.latency: duration "-1ms" is negative`,
			`line 14, column 14: jobs[0].workers: expected a whole number, found the text "3"`,
			`line 15, column 11: jobs[0].gang: expected true or false, found the text "yes"`,
			`line 16, column 11: jobs[0].model: the value is empty; expected a text`,
			`line 17, column 5: jobs[0]: unknown field "realease"; did you mean "release"?`,
			`line 18, column 12: jobs[0].batch: 010 is not a whole number in plain decimal digits`,
			`line 19, column 12: jobs[0].count: 1e3 is not a whole number in plain decimal digits`,
			`line 20, column 13: jobs[0].weight: 99999999999999999999 is out of range`,
			`line 21, column 17: jobs[0].iterations: 0x10 is not a whole number in plain decimal digits`,
			`line 22, column 20: jobs[0].spb.depths[0]: 1_000 is not a whole number in plain decimal digits`,
			`line 22, column 28: jobs[0].spb: unknown field "min-full"; did you mean "min_full"?`,
			`line 23, column 5: jobs[1]: expected an object with the fields name, disabled, count, model, batch, workers, gpus_per_worker, moldable, kind, gpus, amplification, slowdown, background, slice, iterations, weight, release, load, resident, deadline, optimizer, accumulate, checkpointing, sharding, gang, placement, spb, found the text "nonsense"`,
		}},
		"only YAML": {`version: 1
name: &a !!str tagged
lesson: *a
objective: !x y
cluster: {<<: {a: b}, [1]: 2, gpu_types: ~}
jobs: []
`, []string{
			`line 2, column 7: name: YAML tags are not supported; remove !!str`,
			`line 3, column 9: lesson: YAML aliases are not supported; write out what *a stands for`,
			`line 4, column 12: objective: YAML tags are not supported; remove !x`,
			`line 5, column 11: cluster: YAML merge keys are not supported; write out the fields`,
			`line 5, column 23: cluster: a field's name must be a word`,
			`line 5, column 42: cluster.gpu_types: the value is ~; expected a list`,
		}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := Decode([]byte(test.file))
			assert.EqualError(t, err, "instance: "+strings.Join(test.want, "\ninstance: "))
		})
	}
}

// TestNamesAreTexts checks that YAML does not change what names say.
func TestNamesAreTexts(t *testing.T) {
	for _, name := range []string{"yes", "007", "1e3", "0x10", "2024-01-01", "true", "1_000", ".inf", "12:30:45", "<<"} {
		d, err := Decode([]byte("version: 1\nname: " + name + "\ncluster: {gpu_types: []}\njobs: []\n"))
		require.NoError(t, err)
		assert.Equal(t, name, d.Spec.Name)
	}
}

func TestByteOrderMark(t *testing.T) {
	for _, file := range []string{"version: 1\ncluster: {gpu_types: []}\njobs: []\n", `{"version": 1, "cluster": {"gpu_types": []}, "jobs": []}`} {
		_, err := Decode([]byte("\uFEFF" + file))
		assert.NoError(t, err)
	}
}

func TestProblemsAreBounded(t *testing.T) {
	_, err := Decode([]byte("version: 1\ncluster: {gpu_types: []}\njobs: [" + strings.Repeat("1,", 10_000) + "]"))
	assert.Len(t, err, instance.MaxProblems)
}

func TestPosition(t *testing.T) {
	d, err := Decode([]byte(clusterLines + "  - name: a\n    model: many\n    workers: 1\n"))
	require.NoError(t, err)
	for path, want := range map[string]string{
		"": "1:1", "cluster": "2:1", "cluster.racks": "6:3", "cluster.racks[1]": "8:7", "cluster.racks[1].nic": "8:43",
		"jobs[0].spb.depths[3]": "10:5", "jobs[7].name": "9:1", "jobs[x]": "9:1", "jobs[": "9:1", "nope": "1:1", "version.x": "1:10", "jobs.x": "9:1",
	} {
		line, column := d.Position(path)
		assert.Equal(t, want, fmt.Sprintf("%d:%d", line, column), path)
	}
}
