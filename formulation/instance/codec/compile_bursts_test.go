package codec

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
)

// TestCompileBurstErrors: what is wrong with burst-parallel and background jobs is told with its line.
func TestCompileBurstErrors(t *testing.T) {
	const good = "  - {name: fg, kind: burst, model: many, batch: 64, gpus: 8}\n"
	for name, test := range map[string]struct {
		file string
		want []string
	}{
		"unknown kind": {clusterLines + "  - {name: a, kind: bursts, model: many, batch: 8, workers: 2}\n", []string{
			`line 10: jobs[0].kind: unknown kind "bursts"; choose burst, or leave it out`}},
		"no burst": {clusterLines + "  - {name: a, model: many, batch: 8, background: true}\n", []string{
			`line 9: jobs: there is no burst-parallel job for background jobs to run behind; give one kind: burst, or leave background out`}},
		"ordinary jobs beside": {clusterLines + good + "  - {name: a, model: many, batch: 8, workers: 2}\n", []string{
			`line 11: jobs[1]: a job with workers cannot be planned together with burst-parallel jobs; give it background: true, or a file of its own`}},
		"what means nothing, said once": {"residence: never\n" + strings.Replace(clusterLines, "jobs:", "  load_rate: 1GB/s\njobs:", 1) + good, []string{
			`line 1: residence: this has no meaning in files with burst-parallel jobs; leave it out`,
			`line 10: cluster.load_rate: this has no meaning in files with burst-parallel jobs; leave it out`}},
		"what means nothing": {"tick_us: 50\nobjective: throughput\n" + clusterLines + strings.Replace(good, "gpus: 8", "gpus: 8, release: 1s, spb: {rule: full}", 1), []string{
			`line 1: tick_us: this has no meaning in files with burst-parallel jobs; leave it out`,
			`line 2: objective: this has no meaning in files with burst-parallel jobs; leave it out`,
			`line 12: jobs[0].release: this has no meaning in files with burst-parallel jobs; leave it out`,
			`line 12: jobs[0].spb: this has no meaning in files with burst-parallel jobs; leave it out`}},
		"figures": {clusterLines + "  - {name: fg, kind: burst, model: many, gpus: 6, amplification: 0.5, slowdown: 11}\n", []string{
			`line 10: jobs[0].batch "fg": a global batch of 0; choose 1 to 16777216, the samples of an iteration over all GPUs`,
			`line 10: jobs[0].gpus "fg": 6 GPUs; choose a power of two up to 1024, the most that a layer may have`,
			`line 10: jobs[0].amplification "fg": a limit of 0.5; choose at least 1`,
			`line 10: jobs[0].slowdown "fg": a slowdown of 11; choose 1 to 10`}},
		"keys of others": {clusterLines + good + "  - {name: a, model: many, batch: 8, background: true, gpus: 2, workers: 2, slice: 0s}\n", nil},
		"two slices": {clusterLines + good + "  - {name: a, model: many, batch: 8, background: true, slice: 1ms}\n  - {name: b, model: many, batch: 8, background: true}\n", []string{
			`line 12: jobs[2].slice: a slice of 500µs, but another background job has 1ms; give all of them the same`}},
		"too few nodes": {clusterLines + strings.Replace(good, "gpus: 8", "gpus: 8, count: 3", 1), []string{
			`line 10: jobs[0].gpus: no node of v100 is left that has 8 GPUs and a fabric that works; every burst-parallel job has a node of its own`}},
		"unknown model": {clusterLines + strings.Replace(good, "many", "mani", 1), []string{
			`line 10: jobs[0].model "fg": no profile of model "mani"; did you mean "many"?`}},
		"same name": {clusterLines + good + "  - {name: fg, model: many, batch: 8, background: true}\n", []string{
			`line 10: jobs[0].name "fg": there is another job named "fg"; names must differ`}},
		"slices of nothing": {clusterLines + good + "  - {name: a, model: many, batch: 8, workers: 2, slice: 1ms}\n", []string{
			`line 11: jobs[1]: a job with workers cannot be planned together with burst-parallel jobs; give it background: true, or a file of its own`,
			`line 11: jobs[1].slice: only background jobs are cut into slices; remove it or set background: true`}},
	} {
		document, err := Decode([]byte(test.file))
		if test.want == nil {
			assert.Error(t, err, name)
			continue
		}
		require.NoError(t, err, name)
		if document.Spec.Bursts() {
			_, err = document.CompileBursts(shelf{})
		} else {
			_, err = document.Compile(shelf{})
		}
		var problems instance.Problems
		require.ErrorAs(t, err, &problems, name)
		var got []string
		for _, p := range problems {
			p.Column = 0
			got = append(got, p.String())
		}
		assert.Equal(t, test.want, got, name)
	}
	document, err := Decode([]byte(clusterLines + good))
	require.NoError(t, err)
	_, err = document.Compile(shelf{})
	assert.ErrorContains(t, err, "jobs[0].kind: burst-parallel jobs")
	in, err := document.CompileBursts(shelf{})
	require.NoError(t, err)
	assert.Equal(t, 8, in.Foreground[0].GPUs)
	assert.Len(t, in.Foreground[0].Profiles, 2, "of every batch")
}
