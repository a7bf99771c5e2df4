package instance

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
)

// Digest returns a fingerprint of the compiled instance: equal for files that
// compile to the same numbers, names and routes, however they are written. It
// covers all that the checker reads.
func (in *Instance) Digest() string {
	h := sha256.New()
	encoder := json.NewEncoder(h)
	parts := []any{
		in,             // exported fields only, all of them integers, strings and slices
		in.routes.leaf, // and what leads from rack to rack
		in.routes.ends,
		in.routes.tree,
	}
	for _, p := range in.routes.obeying {
		parts = append(parts, p.ways, p.found)
	}
	for _, part := range parts {
		if err := encoder.Encode(part); err != nil {
			panic("instance: " + err.Error())
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}
