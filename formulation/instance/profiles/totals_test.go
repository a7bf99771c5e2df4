package profiles

import (
	"encoding/json"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
)

// The sums in this file are taken from the text of the sources by regular
// expressions and floating point; they share no code with the importers.

func sum(t *testing.T, text, pattern string) float64 {
	t.Helper()
	total := 0.0
	for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
		for number := range strings.SplitSeq(m[len(m)-1], ";") {
			v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
			require.NoError(t, err)
			total += v
		}
	}
	return total
}

// ns, exact for the three decimals of the sources.
func ns(ms float64) instance.Duration { return instance.Duration(math.Round(ms*1e3) * 1e3) }

func TestPipeDreamTotals(t *testing.T) {
	lib, err := Builtin()
	require.NoError(t, err)
	for _, s := range sources {
		if s.format != PipeDream {
			continue
		}
		t.Run(s.into, func(t *testing.T) {
			text := string(s.read(t))
			p, found := lib.Find(s.opt.Model, s.opt.GPU, s.opt.Batch)
			require.True(t, found)
			got := p.Totals()
			const size = `activation_size=\[?([0-9.; ]+)`
			loading := sum(t, text, `(?m) -- Input\d* -- forward_compute_time=([0-9.]+)`)
			assert.Equal(t, ns(sum(t, text, `forward_compute_time=([0-9.]+)`)-loading), got.Forward)
			assert.Equal(t, ns(sum(t, text, `backward_compute_time=([0-9.]+)`)), got.Backward)
			assert.Equal(t, instance.Bytes(sum(t, text, `parameter_size=([0-9.]+)`)), got.Parameters)
			all := sum(t, text, size)
			inputs := sum(t, text, `(?m) -- Input\d* -- .*`+size)
			inPlace := sum(t, text, `(?m)\(inplace\) -- .*`+size)
			views := sum(t, text, `(?m) -- (?:Size|View|__getitem__)\(.*`+size)
			assert.Equal(t, instance.Bytes(all-inputs-inPlace-views), got.Activations)
		})
	}
}

// TestPipeDreamBatches ties the batch sizes, which the files do not tell, to
// the sizes of known tensors.
func TestPipeDreamBatches(t *testing.T) {
	for _, s := range sources {
		if s.format != PipeDream {
			continue
		}
		text := string(s.read(t))
		if s.opt.Model == "gnmt" {
			// The first state of an LSTM with 1024 units, four bytes each.
			assert.Equal(t, float64(s.opt.Batch*1024*4), sum(t, text, `node7 -- .*activation_size=\[[0-9.]+; ([0-9.]+)`), s.into)
			continue
		}
		side := 224 // pixels; see torchvision
		if s.opt.Model == "inception_v3" {
			side = 299
		}
		classes := sum(t, text, `(?m)in_features=(?:2048|4096|1024), out_features=1000, .*activation_size=([0-9.]+)`)
		assert.Equal(t, float64(s.opt.Batch*1000*4), classes, s.into)
		assert.Equal(t, float64(s.opt.Batch*3*side*side*4), sum(t, text, ` -- Input -- .*activation_size=([0-9.]+)`), s.into)
	}
}

func TestDeepPoolTotals(t *testing.T) {
	lib, err := Builtin()
	require.NoError(t, err)
	for _, s := range sources {
		if s.format != DeepPool {
			continue
		}
		text := string(s.read(t))
		ps := lib.Profiles(s.opt.Model)
		checked := 0
		for _, p := range ps {
			if p.GPU != s.opt.GPU {
				continue
			}
			checked++
			row := `(?m)\}\[` + strconv.Itoa(p.Batch) + `\]\S+ +[0-9.]+ +`
			got := p.Totals()
			assert.Equal(t, ns(sum(t, text, row+`(\d+) +\d+ *$`)/1e3), got.Forward, "%s batch %d", s.into, p.Batch)
			assert.Equal(t, ns(sum(t, text, row+`\d+ +(\d+) *$`)/1e3), got.Backward, "%s batch %d", s.into, p.Batch)
		}
		assert.Equal(t, strings.Count(text, "SUM(avg)"), checked, "batch sizes of %s", s.into)
	}
}

func TestDNNPartitioningTotals(t *testing.T) {
	lib, err := Builtin()
	require.NoError(t, err)
	p, found := lib.Find("bert24", "v100", 2)
	require.True(t, found)
	s := sources[len(sources)-1]
	require.Equal(t, DNNPartitioning, s.format)
	text := string(s.read(t))
	got := p.Totals()
	assert.Equal(t, ns(sum(t, text, `"fpgaLatency": ([0-9.]+), "isBackwardNode": 0`)), got.Forward)
	assert.Equal(t, ns(sum(t, text, `"fpgaLatency": ([0-9.]+), "isBackwardNode": 1`)), got.Backward)
	all := sum(t, text, `"isBackwardNode": 0, "colorClass": \d+, "size": ([0-9.]+)`)
	views := sum(t, text, `"id": (?:31|32), .*?"size": ([0-9.]+)`)
	assert.Equal(t, instance.Bytes(125018112+16), instance.Bytes(views), "the two outputs of the head")
	assert.Equal(t, instance.Bytes(all-views), got.Parameters+got.Activations)

	// Activations: each node with layers below or beside sends its output once.
	var graph struct {
		Edges []struct {
			SourceID, DestID int
			Size             float64
		}
	}
	require.NoError(t, json.Unmarshal([]byte(text), &graph))
	out := make(map[int]float64)
	for _, e := range graph.Edges {
		if e.SourceID <= 32 {
			out[e.SourceID] = e.Size
		}
	}
	want := 0.0
	for _, v := range out {
		want += v
	}
	assert.Equal(t, instance.Bytes(want), got.Activations)
}

// TestParametersAreThoseOfTheModels compares with parameter counts published
// elsewhere, four bytes each, or two in bf16.
func TestParametersAreThoseOfTheModels(t *testing.T) {
	lib, err := Builtin()
	require.NoError(t, err)
	const tied = 30522 * 1024 // BERT's embedding, counted twice
	for _, tt := range []struct {
		model string
		want  int64
		from  string
	}{
		{"alexnet", 61_100_840, "torchvision"},
		{"vgg16", 138_357_544, "torchvision"}, // both sources
		{"resnet50", 25_557_032, "torchvision"},
		{"resnet101", 44_549_160, "torchvision"},
		{"densenet121", 7_978_856, "torchvision"},
		{"inception_v3", 27_161_264, "torchvision, with the auxiliary classifier"},
		{"wrn101_2", 126_886_696 - 128 + 64, "torchvision; stem without batch norm and with bias, see the note"},
		{"bert24", 336_226_108 + tied, "BertForPreTraining, large, uncased"},
	} {
		for _, p := range lib.Profiles(tt.model) {
			width := int64(4)
			if p.Precision == "bf16" {
				width = 2
			}
			assert.Equal(t, instance.Bytes(width*tt.want), p.Totals().Parameters, "%s on %s, %s", tt.model, p.GPU, tt.from)
		}
	}
}

// TestActivationsOfTwoSourcesAgree: VGG-16 was profiled by both projects. Per
// sample they differ by the outputs of the two dropouts, which DeepPool lacks,
// of 4096 numbers each.
func TestActivationsOfTwoSourcesAgree(t *testing.T) {
	lib, err := Builtin()
	require.NoError(t, err)
	v, _ := lib.Find("vgg16", "v100", 128)
	a, _ := lib.Find("vgg16", "a100", 64)
	require.NotNil(t, v)
	require.NotNil(t, a)
	assert.Equal(t, v.Totals().Activations/128-2*4096*4, a.Totals().Activations/64)
}
