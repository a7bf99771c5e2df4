package view

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"

	"jigsaw/formulation/instance"
)

// micros returns the time of a tick in microseconds, exactly.
func micros(in *instance.Instance, t instance.Tick) string {
	if us := int64(t) * in.TickUS; t == 0 || us/int64(t) == in.TickUS {
		return strconv.FormatInt(us, 10)
	}
	return new(big.Int).Mul(big.NewInt(int64(t)), big.NewInt(in.TickUS)).String()
}

// beforeMicros returns the time one microsecond before a positive tick.
func beforeMicros(in *instance.Instance, t instance.Tick) string {
	us := new(big.Int).Mul(big.NewInt(int64(t)), big.NewInt(in.TickUS))
	return us.Sub(us, big.NewInt(1)).String()
}

// millis returns the time of a tick in milliseconds, exactly.
func millis(in *instance.Instance, t instance.Tick) string {
	us := micros(in, t)
	if len(us) < 4 {
		us = strings.Repeat("0", 4-len(us)) + us
	}
	whole, part := us[:len(us)-3], strings.TrimRight(us[len(us)-3:], "0")
	if part == "" {
		return whole
	}
	return whole + "." + part
}

// seconds returns a time of so many ticks with a unit that suits it.
func seconds(in *instance.Instance, ticks float64) string {
	ms := ticks * float64(in.TickUS) / 1000
	switch {
	case ms < 1_000:
		return significant(ms) + " ms"
	case ms < 600_000:
		return significant(ms/1000) + " s"
	case ms < 7_200_000:
		return significant(ms/60_000) + " min"
	}
	return significant(ms/3_600_000) + " h"
}

// Clock writes seconds as hours and minutes, like 3h07, or as seconds where they are few.
func Clock(seconds float64) string { return ClockLike(seconds, seconds) }

// ClockLike is [Clock] in the form of another number of seconds, the greatest of those beside which people read it.
func ClockLike(seconds, like float64) string {
	if like < fewSeconds {
		if 0 < like && like < 1 {
			return fmt.Sprintf("%.3g ms", 1000*seconds)
		}
		return fmt.Sprintf("%.3g s", math.Round(1000*seconds)/1000)
	}
	minutes := int(seconds/60 + 0.5)
	return fmt.Sprintf("%dh%02d", minutes/60, minutes%60)
}

const fewSeconds = 600

// Begin is how files write when a plan begins, by the clock; with its offset from UTC where it is not in [time.UTC].
func Begin(t time.Time) string {
	layout := "2006-01-02T15:04:05.999999999"
	if t.Location() != time.UTC {
		layout = time.RFC3339Nano
	}
	return t.Format(layout)
}

// Moment writes when so many seconds after the begin of a plan are: by the clock, to the minute, or the second where they are few,
// where the begin is known, and else as [Clock].
func Moment(begin time.Time, seconds float64) string { return MomentLike(begin, seconds, seconds) }

// MomentLike is [Moment] in the form of another number of seconds; see [ClockLike].
func MomentLike(begin time.Time, seconds, like float64) string {
	if begin.IsZero() {
		return ClockLike(seconds, like)
	}
	at := begin.Add(time.Duration(seconds * 1e9)).Round(time.Second)
	if like < fewSeconds && at.Second() > 0 {
		return at.Format("2 Jan 15:04:05")
	}
	return at.Round(time.Minute).Format("2 Jan 15:04")
}

// significant writes about four digits, but never rounds an integer.
func significant(v float64) string {
	digits := 0
	for limit := 1000.0; digits < 3 && v < limit && v != 0; limit /= 10 {
		digits++
	}
	s := strconv.FormatFloat(v, 'f', digits, 64)
	if digits > 0 {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return group(s)
}

// group puts commas between the thousands of a decimal.
func group(s string) string {
	whole, part, found := strings.Cut(s, ".")
	for i := len(whole) - 3; i > 0 && whole[i-1] != '-'; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if found {
		whole += "." + part
	}
	return whole
}

func integer[T ~int | ~int64](v T) string { return group(strconv.FormatInt(int64(v), 10)) }

// percent writes a share; three digits are enough to compare plans.
func percent(share float64) string {
	digits := 1
	if share >= 0.9995 || share == 0 {
		digits = 0
	}
	return group(strconv.FormatFloat(100*share, 'f', digits, 64)) + " %"
}

// Count writes a number with its noun, as "2 jobs".
func Count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return integer(n) + " " + noun
}

// clean replaces what does not belong in a line of text: control characters,
// invalid UTF-8, and the marks that reorder bidirectional text, with which a
// name could rewrite what stands beside it.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r < ' ', r >= 0x7f && r < 0xa0, r >= 0xfdd0 && r <= 0xfdef, r&0xfffe == 0xfffe:
			return '\uFFFD'
		case r == 0x061c, r == 0x200e, r == 0x200f, r >= 0x2028 && r <= 0x202e, r >= 0x2066 && r <= 0x2069, r == 0xfeff:
			return '\uFFFD'
		}
		return r
	}, s)
}
