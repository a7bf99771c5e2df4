package profiles

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
)

// small_kineto.json is what PyTorch 2.15 recorded on a CPU, two iterations, of an embedding of 100 tokens by 64,
// two blocks x + Sequential(LayerNorm, Linear(64, 256), ReLU, Linear(256, 64)) and a head with the embedding's weights, for 32 tokens;
// less events, arguments and nested operations that are not read.
func TestKinetoRecorded(t *testing.T) {
	p := importOne(t, "small_kineto.json")
	const (
		block = 4 * (2*64 + 64*256 + 256 + 256*64 + 64)
		out   = 4 * 32 * 64
		kept  = out + 2*4*32 + 4*32*256 + out // the normalised input, means and deviations, after the ReLU, the sum
	)
	for i, want := range []instance.Layer{
		{Name: "Embedding_0", Parameters: 4 * 100 * 64, Activations: out}, // weights that are tied count where they are deepest
		{Name: "Block_0", Parameters: block, Activations: kept},
		{Name: "Block_1", Parameters: block, Activations: kept},
		{Name: "Linear_4", Activations: 4*32*100 + 3*4}, // with the loss and its gradient
	} {
		got := p.Layers[i]
		assert.Positive(t, got.Forward)
		assert.Positive(t, got.Backward)
		got.Forward, got.Backward = 0, 0
		assert.Equal(t, want, got)
	}
	assert.Len(t, p.Layers, 4)
}

// kinetoByHand has two layers, called A_0 and A_1.
const kinetoByHand = `{"traceEvents":[
{"cat":"python_function","name":"nn.Module: Net_0","tid":1,"ts":1000,"dur":100},
{"cat":"python_function","name":"nn.Module: A_0","tid":1,"ts":1010,"dur":18},
{"cat":"python_function","name":"nn.Module: A_1","tid":1,"ts":1030,"dur":20},
{"cat":"cpu_op","name":"load","tid":1,"ts":900,"dur":7},
{"cat":"cpu_op","name":"before","tid":1,"ts":1005,"dur":3},
{"cat":"cpu_op","name":"outer","tid":1,"ts":1012,"dur":10,"args":{"Sequence number":1}},
{"cat":"cpu_op","name":"inner","tid":1,"ts":1013,"dur":9,"args":{"Sequence number":1}},
{"cat":"cpu_op","name":"no node","tid":1,"ts":1025,"dur":1,"args":{"Sequence number":2}},
{"cat":"cpu_op","name":"node","tid":1,"ts":1032,"dur":10,"args":{"Sequence number":2}},
{"cat":"cpu_op","name":"other thread","tid":3,"ts":1033,"dur":77},
{"cat":"cpu_op","name":"loss","tid":1,"ts":1110,"dur":5,"args":{"Sequence number":3}},
{"cat":"cpu_op","name":"autograd::engine::evaluate_function: Loss","tid":2,"ts":1200,"dur":4,"args":{"Sequence number":3}},
{"cat":"cpu_op","name":"autograd::engine::evaluate_function: Two","tid":2,"ts":1210,"dur":20,"args":{"Sequence number":2}},
{"cat":"cpu_op","name":"autograd::engine::evaluate_function: torch::autograd::AccumulateGrad","tid":2,"ts":1230,"dur":2},
{"cat":"cpu_op","name":"torch::autograd::AccumulateGrad","tid":2,"ts":1230.5,"dur":1,"args":{"Input Dims":[[10]],"Input type":["float"]}},
{"cat":"cpu_op","name":"autograd::engine::evaluate_function: One","tid":2,"ts":1240,"dur":30.125,"args":{"Sequence number":1}},
{"cat":"cpu_op","name":"autograd::engine::evaluate_function: torch::autograd::AccumulateGrad","tid":2,"ts":1271,"dur":2},
{"cat":"cpu_op","name":"torch::autograd::AccumulateGrad","tid":2,"ts":1271.5,"dur":1,"args":{"Input Dims":[[4,5]],"Input type":["c10::Half"]}},
{"cat":"cpu_op","name":"step","tid":1,"ts":1300,"dur":50},
{"cat":"cpu_instant_event","name":"[memory]","tid":1,"ts":1013,"args":{"Bytes":100,"Device Type":0,"Addr":1}},
{"cat":"cpu_instant_event","name":"[memory]","tid":1,"ts":1014,"args":{"Bytes":50,"Device Type":0,"Addr":2}},
{"cat":"cpu_instant_event","name":"[memory]","tid":1,"ts":1020,"args":{"Bytes":-50,"Device Type":0,"Addr":2}},
{"cat":"cpu_instant_event","name":"[memory]","tid":1,"ts":1033,"args":{"Bytes":70,"Device Type":0,"Addr":3}},
{"cat":"cpu_instant_event","name":"[memory]","tid":1,"ts":1034,"args":{"Bytes":8,"Device Type":0,"Addr":2}},
{"cat":"cpu_instant_event","name":"[memory]","tid":1,"ts":1015,"args":{"Bytes":512,"Device Type":1,"Addr":2}},
{"cat":"cpu_instant_event","name":"[memory]","tid":1,"ts":1201,"args":{"Bytes":999,"Device Type":0,"Addr":4}}
]}`

const kinetoKernels = `,
{"cat":"cuda_runtime","name":"cudaLaunchKernel","tid":1,"ts":1012.5,"dur":4,"args":{"correlation":7}},
{"cat":"cuda_driver","name":"cuLaunchKernel","tid":1,"ts":1033,"dur":4,"args":{"correlation":8}},
{"cat":"cuda_runtime","name":"cudaLaunchKernel","tid":2,"ts":1212,"dur":4,"args":{"correlation":9}},
{"cat":"cuda_runtime","name":"cudaMemsetAsync","tid":2,"ts":1245,"dur":4,"args":{"correlation":10}},
{"cat":"cuda_runtime","name":"cudaLaunchKernel","tid":1,"ts":1305,"dur":4,"args":{"correlation":11}},
{"cat":"cuda_runtime","name":"cudaDeviceSynchronize","tid":1,"ts":1040,"dur":4,"args":{"correlation":12}},
{"cat":"kernel","name":"a","tid":7,"ts":1050,"dur":100,"args":{"correlation":7}},
{"cat":"kernel","name":"b","tid":7,"ts":1150,"dur":200,"args":{"correlation":8}},
{"cat":"kernel","name":"c","tid":7,"ts":1350,"dur":300,"args":{"correlation":9}},
{"cat":"gpu_memset","name":"d","tid":7,"ts":1650,"dur":5,"args":{"correlation":10}},
{"cat":"kernel","name":"e","tid":7,"ts":1655,"dur":999,"args":{"correlation":11}}
]}`

func TestKinetoByHand(t *testing.T) {
	onGPU := strings.Replace(kinetoByHand, "\n]}", kinetoKernels, 1)
	for _, tt := range []struct {
		name, in string
		want     []instance.Layer
	}{
		{"CPU", kinetoByHand, []instance.Layer{
			{Name: "A_0", Forward: 14_000, Backward: 32_125, Parameters: 40, Activations: 100},
			{Name: "A_1", Forward: 15_000, Backward: 26_000, Parameters: 40, Activations: 78},
		}},
		{"GPU", onGPU, []instance.Layer{
			{Name: "A_0", Forward: 100_000, Backward: 5_000, Parameters: 40, Activations: 512},
			{Name: "A_1", Forward: 200_000, Backward: 300_000, Parameters: 40},
		}},
		{"in place", strings.NewReplacer(`"Bytes":70`, `"Bytes":0`, `"Bytes":8`, `"Bytes":0`, "[[10]]", "[[0]]").Replace(kinetoByHand), []instance.Layer{
			{Name: "A_0", Forward: 14_000, Backward: 32_125, Parameters: 40, Activations: 100},
			{Name: "A_1", Forward: 15_000, Backward: 26_000, Joined: true},
		}},
	} {
		ps, err := Import("", strings.NewReader(tt.in), someOptions)
		require.NoError(t, err, tt.name)
		require.Len(t, ps, 1)
		assert.Equal(t, tt.want, ps[0].Layers, tt.name)
	}
}

func TestKinetoMalformed(t *testing.T) {
	with := func(old, replacement string) string {
		t.Helper()
		in := strings.Replace(kinetoByHand+" ", "\n]}", kinetoKernels, 1)
		require.Contains(t, in, old)
		return strings.ReplaceAll(in, old, replacement)
	}
	malformed{
		{"not JSON", `{"traceEvents": [}`, "is not valid JSON"},
		{"null", `{"traceEvents": [null]}`, "traceEvents[0] is null"},
		{"empty", `{"traceEvents": []}`, "no calls of modules (with_stack=True)"},
		{"negative", with(`"dur":100`, `"dur":-1`), `"nn.Module: Net_0", takes -1 us`},
		{"no modules", with("nn.Module: ", ""), "no calls of modules (with_stack=True); record one worker"},
		{"no backward", with("autograd::engine::evaluate_function", "x"), "no backward pass; record"},
		{"no shapes", with("Input Dims", "x"), "record_shapes=True"},
		{"no memory", with("[memory]", "x"), "profile_memory=True"},
		{"several workers", with(`{"traceEvents"`, `{"distributedInfo":{"world_size":8},"traceEvents"`), "one of 8 workers"},
		{"graphs", with("cudaLaunchKernel", "cudaGraphLaunch"), "CUDA graphs"},
		{"no layers", with("A_1", "A_0"), "calls no modules of its own"},
		{"no links", with("Sequence number", "x"), "sequence number"},
		{"type", with("c10::Half", "c10::Float8"), `type "c10::Float8"`},
		{"shape", with("[[4,5]]", "[4,5]"), "has the shape [4,5]"},
		{"size", with("[[4,5]]", "[[99999999999,99999999999]]"), "negative or too large"},
		{"allocation", with(`"Bytes":512`, `"Bytes":99999999999999999`), "is too large"},
		{"no second backward", with(`"step"`, `"x"},{"cat":"python_function","name":"nn.Module: Net_0","tid":1,"ts":3000,"dur":50`), "call 2 of module Net_0: no backward pass follows it"},
		{"checkpointing", with(`"step"`, `"x"},{"cat":"python_function","name":"nn.Module: A_0","tid":2,"ts":1241,"dur":5`), "without checkpointing"},
		{"other modules", with("\n]}", `,
{"cat":"python_function","name":"nn.Module: Net_0","tid":1,"ts":3000,"dur":9},
{"cat":"cpu_op","name":"autograd::engine::evaluate_function: x","tid":1,"ts":3100,"dur":9}
]}`), "call 2 of module Net_0: A_0 is not called"},
	}.check(t, Kineto)
}
