package profiles

import (
	"errors"
	"fmt"
	"unicode"
	"unicode/utf8"

	"jigsaw/formulation/instance"
)

const (
	// maxLayers bounds a profile.
	maxLayers = 100_000
	// maxBatch bounds a batch size.
	maxBatch = 1 << 24
	// maxProblems is how many problems of one profile are reported.
	maxProblems = 20

	nameRule = "use letters, digits, '.', '_' and '-', at most 64, beginning with a letter or digit"
)

// Validate reports what is wrong with a profile, all problems joined, each with
// its path: names, a batch below 1, no layers, figures that are negative or too
// large, singly or in sum, and a profile that takes no time.
func Validate(p *instance.Profile) error { return validate(p, "") }

// validate is Validate with a path to the profile, such as "profiles[2].".
func validate(p *instance.Profile, path string) error {
	if p == nil {
		return fmt.Errorf("profiles: %sprofile is missing", path)
	}
	var errs []error
	bad := func(format string, args ...any) {
		if len(errs) < maxProblems {
			errs = append(errs, fmt.Errorf("profiles: "+path+format, args...))
		}
	}
	if !isName(p.Model) {
		bad("model: %q: %s", clip(p.Model), nameRule)
	}
	if !isName(p.GPU) {
		bad("gpu: %q: %s", clip(p.GPU), nameRule)
	}
	if p.Batch < 1 || p.Batch > maxBatch {
		bad("batch: %d is not between 1 and %d", p.Batch, maxBatch)
	}
	if p.Workspace < 0 || p.Workspace > maxQuantity {
		bad("workspace: %d bytes is not between 0 and 2^56", int64(p.Workspace))
	}
	if n := len(p.Layers); n == 0 || n > maxLayers {
		bad("layers: %d, need between 1 and %d", n, maxLayers)
		return errors.Join(errs...)
	}
	var sums [4]uint64
	figures := [4]string{"forward", "backward", "parameters", "activations"}
	for i := range p.Layers {
		l := &p.Layers[i]
		if !isLayerName(l.Name) {
			bad("layers[%d].name: %q is not 1 to 128 printable characters", i, clip(l.Name))
		}
		for k, v := range [4]int64{int64(l.Forward), int64(l.Backward), int64(l.Parameters), int64(l.Activations)} {
			if v < 0 || v > maxQuantity {
				bad("layers[%d].%s: %d is not between 0 and 2^56", i, figures[k], v)
				continue
			}
			// 10^5 layers of at most 2^56 do not overflow 2^73; stop adding well before 2^64.
			if sums[k] <= maxQuantity {
				sums[k] += uint64(v)
			}
		}
	}
	for k, v := range sums {
		if v > maxQuantity {
			bad("layers: the sum of %s is above 2^56", figures[k])
		}
	}
	if sums[0]+sums[1] == 0 {
		bad("layers: no layer takes any time")
	}
	return errors.Join(errs...)
}

func isName(s string) bool {
	if s == "" || len(s) > 64 {
		return false
	}
	for i, c := range []byte(s) {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if !letter && (i == 0 || c != '.' && c != '_' && c != '-') {
			return false
		}
	}
	return true
}

func isLayerName(s string) bool {
	if s == "" || len(s) > 128 || !utf8.ValidString(s) {
		return false
	}
	for _, r := range s {
		if !unicode.IsPrint(r) {
			return false
		}
	}
	return true
}
