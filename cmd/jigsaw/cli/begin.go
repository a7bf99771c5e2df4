package cli

import (
	"errors"
	"fmt"
	"time"

	"jigsaw/formulation/instance/codec"
	"jigsaw/formulation/instance/view"
)

// Begin is the flag of when a plan begins; zero: not known. It is a time of the clock where the cluster is, with its offset from UTC
// where that is said; see [codec.HasOffset].
type Begin struct{ time.Time }

func (b *Begin) String() string {
	if b.IsZero() {
		return ""
	}
	return view.Begin(b.Time)
}

// Set reads the flag.
func (b *Begin) Set(s string) (err error) {
	if b.Time, err = codec.ParseTime(s); err != nil {
		return errors.New("write a date and a time, like 2026-11-26T20:00, of the zone that the cluster is in, or with its offset from UTC, like 2026-11-26T20:00+01:00")
	}
	return nil
}

// Type names the flag's value in the help.
func (b *Begin) Type() string { return "time" }

// Moment is the flag of a time in a plan: how long after its begin it is, or when by the clock. Of a time without a date the
// first after the begin is meant, and one without an offset from UTC has that of the begin.
type Moment struct {
	text  string
	after time.Duration
	clock Begin // zero where it counts from the begin
	daily bool  // clock has no date
}

func (m *Moment) String() string { return m.text }

// Set reads the flag.
func (m *Moment) Set(s string) (err error) {
	*m = Moment{text: s}
	if m.after, err = time.ParseDuration(s); err == nil {
		return nil
	}
	for _, layout := range []string{"15:04", time.TimeOnly} {
		if m.clock.Time, err = time.Parse(layout, s); err == nil {
			m.daily = true
			return nil
		}
	}
	if m.clock.Set(s) != nil {
		return errors.New("write how long after the plan's begin, like 2h or 90s, or when by the clock, like 22:30 or 2026-11-26T22:30")
	}
	return nil
}

// Type names the flag's value in the help.
func (m *Moment) Type() string { return "time" }

// ClockFrom reads times of the clock, which count from a begin; zero: not known.
func ClockFrom(begin time.Time) codec.Clock {
	return func(text string) (after time.Duration, ok bool, err error) {
		var m Moment
		if m.Set(text) != nil || !m.ofClock() {
			return 0, false, nil
		}
		after, err = m.After(begin)
		return after, true, err
	}
}

// ofClock reports whether the time is one of the clock.
func (m *Moment) ofClock() bool { return m.daily || !m.clock.IsZero() }

// After is how long after a begin, which is zero where it is not known, the time is.
func (m *Moment) After(begin time.Time) (time.Duration, error) {
	if !m.ofClock() {
		return m.after, nil
	}
	if begin.IsZero() {
		return 0, fmt.Errorf("%s: when the plan begins, by the clock, is not known: say it with --begin, like 2026-11-26T20:00, or write how long after it, like 2h", m.text)
	}
	at := m.clock.Time
	switch offset := codec.HasOffset(at); {
	case offset && !codec.HasOffset(begin):
		return 0, fmt.Errorf("%s: it has an offset from UTC, and when the plan begins has none: say it with --begin, like 2026-11-26T20:00+01:00, or leave the offset out", m.text)
	case offset:
		return at.Sub(begin), nil
	}
	year, month, day := at.Date()
	if m.daily {
		year, month, day = begin.Date()
	}
	hour, minute, second := at.Clock()
	at = time.Date(year, month, day, hour, minute, second, at.Nanosecond(), begin.Location())
	if m.daily && at.Before(begin) {
		at = at.AddDate(0, 0, 1)
	}
	return at.Sub(begin), nil
}
