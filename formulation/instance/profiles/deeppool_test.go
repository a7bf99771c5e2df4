package profiles

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
)

func TestImportDeepPool(t *testing.T) {
	p := importOne(t, "small_deeppool.txt")
	// Numbers per sample, by hand; two samples, four bytes each.
	const (
		conv = 3*8*9 + 8
		// 8 inner channels, 16 outer: 1x1, 3x3, 1x1 convolutions with norms, and the skip.
		first  = (8*8 + 16) + (8*8*9 + 16) + (8*16 + 32) + (8*16 + 32)
		second = (16*8 + 16) + (8*8*9 + 16) + (8*16 + 32)
	)
	assert.Equal(t, []instance.Layer{
		{Name: "row1 conv2d+ReLU", Forward: 3_362_000, Backward: 3_736_000, Parameters: 4 * conv, Activations: 8 * 8 * 16},
		{Name: "row3 maxPool2d", Forward: 1_071_000, Backward: 3_670_000, Activations: 8 * 8 * 4},
		// Twice 8 channels of 2x2, twice 8 and three times 16 of 1x1.
		{Name: "row4 ResnetBottleneck", Forward: 2_455_000, Backward: 4_445_000, Parameters: 4 * first, Activations: 8 * (2*32 + 2*8 + 3*16), Output: 8 * 16},
		{Name: "row5 ResnetBottleneck", Forward: 2_175_000, Backward: 4_123_000, Parameters: 4 * second, Activations: 8 * (2*8 + 2*8 + 2*16), Output: 8 * 16},
		{Name: "row6 ReLU2d", Forward: 1_000, Backward: 2_000, Joined: true},
		{Name: "row7 flatten", Forward: 5_000, Backward: 5_000},
		{Name: "row8 linear+ReLU", Forward: 359_000, Backward: 1_571_000, Parameters: 4 * 170, Activations: 8 * 10},
		{Name: "row10 linear", Forward: 28_000, Parameters: 4 * 40, Activations: 8 * 4},
	}, p.Layers)
}

func TestImportDeepPoolBatches(t *testing.T) {
	in := readTestdata(t, "small_deeppool.txt")
	opt := someOptions
	opt.Batch = 0
	ps, err := importDeepPool([]byte(in), opt)
	require.NoError(t, err)
	require.Len(t, ps, 2)
	assert.Equal(t, 2, ps[0].Batch)
	assert.Equal(t, 1, ps[1].Batch)
	assert.Equal(t, instance.Bytes(16), ps[1].Totals().Activations)
	opt.Batch = 3
	_, err = importDeepPool([]byte(in), opt)
	assert.ErrorContains(t, err, "the file has no batch size 3; it has 2, 1")
}

func TestImportDeepPoolErrors(t *testing.T) {
	const conv = `conv2d{"in_channels":3,"kernel_size":3,"out_channels":8,"padding":1,"stride":2}[2][3,8,8] 2.1 2157 6` + "\n"
	const relu = `ReLU2d{}[2][8,4,4] 4.9 1205 3730` + "\n"
	const block = `ResnetBottleneck{"base_width":64,"dilation":1,"groups":1,"inplanes":8,"planes":2}[2][8,2,2] 1 1 1`
	with := func(s, old, new string) string { return strings.Replace(s, old, new, 1) }
	malformed{
		{"empty", "", "the file has no rows; expected lines like"},
		{"only sums", "SUM(avg) 1\n", "the file has no rows"},
		{"text", conv + "\nhello", `line 3: "hello" is not a row; expected "conv2d`},
		{"settings", with(conv, `"stride":2}`, `"stride":}`), "line 1: conv2d: settings are not JSON"},
		{"open settings", `conv2d{"a":1`, "settings are not JSON"},
		{"no figures", `flatten{}[2][3,8,8]`, "is not a row"},
		{"three figures", with(conv, " 6\n", "\n"), "is not a row"},
		{"batch", with(conv, "[2]", "[x]"), "is not a row"},
		{"no batch", with(conv, "[2]", ""), "is not a row"},
		{"batch 0", with(conv, "[2]", "[0]"), "line 1: batch 0 is not between 1 and"},
		{"shape", with(conv, "[3,8,8]", "[3,8]"), `input shape "[3,8]" is not "[c,h,w]" or a number`},
		{"empty shape", with(conv, "[3,8,8]", "[3,,8]"), "input shape"},
		{"open shape", with(conv, "[3,8,8]", "[3,8,8"), "input shape"},
		{"zero shape", with(conv, "[3,8,8]", "[3,0,8]"), "input shape"},
		{"negative time", with(conv, " 2157 ", " -2157 "), `line 1: forward us "-2157" is negative`},
		{"NaN", with(conv, " 6\n", " NaN\n"), `backward us "NaN" is not a non-negative`},
		{"total", with(conv, " 2.1 ", " x "), `total ms "x"`},
		{"unknown operation", conv + `magic{}[2][8,4,4] 1 1 1`, "line 2: magic: operation is unknown; known are conv2d"},
		{"unknown setting", with(conv, "stride", "strides"), `unknown field "strides"`},
		{"channels", with(conv, `"in_channels":3`, `"in_channels":4`), "line 1: conv2d: in_channels 4, but the input shape is [3,8,8]"},
		{"features", `linear{"bias":true,"in_features":3,"out_features":1}[2]4 1 1 1`, "in_features 3, but the input shape is 4"},
		{"not a chain", conv + with(relu, "[8,4,4]", "[8,5,4]"), "line 2: ReLU2d reads [8,5,4], but the row above gives [8,4,4]; only chains"},
		{"window", with(conv, `"kernel_size":3`, `"kernel_size":30`), "no positive size"},
		{"stride 0", with(conv, `"stride":2`, `"stride":0`), "no positive size"},
		{"no outputs", with(conv, `"out_channels":8`, `"out_channels":0`), "no positive size"},
		{"huge", with(conv, `"out_channels":8`, `"out_channels":9000000000000000000`), "no positive size"},
		{"groups", with(conv, `"stride":2`, `"stride":2,"groups":2`), "no positive size"},
		{"batch again", conv + "SUM(avg) 1\n" + conv, "line 3: batch 2 begins on line 1 already"},
		{"batches mixed", conv + with(conv, "[2]", "[1]") + conv, "line 3: batch 2 begins on line 1 already"},
		{"other batches only", with(conv, "[2]", "[16]"), "the file has no batch size 2; it has 16"},
		{"skip needs a convolution", with(block, `"planes":2`, `"planes":4`), "needs downsampleParams"},
		{"skip of another shape", with(block, `"planes":2`, `"planes":4,"downsampleParams":[[8,8,1],8]`), "do not fit"},
		{"skip malformed", with(block, `"planes":2`, `"planes":4,"downsampleParams":[8]`), "is not [[in, out, stride], out]"},
		{"inplanes", with(block, `"inplanes":8`, `"inplanes":9`), "inplanes 9, but the input shape is [8,2,2]"},
		{"no time", `flatten{}[2][8,4,4] 0 0 0`, "no layer takes any time"},
		{"many rows", strings.Repeat(relu, maxNodes+1), "line 20001: more than 20000 rows"},
	}.check(t, DeepPool)
}
