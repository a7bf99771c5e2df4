package state

import "math"

// Exp and Pow have the same bits on every platform that we plan on, so that equal
// seeds give equal plans on a server and in a browser. math.Exp, which math.Pow
// uses as well, is assembly of its own on some; math.Exp2 and math.Log are not,
// or agree.

// Exp is e to the power x.
func Exp(x float64) float64 { return math.Exp2(x * math.Log2E) }

// Pow takes a base above 0.
func Pow(base, x float64) float64 { return math.Exp2(x * math.Log2(base)) }
