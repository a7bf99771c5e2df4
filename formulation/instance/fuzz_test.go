package instance

import (
	"bytes"
	"encoding"
	"encoding/json"
	"os"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
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
			require.ErrorAs(t, err, new(Problems))
			require.NotEmpty(t, err.Error())
			return
		}
		requireRoundTrip(t, d.Spec)
		if large(d.Spec) {
			return // Compile has limits, but takes its time up to them.
		}
		in, err := d.Compile(shelf{})
		if err != nil {
			require.ErrorAs(t, err, new(Problems))
			return
		}
		require.NotEmpty(t, in.Jobs)
		for i := range in.Jobs {
			in.Jobs[i].FastestFull()
		}
	})
}

// large reports whether a spec expands to more than a fuzzer has time for.
func large(s *Spec) bool {
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
			require.ErrorAs(t, err, new(Problems))
			return
		}
		var b bytes.Buffer
		require.NoError(t, EncodeSchedule(&b, in, s))
		got, err := DecodeSchedule(in, &b)
		require.NoError(t, err)
		require.Equal(t, s, got)
	})
}

// FuzzJSON holds our reader to the grammar of encoding/json.
func FuzzJSON(f *testing.F) {
	for _, text := range []string{validSpec, `[1, -0.5e+3, "\u00e9\ud83d\ude00\ud800\\\/", true, false, null, {}, []]`, "01", "1.", "-", "1e", `"`, "\"\t\"", "{\"a\" 1}", "[,]", "[1,]", "nul", "1 2", "0\x00", ""} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		if !utf8.Valid(file) {
			return
		}
		j := newJSONReader(iotest.HalfReader(bytes.NewReader(file)))
		first, err := j.token()
		if err == nil {
			err = j.skip(first)
		}
		if err == nil {
			err = j.finish()
		}
		if err != nil && bytes.Contains([]byte(err.Error()), []byte("deeper than")) {
			return
		}
		require.Equal(t, json.Valid(file), err == nil, "%v", err)

		var want string
		if json.Unmarshal(file, &want) == nil && first == '"' {
			j := newJSONReader(bytes.NewReader(file))
			_, err := j.token()
			require.NoError(t, err)
			require.Equal(t, want, string(j.text))
		}
	})
}

func FuzzUnits(f *testing.F) {
	for _, text := range []string{"16GiB", "1.5 GB/s", "100Gbit/s", "1h2m3.5s", "75%", "1/4", "0.25", "1e9", "-1", "NaN", "0x10", "999999999999999999999999999999TB", "1/010", "\u00b5s", "1\u00b5s"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, v := range []encoding.TextUnmarshaler{new(Bytes), new(BitRate), new(Duration), new(Ratio), new(RateLevel)} {
			if err := v.UnmarshalText([]byte(text)); err != nil {
				require.NotEmpty(t, err.Error())
				continue
			}
			first := value(v)
			written, err := first.(encoding.TextMarshaler).MarshalText()
			require.NoError(t, err)
			again := newQuantity(first)
			require.NoError(t, again.UnmarshalText(written), "%q written as %q", text, written)
			require.Equal(t, first, value(again), "%q written as %q", text, written)
		}
	})
}
