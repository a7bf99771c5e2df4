package codec

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
)

func FuzzDecode(f *testing.F) {
	for _, name := range []string{"testdata/encoded.yaml", "testdata/encoded.json"} {
		file, err := os.ReadFile(name)
		require.NoError(f, err)
		f.Add(file)
	}
	f.Add([]byte(validSpec))
	f.Add([]byte(clusterLines + "  - {name: a, model: many, batch: 8, workers: 2, spb: {rule: free, min_full: 1}}\n"))
	f.Add([]byte(`version: 1
objective: throughput
max_period: 1s
cluster:
  gpu_types: [{name: v100, memory: 16GiB, profiled_as: [{gpu: x}, {gpu: v100, speed: 2.5}]}]
  switches: [{name: s}, {name: t}]
  nodes:
    - {name: n, switch: t, gpus: 2, gpu: v100, nic: 1Gbit/s, fabric: 1Gbit/s}
    - {name: m, switch: s, gpus: 2, gpu: v100, nic: 1Gbit/s, fabric: 1Gbit/s}
  links: [{from: s, to: t, rate: 1Gbit/s}]
  failed_links: [s-t.fwd]
  rate_levels: [1, 1/2]
jobs:
  - {name: a, model: tiny, workers: 3, count: 3, gang: true}
`))
	for _, text := range []string{"", "a: &a [*a]", "? [a]\n: b", "%YAML 1.1\n---\n", "a: |\n  b\n # c\n", "\uFEFF{}", `{"version": 1.0e400}`, "- - -\n", "a: !!binary x", "\"\\ud800\"", "--- >\n a"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		d, err := Decode(file)
		if err != nil {
			require.ErrorAs(t, err, new(instance.Problems))
			require.NotEmpty(t, err.Error())
			return
		}
		requireRoundTrip(t, d.Spec)
		if large(d.Spec) {
			return // Compile has limits, but takes its time up to them.
		}
		in, err := d.Compile(shelf{})
		if err != nil {
			require.ErrorAs(t, err, new(instance.Problems))
			return
		}
		require.NotEmpty(t, in.Jobs)
		for i := range in.Jobs {
			in.Jobs[i].FastestFull()
		}
	})
}

// large reports whether a spec expands to more than a fuzzer has time for.
func large(s *instance.Spec) bool {
	const most = 1000
	total := 0
	for _, r := range s.Cluster.Racks {
		if r.Count > most || r.Nodes > most || r.GPUs > most {
			return true
		}
		total += max(1, r.Count) * max(1, r.Nodes) * max(1, r.GPUs)
	}
	for _, j := range s.Jobs {
		if j.Count > most || j.Workers > 100*most {
			return true
		}
		total += max(1, j.Count)
	}
	return total > 10*most
}

func FuzzDecodeSchedule(f *testing.F) {
	file, err := os.ReadFile("testdata/schedule.json")
	require.NoError(f, err)
	f.Add(file)
	f.Add([]byte(`{"status": "feasible", "series": [[0.1, 2e3, null]], "schedule": {"residency": {"a-1": [0, 1, 2, 3]}, "tasks": [], "syncs": [{"job": "a-2", "iteration": 2, "start": 0, "end": 1, "rate": 0.3333333333}]}}`))
	f.Add([]byte(`{"schedule": null, "tasks": {"\ud83d\ude00\u00e9": [[[]]]}}`))
	f.Add([]byte(`{"residency": {"a-9": [-1]}, "tasks": [{"job": 1}], "syncs": 0, "x": tru}`))
	f.Add([]byte(`{"blocks": [{"start": 3, "period": 9, "repeats": 2, "jobs": [{"job": "a-1", "starts": [0, 0, 1, 2], "depths": [1, 2], "syncs": [5], "sync_times": [3], "rates": [1]}]}], "residency": {"a-1": [0, 2, 1, 3]}}`))
	in := scheduled(f)
	f.Fuzz(func(t *testing.T, file []byte) {
		s, err := DecodePlan(in, bytes.NewReader(file))
		// How the stream arrives does not matter.
		again, byByte := DecodePlan(in, iotest.OneByteReader(bytes.NewReader(file)))
		require.Equal(t, err, byByte)
		require.Equal(t, s, again)
		if err != nil {
			require.ErrorAs(t, err, new(instance.Problems))
			return
		}
		b, err := json.Marshal(NewScheduleJSON(in, s))
		require.NoError(t, err)
		got, err := DecodePlan(in, bytes.NewReader(b))
		require.NoError(t, err)
		require.Equal(t, fmt.Sprint(s), fmt.Sprint(got)) // nil and empty alike
	})
}
