package profiles

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
)

var someOptions = ImportOptions{Model: "m", GPU: "g", Batch: 2}

// malformed inputs of one format, with a part of the message wanted.
type malformed []struct{ name, in, want string }

func (m malformed) check(t *testing.T, format Format) {
	for _, tt := range m {
		t.Run(tt.name, func(t *testing.T) {
			ps, err := Import(format, strings.NewReader(tt.in), someOptions)
			require.Error(t, err)
			assert.Nil(t, ps)
			assert.ErrorContains(t, err, tt.want)
			assert.True(t, strings.HasPrefix(err.Error(), "profiles: "), err.Error())
			assert.Less(t, len(err.Error()), 600)
		})
	}
}

func readTestdata(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	require.NoError(t, err)
	return string(data)
}

func importOne(t *testing.T, name string) *instance.Profile {
	t.Helper()
	ps, err := Import("", strings.NewReader(readTestdata(t, name)), someOptions)
	require.NoError(t, err)
	require.Len(t, ps, 1)
	return ps[0]
}

func TestDetect(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want Format
		err  string
	}{
		{readTestdata(t, "small_graph.txt"), PipeDream, ""},
		{readTestdata(t, "small_deeppool.txt"), DeepPool, ""},
		{readTestdata(t, "small_layers.json"), DNNPartitioning, ""},
		{"\n\n  " + readTestdata(t, "small_deeppool.txt"), DeepPool, ""},
		{"", "", "the file is empty"},
		{" \n", "", "the file is empty"},
		{`{"version":1,"profiles":[{"layers":[]}]}`, "", "JigSaw profile already"},
		{`[{"name": "aten::linear", "ph": "X", "ts": 419, "dur": 324, "tid": 1}]`, "", "jigsaw profile measure measures the model itself"},
		{`{"schemaVersion": 1, "traceEvents": []}`, Kineto, ""},
		{`{"about": 1, "graph": {"nodes": [{"layers": 2}]}}`, "", "JSON with the keys about, graph, and not a known kind of profile"},
		{`{"cluster": {"racks": [{"nodes": 2}]}, "profiles": [{"layers": []}]}`, "", "is a JigSaw instance"},
		{`{"schema_version": 1, "schedule": {"nodes": 2}}`, "", "is a plan of JigSaw"},
		{`{"model_type": "llama"}`, "", "jigsaw profile estimate --config"},
		{`{"edges": [], "nodes": 2`, DNNPartitioning, ""},
		{`{}`, "", "JSON with no keys"},
		{`[[1]]`, "", "JSON with no keys"},
		{`{"a": 1`, "", "neither JSON nor text of a known format: the file ends too early"},
		{"\xff\xfen\x00", "", "UTF-16"},
		{"hello", "", `begins with "hello" has no known format`},
	} {
		got, err := detect([]byte(tt.in))
		assert.Equal(t, tt.want, got)
		if tt.err == "" {
			assert.NoError(t, err)
		} else {
			assert.ErrorContains(t, err, tt.err)
		}
	}
	marked, err := Import("", strings.NewReader("\uFEFF"+readTestdata(t, "small_deeppool.txt")), someOptions)
	require.NoError(t, err)
	assert.Equal(t, importOne(t, "small_deeppool.txt"), marked[0], "some editors begin a file with this mark")
	_, err = Import("caffe", strings.NewReader("x"), someOptions)
	assert.ErrorContains(t, err, `format "caffe" is unknown; choose one of`)
	_, err = Import("", strings.NewReader("x"), someOptions)
	assert.Error(t, err)
}

func TestImportOptions(t *testing.T) {
	in := readTestdata(t, "small_graph.txt")
	for _, tt := range []struct {
		opt  ImportOptions
		want string
	}{
		{ImportOptions{GPU: "g", Batch: 1}, "does not say its model"},
		{ImportOptions{Model: "m", GPU: "a\tb", Batch: 1}, "the GPU it was measured on needs a printable name"},
		{ImportOptions{Model: "m", GPU: "g"}, "give --batch, the one that was profiled"},
		{ImportOptions{Model: "m", GPU: "g", Batch: -1}, "batch -1 is not between 1"},
		{ImportOptions{Model: "m", GPU: "g", Batch: instance.MaxBatch + 1}, "is not between 1"},
	} {
		for _, f := range Formats() {
			_, err := Import(f, strings.NewReader(in), tt.opt)
			require.Error(t, err)
			if f == PipeDream {
				assert.ErrorContains(t, err, tt.want)
			}
		}
	}
	opt := someOptions
	opt.Source = instance.Source{Repository: "r", Commit: "c", File: "f", Licence: "l", Note: "Mine."}
	ps, err := Import(PipeDream, strings.NewReader(in), opt)
	require.NoError(t, err)
	got := *ps[0].Source
	assert.True(t, strings.HasPrefix(got.Note, pipeDreamNote) && strings.HasSuffix(got.Note, " Mine."))
	got.Note = "Mine."
	assert.Equal(t, opt.Source, got)
}

func TestParseScaled(t *testing.T) {
	for _, tt := range []struct {
		in     string
		digits int
		want   int64
		err    string
	}{
		{"1.318", 6, 1_318_000, ""},
		{"0", 6, 0, ""},
		{"0.000", 0, 0, ""},
		{"4096.000", 0, 4096, ""},
		{" 12 ", 3, 12_000, ""},
		{"7.", 0, 7, ""},
		{"1.5e3", 0, 1500, ""},
		{"3.8e-06", 6, 4, ""},
		{"000000000000000000000000000001", 0, 1, ""},
		{"0.0000001", 6, 0, "more decimals"},
		{"-1", 0, 0, "negative"},
		{"-0.5e1", 0, 0, "negative"},
		{"", 0, 0, "not a non-negative decimal"},
		{".", 0, 0, "not a non-negative decimal"},
		{".5", 3, 0, "not a non-negative decimal"},
		{"NaN", 0, 0, "not a non-negative decimal"},
		{"inf", 0, 0, "not a non-negative decimal"},
		{"0x10", 0, 0, "not a non-negative decimal"},
		{"1_0", 0, 0, "not a non-negative decimal"},
		{"1e999", 0, 0, "not a number in range"},
		{"e", 0, 0, "not a number in range"},
		{"72057594037927936", 0, 1 << 56, ""},
		{"72057594037927937", 0, 0, "too large"},
		{"99999999999999999999", 0, 0, "too large"},
	} {
		got, err := parseScaled(tt.in, tt.digits)
		if tt.err != "" {
			assert.ErrorContains(t, err, tt.err, tt.in)
			continue
		}
		assert.NoError(t, err, tt.in)
		assert.Equal(t, tt.want, got, tt.in)
	}
	d, err := parseRoundedMilliseconds("47.779999999999994")
	assert.NoError(t, err)
	assert.Equal(t, instance.Duration(47_780_000), d)
}
