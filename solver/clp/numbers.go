package clp

import (
	"math"

	"jigsaw/solver"
)

// coinInfinity is COIN_DBL_MAX, which CLP writes for a bound that does not
// exist.
const coinInfinity = math.MaxFloat64

// coinThreshold is the magnitude from which a number from CLP is an infinity.
const coinThreshold = 1e30

// toCoin copies bounds and turns infinities into CLP's.
func toCoin(bounds []float64) []float64 {
	out := make([]float64, len(bounds))
	for i, v := range bounds {
		out[i] = min(max(v, -coinInfinity), coinInfinity)
	}
	return out
}

// fromCoin turns CLP's infinities into Go's.
func fromCoin(v float64) float64 {
	switch {
	case v >= coinThreshold:
		return math.Inf(1)
	case v <= -coinThreshold:
		return math.Inf(-1)
	}
	return v
}

// codes translates a basis that was completed for its program into CLP's status
// array: columns, then rows.
func codes(b *solver.Basis) []byte {
	out := make([]byte, 0, len(b.Cols)+len(b.Rows))
	for _, part := range [...][]solver.VarStatus{b.Cols, b.Rows} {
		for _, s := range part {
			out = append(out, code(s))
		}
	}
	return out
}

// basisOf translates a status array.
func basisOf(status []byte, cols int) *solver.Basis {
	b := &solver.Basis{
		Cols: make([]solver.VarStatus, cols),
		Rows: make([]solver.VarStatus, len(status)-cols),
	}
	for k, c := range status {
		if k < cols {
			b.Cols[k] = decode(c)
		} else {
			b.Rows[k-cols] = decode(c)
		}
	}
	return b
}

func code(s solver.VarStatus) byte {
	switch s {
	case solver.Basic:
		return clpBasic
	case solver.AtUpper:
		return clpAtUpper
	case solver.AtZero:
		return clpFree
	case solver.Fixed:
		return clpFixed
	case solver.Superbasic:
		return clpSuperbasic
	}
	return clpAtLower
}

func decode(c byte) solver.VarStatus {
	switch c & clpStatusMask {
	case clpBasic:
		return solver.Basic
	case clpAtUpper:
		return solver.AtUpper
	case clpFree:
		return solver.AtZero
	case clpFixed:
		return solver.Fixed
	case clpSuperbasic:
		return solver.Superbasic
	}
	return solver.AtLower
}
