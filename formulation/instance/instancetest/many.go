package instancetest

import "testing"

// Many is how many seeds a test looks at, or fewer with go test -short.
func Many[N int | uint64](seeds, short N) N {
	if testing.Short() {
		return short
	}
	return seeds
}
