package instance

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Bytes is an amount of memory or traffic in bytes. In files: a plain integer
// or a decimal with one of the suffixes B, kB, MB, GB, TB (powers of 1000) or
// KiB, MiB, GiB, TiB (powers of 1024): "16GiB".
type Bytes int64

// BitRate is a link speed in bit/s. In files: a decimal with one of the
// suffixes bit/s, kbit/s, Mbit/s, Gbit/s, Tbit/s (powers of 1000), or B/s,
// kB/s, MB/s, GB/s, TB/s (eight bits each): "100Gbit/s".
type BitRate int64

// Duration is a span of time in nanoseconds. In files: what
// [time.ParseDuration] reads: "12.5ms", "350us", "1h30m".
type Duration int64

// Ratio is a dimensionless number in parts per million. In files: a decimal
// with at most six digits after the point ("0.75"), or a percentage ("75%").
type Ratio int64

// Price is money per hour in millionths of a currency, which is nobody's business here. In files: a
// decimal with at most six digits after the point ("2.50").
type Price int64

// Tick counts the instance's unit of time; see [Instance.TickUS].
type Tick int64

// One is the [Ratio] 1.
const One Ratio = 1_000_000

type unit struct {
	suffix string
	scale  int64
}

var (
	// Longest suffixes first: "GiB" must be tried before "B".
	byteUnits = []unit{
		{"TiB", 1 << 40}, {"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10},
		{"TB", 1e12}, {"GB", 1e9}, {"MB", 1e6}, {"kB", 1e3}, {"B", 1}, {"", 1},
	}
	rateUnits = []unit{
		{"Tbit/s", 1e12}, {"Gbit/s", 1e9}, {"Mbit/s", 1e6}, {"kbit/s", 1e3}, {"bit/s", 1},
		{"TB/s", 8e12}, {"GB/s", 8e9}, {"MB/s", 8e6}, {"kB/s", 8e3}, {"B/s", 8},
	}
	ratioUnits = []unit{{"%", int64(One) / 100}, {"", int64(One)}}
)

// MaxQuantity bounds every parsed quantity so that sums and small products of
// compiled integers stay far from overflow.
const MaxQuantity = 1 << 56

// parseQuantity reads a decimal number followed by one of the units and
// returns the exact integer in the base unit; a remainder is an error.
func parseQuantity(text, what, example string, units []unit) (int64, error) {
	s := strings.TrimSpace(text)
	for _, u := range units {
		digits, found := strings.CutSuffix(s, u.suffix)
		digits = strings.TrimSpace(digits)
		if !found || !isDecimal(digits) {
			continue
		}
		if n, exact := scaled(digits, u.scale); exact {
			return n, nil
		}
		r, ok := new(big.Rat).SetString(digits)
		if !ok {
			break
		}
		r.Mul(r, new(big.Rat).SetInt64(u.scale))
		if !r.IsInt() {
			return 0, fmt.Errorf("%s %q is finer than the smallest unit; write it with fewer digits", what, text)
		}
		if !r.Num().IsInt64() || r.Num().Int64() > MaxQuantity {
			return 0, fmt.Errorf("%s %q is too large", what, text)
		}
		return r.Num().Int64(), nil
	}
	return 0, fmt.Errorf("%q is not a %s; write it like %s", Clip(text), what, example)
}

// scaled is digits, a decimal, times scale, where that is a whole number that is
// quick to work out: exact is false where it is not, or may not be.
func scaled(digits string, scale int64) (n int64, exact bool) {
	const few = 17 // so many digits are below 2^57
	if len(digits) > few {
		return 0, false
	}
	divisor, fraction := int64(1), false
	for i := range len(digits) {
		if digits[i] == '.' {
			fraction = true
			continue
		}
		n = 10*n + int64(digits[i]-'0')
		if fraction {
			divisor *= 10
		}
	}
	high, low := bits.Mul64(uint64(n), uint64(scale))
	if high > 0 || low%uint64(divisor) != 0 || low/uint64(divisor) > MaxQuantity {
		return 0, false
	}
	return int64(low / uint64(divisor)), true
}

// isDecimal reports whether s is digits with at most one point. It keeps
// exponents, signs and hexadecimal, which big.Rat would read, out of files.
func isDecimal(s string) bool {
	points, digits := 0, 0
	for _, c := range s {
		switch {
		case c == '.':
			points++
		case c >= '0' && c <= '9':
			digits++
		default:
			return false
		}
	}
	return points <= 1 && digits > 0 && digits <= 30
}

// Clip shortens text quoted in a message.
func Clip(s string) string {
	if len(s) <= 40 {
		return s
	}
	end := 40
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "…"
}

// formatQuantity writes v with the largest unit that divides it.
func formatQuantity(v int64, units []unit) string {
	best := unit{units[len(units)-1].suffix, units[len(units)-1].scale}
	for _, u := range units {
		if u.scale > best.scale && v != 0 && v%u.scale == 0 {
			best = u
		}
	}
	return strconv.FormatInt(v/best.scale, 10) + best.suffix
}

// UnmarshalText reads a number with a unit; see [Bytes].
func (b *Bytes) UnmarshalText(text []byte) error {
	v, err := parseQuantity(string(text), "size", `"16GiB" or "500MB"`, byteUnits)
	*b = Bytes(v)
	return err
}

// MarshalText writes the size exactly, with the largest unit that divides it.
func (b Bytes) MarshalText() ([]byte, error) {
	return []byte(formatQuantity(int64(b), byteUnits[:9])), nil
}

func (b Bytes) String() string {
	switch f := float64(b); {
	case f >= 1<<30:
		return fmt.Sprintf("%.2f GiB", f/(1<<30))
	case f >= 1<<20:
		return fmt.Sprintf("%.1f MiB", f/(1<<20))
	case f >= 1<<10:
		return fmt.Sprintf("%.1f KiB", f/(1<<10))
	}
	return fmt.Sprintf("%d B", int64(b))
}

// UnmarshalText reads a number with a unit; see [BitRate].
func (r *BitRate) UnmarshalText(text []byte) error {
	v, err := parseQuantity(string(text), "link speed", `"100Gbit/s"`, rateUnits)
	*r = BitRate(v)
	return err
}

// MarshalText writes the speed exactly, with the largest unit that divides it.
func (r BitRate) MarshalText() ([]byte, error) {
	return []byte(formatQuantity(int64(r), rateUnits[:5])), nil
}

func (r BitRate) String() string {
	switch f := float64(r); {
	case f >= 1e9:
		return strconv.FormatFloat(f/1e9, 'g', 4, 64) + " Gbit/s"
	case f >= 1e6:
		return strconv.FormatFloat(f/1e6, 'g', 4, 64) + " Mbit/s"
	}
	return strconv.FormatInt(int64(r), 10) + " bit/s"
}

// UnmarshalText reads a Go duration; see [Duration].
func (d *Duration) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(strings.TrimSpace(string(text)))
	if err != nil {
		return fmt.Errorf("%q is not a duration; write it like \"12.5ms\" or \"2h30m\"", Clip(string(text)))
	}
	if v < 0 {
		return fmt.Errorf("duration %q is negative", Clip(string(text)))
	}
	if finerThanNanoseconds(string(text)) {
		return fmt.Errorf("duration %q is finer than a nanosecond; write it with fewer digits", Clip(string(text)))
	}
	*d = Duration(v)
	return nil
}

// finerThanNanoseconds reports whether a text that [time.ParseDuration] takes has a number
// that is no whole nanoseconds: it would cut off the rest.
func finerThanNanoseconds(text string) bool {
	const number = "0123456789."
	for text = strings.TrimLeft(strings.TrimSpace(text), "+-"); strings.Contains(text, "."); {
		unit := strings.TrimLeft(text, number)
		rest := strings.TrimLeft(unit, "nuµμmsh")
		digits, name := text[:len(text)-len(unit)], unit[:len(unit)-len(rest)]
		one, err := time.ParseDuration("1" + name)
		r, ok := new(big.Rat).SetString(digits[:min(len(digits), 30)])
		if err != nil || !ok || len(digits) > 30 || !r.Mul(r, new(big.Rat).SetInt64(int64(one))).IsInt() {
			return true
		}
		text = rest
	}
	return false
}

// MarshalText writes [Duration.String].
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// String writes the duration exactly, to the nanosecond, without zero
// minutes and seconds after whole hours or minutes.
func (d Duration) String() string {
	s := time.Duration(d).String()
	if minutes, ok := strings.CutSuffix(s, "m0s"); ok {
		s = minutes + "m"
	}
	if hours, ok := strings.CutSuffix(s, "h0m"); ok {
		s = hours + "h"
	}
	return s
}

// Duration returns how long ticks of the instance last.
func (in *Instance) Duration(t Tick) Duration { return Duration(int64(t) * in.TickUS * 1000) }

// UnmarshalText reads a decimal or a percentage; see [Ratio].
func (r *Ratio) UnmarshalText(text []byte) error {
	v, err := parseQuantity(string(text), "ratio", `"0.75" or "75%"`, ratioUnits)
	*r = Ratio(v)
	return err
}

// MarshalText writes the ratio exactly, as a decimal.
func (r Ratio) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

func (r Ratio) String() string {
	// Not by floating point, which is not exact for large ratios.
	s := new(big.Rat).SetFrac64(int64(r), int64(One)).FloatString(6)
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

// UnmarshalText reads a decimal.
func (p *Price) UnmarshalText(text []byte) error {
	v, err := parseQuantity(string(text), "price", "2.50", ratioUnits[1:])
	*p = Price(v)
	return err
}

// MarshalText writes the price exactly, as a decimal.
func (p Price) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

func (p Price) String() string { return Ratio(p).String() }

// Float returns the ratio as a floating-point number.
func (r Ratio) Float() float64 { return float64(r) / float64(One) }

// UnmarshalText reads "1", "1/2", "1/4", or the decimal of such a fraction.
func (l *RateLevel) UnmarshalText(text []byte) error {
	s := strings.TrimSpace(string(text))
	num, den, fraction := strings.Cut(s, "/")
	r, ok := new(big.Rat), isDecimal(num)
	if fraction {
		// big.Rat would take 010 in a fraction for octal.
		ok = ok && isDecimal(den) && num[:1] != "0" && den[:1] != "0"
	}
	if ok {
		r, ok = r.SetString(s)
	}
	if !ok || r.Sign() <= 0 || !r.Num().IsInt64() || r.Num().Int64() != 1 || !r.Denom().IsInt64() {
		return fmt.Errorf("%q is not a rate level; write 1, 1/2, 1/4 or another fraction 1/n", Clip(string(text)))
	}
	*l = RateLevel(r.Denom().Int64())
	return nil
}

// MarshalText writes the fraction 1/n.
func (l RateLevel) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

func (l RateLevel) String() string {
	if l == 1 {
		return "1"
	}
	return "1/" + strconv.Itoa(int(l))
}

// gcd returns the greatest common divisor of non-negative numbers; that of 0 and b is b.
func gcd(a, b int64) int64 {
	for a != 0 {
		a, b = b%a, a
	}
	return b
}

// floorMulDiv returns floor(a*b/c) for non-negative a, b and positive c, exact
// in 128 bits, saturating at math.MaxInt64.
func floorMulDiv(a, b, c int64) int64 { return mulAddDiv(a, b, 0, c) }

// ceilMulDiv is floorMulDiv rounding up.
func ceilMulDiv(a, b, c int64) int64 { return mulAddDiv(a, b, c-1, c) }

// mulAddDiv returns floor((a*b+add)/c), saturating at math.MaxInt64.
func mulAddDiv(a, b, add, c int64) int64 {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	lo, carry := bits.Add64(lo, uint64(add), 0)
	hi += carry
	switch {
	case hi == 0: // where there is no instruction for the other, this is far quicker
		return int64(min(lo/uint64(c), math.MaxInt64))
	case hi >= uint64(c):
		return math.MaxInt64
	}
	q, _ := bits.Div64(hi, lo, uint64(c))
	return int64(min(q, math.MaxInt64))
}

// saturatingMul returns a*b for non-negative a and b, at most math.MaxInt64.
func saturatingMul(a, b int64) int64 {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	if hi != 0 || lo > math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(lo)
}
