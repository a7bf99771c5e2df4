//go:build cgo && !noclp && !js

package clp

import (
	"testing"

	"jigsaw/solver"
	"jigsaw/solver/lptest"
)

// Builds that link the C library also test the browser's engine, so that one run
// covers both; other builds have no other, see TestLiveConformance.
func TestBrowserConformance(t *testing.T) {
	t.Parallel()
	engine := openWasm(t)
	t.Run("live", func(t *testing.T) { t.Parallel(); lptest.Run(t, func() solver.Solver { return engine }) })
	t.Run("one shot", func(t *testing.T) { t.Parallel(); lptest.Run(t, func() solver.Solver { return oneShot(engine) }) })
}
