package instance

import (
	"encoding"
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestUnits(t *testing.T) {
	// An empty round trip means: written as it was read.
	tests := []struct {
		text      string
		want      any
		roundTrip string
	}{
		{"0", Bytes(0), "0B"},
		{"16", Bytes(16), "16B"},
		{"16GiB", Bytes(16 << 30), ""},
		{" 1.5 GiB ", Bytes(3 << 29), "1536MiB"},
		{"500MB", Bytes(500e6), ""},
		{".5kB", Bytes(500), "500B"},
		{"1.kB", Bytes(1000), "1kB"},
		{"010B", Bytes(10), "10B"},
		{"1TiB", Bytes(1 << 40), ""},
		{"3TB", Bytes(3e12), ""},
		{"65536TiB", Bytes(MaxQuantity), ""},

		{"100Gbit/s", BitRate(100e9), ""},
		{"1.5 GB/s", BitRate(12e9), "12Gbit/s"},
		{"8bit/s", BitRate(8), ""},
		{"1B/s", BitRate(8), "8bit/s"},
		{"0.000001Tbit/s", BitRate(1e6), "1Mbit/s"},

		{"12.5ms", Duration(12_500_000), ""},
		{".5us1.ms0.000000001s", Duration(1_000_501), "1.000501ms"},
		{"1h30m", Duration(5400e9), ""},
		{"2h0m0s", Duration(7200e9), "2h"},
		{"10m", Duration(600e9), ""},
		{"10s", Duration(10e9), ""},
		{"1h0m1s", Duration(3601e9), ""},
		{"350us", Duration(350e3), "350µs"},
		{"+1ns", Duration(1), "1ns"},
		{"0", Duration(0), "0s"},
		{"2562047h47m16.854775807s", Duration(math.MaxInt64), ""},

		{"0.75", Ratio(750_000), ""},
		{"75%", Ratio(750_000), "0.75"},
		{"0.0001%", Ratio(1), "0.000001"},
		{"100", Ratio(100e6), ""},
		{"1", One, ""},
		{"72057594037.927935", Ratio(MaxQuantity - 1), ""}, // more digits than a float64 has

		{"1", RateLevel(1), ""},
		{"1/2", RateLevel(2), ""},
		{"0.25", RateLevel(4), "1/4"},
		{"2/6", RateLevel(3), "1/3"},
		{"1/1000000007", RateLevel(1_000_000_007), ""},
	}
	for _, test := range tests {
		v := newQuantity(test.want)
		require.NoError(t, v.UnmarshalText([]byte(test.text)), test.text)
		assert.Equal(t, test.want, value(v), test.text)
		text, err := v.(encoding.TextMarshaler).MarshalText()
		require.NoError(t, err)
		if test.roundTrip == "" {
			test.roundTrip = test.text
		}
		assert.Equal(t, test.roundTrip, string(text))
	}
}

func TestUnitsRefuse(t *testing.T) {
	tests := []struct {
		of   any
		text string
		want string
	}{
		{Bytes(0), "", `"" is not a size; write it like "16GiB" or "500MB"`},
		{Bytes(0), "GiB", `"GiB" is not a size; write it like "16GiB" or "500MB"`},
		{Bytes(0), ".", `"." is not a size; write it like "16GiB" or "500MB"`},
		{Bytes(0), "16gib", `"16gib" is not a size; write it like "16GiB" or "500MB"`},
		{Bytes(0), "16KB", `"16KB" is not a size; write it like "16GiB" or "500MB"`},
		{Bytes(0), "-1", `"-1" is not a size; write it like "16GiB" or "500MB"`},
		{Bytes(0), "1e9", `"1e9" is not a size; write it like "16GiB" or "500MB"`},
		{Bytes(0), "1e999999999GB", `"1e999999999GB" is not a size; write it like "16GiB" or "500MB"`},
		{Bytes(0), "0x10", `"0x10" is not a size; write it like "16GiB" or "500MB"`},
		{Bytes(0), "1_000", `"1_000" is not a size; write it like "16GiB" or "500MB"`},
		{Bytes(0), "1/2GB", `"1/2GB" is not a size; write it like "16GiB" or "500MB"`},
		{Bytes(0), "NaN", `"NaN" is not a size; write it like "16GiB" or "500MB"`},
		{Bytes(0), "InfGB", `"InfGB" is not a size; write it like "16GiB" or "500MB"`},
		{Bytes(0), "1..5GB", `"1..5GB" is not a size; write it like "16GiB" or "500MB"`},
		{Bytes(0), "١GB", `"١GB" is not a size; write it like "16GiB" or "500MB"`},
		{Bytes(0), "0.5", `size "0.5" is finer than the smallest unit; write it with fewer digits`},
		{Bytes(0), "65537TiB", `size "65537TiB" is too large`},
		{Bytes(0), "999999999999999999999999999999TB", `size "999999999999999999999999999999TB" is too large`},
		{Bytes(0), "1000000000000000000000000000000B", `"1000000000000000000000000000000B" is not a size; write it like "16GiB" or "500MB"`},
		{BitRate(0), "100", `"100" is not a link speed; write it like "100Gbit/s"`},
		{BitRate(0), "100Gb/s", `"100Gb/s" is not a link speed; write it like "100Gbit/s"`},
		{BitRate(0), "100Gbps", `"100Gbps" is not a link speed; write it like "100Gbit/s"`},
		{BitRate(0), "0.1bit/s", `link speed "0.1bit/s" is finer than the smallest unit; write it with fewer digits`},
		{BitRate(0), "99999999Tbit/s", `link speed "99999999Tbit/s" is too large`},
		{Duration(0), "12", `"12" is not a duration; write it like "12.5ms" or "2h30m"`},
		{Duration(0), "1d", `"1d" is not a duration; write it like "12.5ms" or "2h30m"`},
		{Duration(0), "1.5ns", `duration "1.5ns" is finer than a nanosecond; write it with fewer digits`},
		{Duration(0), "2h0.0000001ms3s", `duration "2h0.0000001ms3s" is finer than a nanosecond; write it with fewer digits`},
		{Duration(0), "-1ms", `duration "-1ms" is negative`},
		{Duration(0), "9999999h", `"9999999h" is not a duration; write it like "12.5ms" or "2h30m"`},
		{Ratio(0), "-0.5", `"-0.5" is not a ratio; write it like "0.75" or "75%"`},
		{Ratio(0), "0.0000001", `ratio "0.0000001" is finer than the smallest unit; write it with fewer digits`},
		{Ratio(0), "1e-3", `"1e-3" is not a ratio; write it like "0.75" or "75%"`},
		{Ratio(0), "72057594038", `ratio "72057594038" is too large`},
		{RateLevel(0), "", `"" is not a rate level; write 1, 1/2, 1/4 or another fraction 1/n`},
		{RateLevel(0), "0", `"0" is not a rate level; write 1, 1/2, 1/4 or another fraction 1/n`},
		{RateLevel(0), "2", `"2" is not a rate level; write 1, 1/2, 1/4 or another fraction 1/n`},
		{RateLevel(0), "2/3", `"2/3" is not a rate level; write 1, 1/2, 1/4 or another fraction 1/n`},
		{RateLevel(0), "1/0", `"1/0" is not a rate level; write 1, 1/2, 1/4 or another fraction 1/n`},
		{RateLevel(0), "1/", `"1/" is not a rate level; write 1, 1/2, 1/4 or another fraction 1/n`},
		{RateLevel(0), "/2", `"/2" is not a rate level; write 1, 1/2, 1/4 or another fraction 1/n`},
		{RateLevel(0), "1/010", `"1/010" is not a rate level; write 1, 1/2, 1/4 or another fraction 1/n`}, // not octal
		{RateLevel(0), "0.3", `"0.3" is not a rate level; write 1, 1/2, 1/4 or another fraction 1/n`},
		{RateLevel(0), "1/99999999999999999999", `"1/99999999999999999999" is not a rate level; write 1, 1/2, 1/4 or another fraction 1/n`},
	}
	for _, test := range tests {
		v := newQuantity(test.of)
		assert.EqualError(t, v.UnmarshalText([]byte(test.text)), test.want)
	}
}

// newQuantity returns a pointer to a zero of v's type.
func newQuantity(v any) encoding.TextUnmarshaler {
	switch v.(type) {
	case Bytes:
		return new(Bytes)
	case BitRate:
		return new(BitRate)
	case Duration:
		return new(Duration)
	case Ratio:
		return new(Ratio)
	}
	return new(RateLevel)
}

func value(v encoding.TextUnmarshaler) any {
	switch v := v.(type) {
	case *Bytes:
		return *v
	case *BitRate:
		return *v
	case *Duration:
		return *v
	case *Ratio:
		return *v
	case *RateLevel:
		return *v
	}
	return nil
}

func TestUnitsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(0, MaxQuantity).Draw(t, "n")
		for _, want := range []any{Bytes(n), BitRate(n), Duration(n), Ratio(n), RateLevel(n + 1)} {
			text, err := want.(encoding.TextMarshaler).MarshalText()
			require.NoError(t, err)
			v := newQuantity(want)
			require.NoError(t, v.UnmarshalText(text))
			require.Equal(t, want, value(v), "%s", text)
		}
	})
}

func TestUnitsForPeople(t *testing.T) {
	assert.Equal(t, "16.00 GiB", Bytes(16<<30).String())
	assert.Equal(t, "1.5 MiB", Bytes(3<<19).String())
	assert.Equal(t, "1.0 KiB", Bytes(1024).String())
	assert.Equal(t, "-5 B", Bytes(-5).String())
	assert.Equal(t, "100 Gbit/s", BitRate(100e9).String())
	assert.Equal(t, "2.5 Mbit/s", BitRate(2.5e6).String())
	assert.Equal(t, "9 bit/s", BitRate(9).String())
	assert.Equal(t, "-0.5", Ratio(-500_000).String())
	assert.Equal(t, 0.75, Ratio(750_000).Float())
}

func TestClipKeepsCharactersWhole(t *testing.T) {
	for _, s := range []string{"ééééééééééééééééééééééé", "aéééééééééééééééééééééééé"} {
		assert.True(t, utf8.ValidString(Clip(s)), Clip(s))
	}
}

// TestMulDiv compares with arithmetic that cannot overflow.
func TestMulDiv(t *testing.T) {
	edge := rapid.OneOf(rapid.Int64Range(0, math.MaxInt64), rapid.SampledFrom([]int64{0, 1, math.MaxInt64 - 1, math.MaxInt64}))
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := edge.Draw(t, "a"), edge.Draw(t, "b"), max(1, edge.Draw(t, "c"))
		product := new(big.Int).Mul(big.NewInt(a), big.NewInt(b))
		saturated := func(x *big.Int) int64 {
			if !x.IsInt64() {
				return math.MaxInt64
			}
			return x.Int64()
		}
		require.Equal(t, saturated(new(big.Int).Div(product, big.NewInt(c))), floorMulDiv(a, b, c))
		up := new(big.Int).Add(product, big.NewInt(c-1))
		require.Equal(t, saturated(up.Div(up, big.NewInt(c))), ceilMulDiv(a, b, c))
		require.Equal(t, saturated(product), saturatingMul(a, b))
	})
}

// The quick way of reading a quantity agrees with exact arithmetic.
func TestScaled(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(1, 1))
	quick := 0
	for range 200_000 {
		digits := strconv.FormatUint(rng.Uint64()>>rng.IntN(64), 10)
		if at := rng.IntN(len(digits) + 2); at <= len(digits) {
			digits = digits[:at] + "." + digits[at:]
		}
		scale := byteUnits[rng.IntN(len(byteUnits))].scale
		got, ok := scaled(digits, scale)
		if !ok {
			continue
		}
		quick++
		want, parsed := new(big.Rat).SetString(digits)
		require.True(t, parsed, digits)
		want.Mul(want, new(big.Rat).SetInt64(scale))
		require.Zero(t, want.Cmp(new(big.Rat).SetInt64(got)), "%s x %d", digits, scale)
		require.LessOrEqual(t, got, int64(MaxQuantity))
	}
	require.Greater(t, quick, 50_000)
}

func FuzzUnits(f *testing.F) {
	for _, text := range []string{"16GiB", "1.5 GB/s", "100Gbit/s", "1h2m3.5s", "75%", "1/4", "0.25", "1e9", "-1", "NaN", "0x10", "999999999999999999999999999999TB", "1/010", "\u00b5s", "1\u00b5s"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, v := range []encoding.TextUnmarshaler{new(Bytes), new(BitRate), new(Duration), new(Ratio), new(RateLevel)} {
			if err := v.UnmarshalText([]byte(text)); err != nil {
				require.NotEmpty(t, err.Error())
				continue
			}
			first := value(v)
			written, err := first.(encoding.TextMarshaler).MarshalText()
			require.NoError(t, err)
			again := newQuantity(first)
			require.NoError(t, again.UnmarshalText(written), "%q written as %q", text, written)
			require.Equal(t, first, value(again), "%q written as %q", text, written)
		}
	})
}
