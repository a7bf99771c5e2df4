package exact

import (
	"math"
	"math/big"
	"math/bits"
)

// Mul is a product of any size.
func Mul(a, b int64) *big.Int { return new(big.Int).Mul(big.NewInt(a), big.NewInt(b)) }

// Ceil returns the least integer that is not below v.
func Ceil(v *big.Rat) *big.Int {
	n := new(big.Int).Sub(v.Denom(), big.NewInt(1))
	n.Add(n, v.Num())
	return n.Div(n, v.Denom()) // Euclidean: rounds down for a positive divisor
}

// Floor returns the greatest integer that is not above v.
func Floor(v *big.Rat) *big.Int { return new(big.Int).Div(v.Num(), v.Denom()) }

// Saturate limits a constant that is too large for a program to a recognisable
// value.
func Saturate(v *big.Int) int64 {
	switch {
	case v.IsInt64():
		return Kept(v.Int64())
	case v.Sign() < 0:
		return -MaxExact - 1
	}
	return MaxExact + 1
}

// MaxExact is the largest integer below which floating point is exact.
const MaxExact = int64(1) << 53

// Large reports whether a number is too large for a program.
func Large(v int64) bool { return v > MaxExact || v < -MaxExact }

// Kept limits a number that is too large for a program, so that it grows no further and stays
// recognisable.
func Kept(v int64) int64 { return max(-MaxExact-1, min(v, MaxExact+1)) }

// Multiply returns a product; one that is too large for a program stays recognisable, as with
// [Saturate].
func Multiply(factors ...int64) int64 {
	n := int64(1)
	for _, f := range factors {
		f = Kept(f)
		switch high, low := bits.Mul64(uint64(max(n, -n)), uint64(max(f, -f))); {
		case high == 0 && low <= uint64(MaxExact):
			n *= f
		case (n < 0) != (f < 0):
			n = -MaxExact - 1
		default:
			n = MaxExact + 1
		}
	}
	return n
}

// GCD is the greatest common divisor; with 0 it is the other number.
func GCD(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// NoPrice marks what is impossible; it stays larger than all prices in sums.
const NoPrice = math.MaxInt64 / 8

// MostWorth keeps sums of values far from overflow.
const MostWorth = 1 << 56

// Never is a tick that never comes; it stays larger than all ticks in sums.
const Never = math.MaxInt64 / 4

// NoWorth marks rooms in which something does not fit.
const NoWorth = math.MinInt64 / 4
