package profiles

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// fuzzImport feeds an importer; what it accepts must be valid and survive our
// own format.
func fuzzImport(f *testing.F, format Format, seeds ...string) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		opt := someOptions
		if format == DeepPool {
			opt.Batch = 0
		}
		ps, err := Import(format, bytes.NewReader(data), opt)
		if err != nil {
			assert.Nil(t, ps)
			return
		}
		var buf bytes.Buffer
		require.NoError(t, Encode(&buf, ps))
		again, err := Decode(&buf)
		require.NoError(t, err)
		require.Equal(t, ps, again)
	})
}

func FuzzPipeDream(f *testing.F) {
	fuzzImport(f, PipeDream, readTestdata(f, "small_graph.txt"),
		"node1 -- A -- forward_compute_time=1.0, backward_compute_time=2e0, activation_size=[4.0; 1], parameter_size=8\n\tnode1 -- node2\nnode2 -- View(-1) -- forward_compute_time=0, backward_compute_time=0, activation_size=4, parameter_size=0")
}

func FuzzDeepPool(f *testing.F) {
	fuzzImport(f, DeepPool, readTestdata(f, "small_deeppool.txt"),
		"adAvgPool2d{\"output_height\":1,\"output_width\":1}[1][9,7,7] 0 1 2\navgPool2d{\"kernel_size\":1,\"padding\":0,\"stride\":1}[1][9,1,1] 0 1 2")
}

func FuzzDNNPartitioning(f *testing.F) {
	fuzzImport(f, DNNPartitioning, readTestdata(f, "small_layers.json"),
		`{"nodes":[{"id":1,"colorClass":1,"fpgaLatency":1.5,"size":0},{"id":2,"colorClass":1,"fpgaLatency":1e0,"size":0,"isBackwardNode":true}],"edges":[]}`)
}

func FuzzKineto(f *testing.F) {
	fuzzImport(f, Kineto, kinetoByHand, strings.Replace(kinetoByHand, "\n]}", kinetoKernels, 1),
		strings.ReplaceAll(kinetoByHand, "nn.Module: A", "nn.Module: Sequential"),
		strings.NewReplacer(`"ts":1010,"dur":18`, `"ts":1030,"dur":20`, "Module: A_0", "Module: Sequential_0").Replace(kinetoByHand))
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"version":1,"profile":{"model":"m","gpu":"g","batch":1,"layers":[{"name":"l","forward":"1ms","backward":"2ms"}]}}`))
	f.Add([]byte(`{"version":1,"profiles":[{"model":"m","gpu":"g","batch":1,"workspace":"1GiB","source":{"repository":"r"},"layers":[{"name":"l","forward":"1ms","backward":"2ms","parameters":"4KiB","activations":12,"joined":true}]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		ps, err := Decode(bytes.NewReader(data))
		if err != nil {
			return
		}
		var buf bytes.Buffer
		require.NoError(t, Encode(&buf, ps))
		again, err := Decode(&buf)
		require.NoError(t, err)
		require.Equal(t, ps, again)
	})
}

func FuzzDetect(f *testing.F) {
	f.Add([]byte("node1 -- "))
	f.Add([]byte(`{"nodes":1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		_, _ = detect(data)
		_, _ = Import("", bytes.NewReader(data), someOptions)
	})
}
