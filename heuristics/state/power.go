package state

import "math"

// Exp and Pow are bit-identical on every platform that we plan on, so that equal
// seeds give equal plans on a server and in a browser. math.Exp, also used by
// math.Pow, has its own assembly on some; math.Exp2 and math.Log have none, or
// agree.

// Exp is e to the power x.
func Exp(x float64) float64 { return math.Exp2(x * math.Log2E) }

// Pow requires base > 0.
func Pow(base, x float64) float64 { return math.Exp2(x * math.Log2(base)) }
