package reader_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw"
)

// TestQuantities writes quantities in many ways: both readers read the same numbers, or both
// refuse them.
func TestQuantities(t *testing.T) {
	r := newReader(t)
	const file = `{"version": 1, "cluster": {
		"gpu_types": [{"name": "a", "memory": "1GiB"}, {"name": "b", "memory": $memory, "profiled_as": [{"gpu": "a", "speed": $ratio}]}],
		"racks": [{"nodes": 1, "gpus": 2, "gpu": "a", "nic": "1Gbit/s", "fabric": $speed}],
		"latency": $duration, "rate_levels": [$level]},
	"profiles": [{"model": "m", "gpu": "a", "batch": 1, "layers": [
		{"name": "x", "forward": "1ms", "backward": $duration, "parameters": $memory},
		{"name": "y", "forward": "1ms", "backward": "3ms", "parameters": 5}]}],
	"jobs": [{"name": "j", "model": "m", "workers": 2, "spb": {"rule": "free", "min_mean_depth": $ratio}}]}`
	usual := map[string]string{"memory": `"1MB"`, "ratio": "0.5", "speed": `"1Gbit/s"`, "duration": `"1ms"`, "level": "1"}
	taken, refused := 0, 0
	for kind, texts := range map[string]string{
		"memory":   `7 "7" "7B" "7 B" " 7kB " "7KiB" "0.5MiB" ".5MiB" "1.MiB" "1.25TB" "0.1B" "1.0005kB" "7K" "7kb" "-7B" "+7B" "1e3" 1e3 7.5 "" "B" "1_000" "0x10" "٧" true "1 000" "010"`,
		"ratio":    `1 "1" 0.25 "25%" "33.3333%" "33.33333%" 0.333333 0.3333333 ".5" "5.%" "50 %" "1/2" "-0.5" "5e-1" 5e-1 "0.50" 0.100000 "010%"`,
		"speed":    `"3bit/s" "0.5kbit/s" "2.5Mbit/s" "1.2GB/s" "7B/s" "0.125B/s" "0.1B/s" "1 Tbit/s" "3Gbps" "3Gbit" 3 "1gbit/s" "-1Gbit/s" "1TB/s"`,
		"duration": `"1ms" "1.5ms" "1h30m" "1m0.5s" "100us" "100µs" "7ns" ".5ms" "1.ms" "0" 0 "1.5ns" "0.0000001ms" "0.3333333ms" "0.000001ms" "1ms1us1ns" "1us2ms" "-1ms" "1" "1 ms" "1d" "1e3ms" "ms" "" 1 "1ms " "1M" true`,
		"level":    `1 "1" "1/2" "1/7" 0.5 0.25 "0.125" "2/4" "1/1" "1/1.5" "2" "0" "1/0" "-1/2" "1/-2" "1 / 2" "1/1024" "1/1025" "1/2/3" "" 0.3 "a"`,
	} {
		for _, text := range split(texts) {
			written := file
			for key, value := range usual {
				if key == kind {
					value = text
				}
				written = strings.ReplaceAll(written, "$"+key, value)
			}
			in, err := jigsaw.Load([]byte(written))
			a := r.ask(request{Instance: json.RawMessage(written)})
			about := fmt.Sprintf("%s %s: planner: %v, reader: %s", kind, text, err, a.Refused)
			if err != nil {
				refused++
				assert.NotEmpty(t, a.Refused, about)
			} else if taken++; assert.Empty(t, a.Refused, about) {
				assert.Equal(t, figuresOf(in), a.Figures, about)
			}
		}
	}
	t.Logf("%d taken, %d refused", taken, refused)
	require.Greater(t, taken, 40)
	require.Greater(t, refused, 40)
}

// split separates JSON scalars that have a blank between them.
func split(texts string) []string {
	var list []string
	for decoder := json.NewDecoder(strings.NewReader(texts)); ; {
		var text json.RawMessage
		if decoder.Decode(&text) != nil {
			return list
		}
		list = append(list, string(text))
	}
}
