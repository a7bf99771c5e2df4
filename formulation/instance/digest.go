package instance

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
)

// Digest returns a fingerprint of the compiled instance: equal for files that
// compile to the same numbers, names and routes, however they are written. It
// covers all that the checker reads.
func (in *Instance) Digest() string {
	// Exported fields only, all of them integers, strings and slices, and what leads from rack to rack.
	return digest(append([]any{in}, in.routes.Values()...)...)
}

// Digest is [Instance.Digest] of the cluster and the background jobs, and of the burst-parallel jobs.
func (b *Bursts) Digest() string {
	return digest(b.Instance.Digest(), b.Foreground, int64(b.Latency), int64(b.Slice))
}

// Digest is that of all numbers of workers.
func (m *Molds) Digest() string {
	digests := make([][]string, len(m.Jobs))
	for j, job := range m.Jobs {
		for _, in := range job.Alone {
			digests[j] = append(digests[j], in.Digest())
		}
	}
	return digest(digests)
}

// digest is that of values, a line of JSON each.
func digest(parts ...any) string {
	var data bytes.Buffer
	encoder := json.NewEncoder(&data)
	for _, part := range parts {
		if err := encoder.Encode(part); err != nil {
			panic("instance: " + err.Error())
		}
	}
	sum := sum256(data.Bytes())
	return hex.EncodeToString(sum[:])
}
