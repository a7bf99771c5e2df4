package profiles

import (
	"errors"
	"math"
	"strconv"
	"strings"

	"jigsaw/formulation/instance"
)

// maxQuantity bounds each figure and each total of a profile (ns or bytes), as
// package instance bounds quantities: products with small integers stay exact.
const maxQuantity = 1 << 56

var (
	errNegative = errors.New("is negative")
	errFine     = errors.New("has more decimals than its unit allows")
)

// parseScaled reads a non-negative decimal and multiplies it by 10^digits.
// Plain decimals are exact, and those with more places than digits give errFine; numbers with an exponent go through float64 and are rounded.
func parseScaled(text string, digits int) (int64, error) {
	s := strings.TrimSpace(text)
	if strings.HasPrefix(s, "-") && len(s) > 1 {
		return 0, errNegative
	}
	if strings.ContainsAny(s, "eE") {
		f, err := strconv.ParseFloat(s, 64)
		f = math.Round(f * math.Pow10(digits))
		if err != nil || !(f >= 0 && f <= maxQuantity) {
			return 0, errors.New("is not a number in range")
		}
		return int64(f), nil
	}
	whole, frac, point := strings.Cut(s, ".")
	if whole == "" && frac == "" || point && whole == "" || !allDigits(whole) || !allDigits(frac) {
		return 0, errors.New("is not a non-negative decimal number")
	}
	frac = strings.TrimRight(frac, "0")
	if len(frac) > digits {
		return 0, errFine
	}
	whole = strings.TrimLeft(whole+frac+strings.Repeat("0", digits-len(frac)), "0")
	if whole == "" {
		return 0, nil
	}
	v, err := strconv.ParseInt(whole, 10, 64)
	if err != nil || v > maxQuantity {
		return 0, errors.New("is too large")
	}
	return v, nil
}

func allDigits(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r < '0' || r > '9' }) < 0
}

// parseMilliseconds reads a time in ms, exact to the nanosecond.
func parseMilliseconds(s string) (instance.Duration, error) {
	v, err := parseScaled(s, 6)
	return instance.Duration(v), err
}

// parseRoundedMilliseconds reads a time in ms that may carry the dust of
// floating point ("47.779999999999994"), to the nearest nanosecond.
func parseRoundedMilliseconds(s string) (instance.Duration, error) {
	d, err := parseMilliseconds(s)
	if errors.Is(err, errFine) {
		var f float64
		if f, err = strconv.ParseFloat(s, 64); err == nil {
			d = instance.Duration(math.Round(f * 1e6))
		}
	}
	return d, err
}

// parseMicroseconds reads a time in us, exact to the nanosecond.
func parseMicroseconds(s string) (instance.Duration, error) {
	v, err := parseScaled(s, 3)
	return instance.Duration(v), err
}

// parseBytes reads a whole number of bytes; the sources write "4096.000".
func parseBytes(s string) (instance.Bytes, error) {
	v, err := parseScaled(s, 0)
	if errors.Is(err, errFine) {
		err = errors.New("is not a whole number of bytes")
	}
	return instance.Bytes(v), err
}
