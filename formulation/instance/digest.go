package instance

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
)

// Digest returns a fingerprint of the compiled instance: equal for files that
// compile to the same numbers and names, however they are written.
func (in *Instance) Digest() string {
	h := sha256.New()
	// Exported fields only, all of them integers, strings and slices.
	if err := json.NewEncoder(h).Encode(in); err != nil {
		panic("instance: " + err.Error())
	}
	return hex.EncodeToString(h.Sum(nil))
}
