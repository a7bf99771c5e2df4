package cli

import (
	"errors"
	"fmt"
	"time"

	"jigsaw/formulation/instance/codec"
	"jigsaw/formulation/instance/view"
)

// Begin is the flag for when a plan begins; zero: not known. It is a clock time at the cluster, with its offset from
// UTC if that is given; see [codec.HasOffset].
type Begin struct{ time.Time }

func (b *Begin) String() string {
	if b.IsZero() {
		return ""
	}
	return view.Begin(b.Time)
}

// Set parses the flag.
func (b *Begin) Set(s string) (err error) {
	if b.Time, err = codec.ParseTime(s); err != nil {
		return errors.New("write a date and a time, like 2026-11-26T20:00, of the zone that the cluster is in, or with its offset from UTC, like 2026-11-26T20:00+01:00")
	}
	return nil
}

// Type names the flag's value in the help.
func (b *Begin) Type() string { return "time" }

// Moment is the flag for a time in a plan: relative to its begin, or a clock time. A clock time without a date is the
// first one after the begin, and one without an offset from UTC has that of the begin.
type Moment struct {
	text  string
	after time.Duration
	clock Begin // zero if it counts from the begin
	daily bool  // clock has no date
}

func (m *Moment) String() string { return m.text }

// Set parses the flag.
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

// ClockFrom converts clock times to times from a begin; zero: not known.
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

// ofClock reports whether the time is a clock time.
func (m *Moment) ofClock() bool { return m.daily || !m.clock.IsZero() }

// After is the time relative to a begin, which is zero if it is not known.
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
