package codec

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

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
	in := scheduled(f)
	f.Fuzz(func(t *testing.T, file []byte) {
		s, err := DecodeSchedule(in, bytes.NewReader(file))
		// How the stream arrives does not matter.
		again, byByte := DecodeSchedule(in, iotest.OneByteReader(bytes.NewReader(file)))
		require.Equal(t, err, byByte)
		require.Equal(t, s, again)
		if err != nil {
			require.ErrorAs(t, err, new(instance.Problems))
			return
		}
		var b bytes.Buffer
		require.NoError(t, EncodeSchedule(&b, in, s))
		got, err := DecodeSchedule(in, &b)
		require.NoError(t, err)
		require.Equal(t, s, got)
	})
}

// FuzzJSON holds our reader to the grammar of encoding/json as a whole, and
// every position to the file.
func FuzzJSON(f *testing.F) {
	for _, text := range []string{validSpec, `[1, -0.5e+3, "\u00e9\ud83d\ude00\ud800\\\/", true, false, null, {}, []]`, "{\"\u00e9 \U0001F600\": \"\u00e9\" ,\r\n\t\"b\":2}\n", "01", "1.", "-", "1e", `"`, "\"\t\"", "{\"a\" 1}", "[,]", "[1,]", "nul", "1 2", "0\x00", ""} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		if !utf8.Valid(file) {
			return
		}
		j := newJSONReader(iotest.HalfReader(bytes.NewReader(file)))
		var value func(first json.Token) error
		value = func(first json.Token) error {
			rest := from(file, j.at)
			require.True(t, bytes.HasPrefix(rest, j.raw), "%v: %q, not %q", j.at, rest, j.raw)
			switch first := first.(type) {
			case json.Delim:
				require.Equal(t, first.String(), string(j.raw))
				if first == '[' {
					return j.array(func(_ int, first json.Token) error { return value(first) })
				}
				return j.object(func(key jsonKey, first json.Token) error {
					var name string
					require.NoError(t, json.NewDecoder(bytes.NewReader(from(file, key.at))).Decode(&name))
					require.Equal(t, key.name, name)
					return value(first)
				})
			case string:
				var text string
				require.NoError(t, json.Unmarshal(j.raw, &text))
				require.Equal(t, first, text)
			case json.Number:
				require.Equal(t, string(first), string(j.raw))
			}
			return nil
		}
		first, err := j.token()
		if err == nil {
			err = value(first)
		}
		if err == nil {
			err = j.finish()
		}
		from(file, j.at)
		if err != nil && strings.Contains(err.Error(), "deeper than") {
			return
		}
		require.Equal(t, json.Valid(file), err == nil, "%v", err)
	})
}

// from returns the file from a position on.
func from(file []byte, at position) []byte {
	for range at.line - 1 {
		file = file[bytes.IndexByte(file, '\n')+1:]
	}
	for range at.column - 1 {
		_, size := utf8.DecodeRune(file)
		file = file[size:]
	}
	return file
}
