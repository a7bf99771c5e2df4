package codec

import (
	"fmt"
	"time"
)

// Clock reads a time of the clock, and tells how long after the begin of the plan that is; ok: the text is one.
type Clock func(text string) (after time.Duration, ok bool, err error)

// ParseTime reads a date and a time of day, to the minute or finer, with a T or a blank between them, as RFC 3339 has them, or without an offset
// from UTC. What has none is in [time.UTC], and what has one, Z included, in a location of its own: see [HasOffset].
func ParseTime(text string) (t time.Time, err error) {
	for _, layout := range []string{"2006-01-02T15:04:05", "2006-01-02T15:04", time.DateTime, "2006-01-02 15:04"} {
		if t, err = time.Parse(layout, text); err == nil {
			return t, nil
		}
		if t, err = time.Parse(layout+"Z07:00", text); err == nil {
			_, offset := t.Zone()
			return t.In(time.FixedZone("", offset)), nil // not in the zone of this machine, which may have summers
		}
	}
	return time.Time{}, fmt.Errorf("%q is not a time like 2026-11-26T20:00, or 2026-11-26T20:00+01:00", text)
}

// HasOffset reports whether a time of [ParseTime] was written with its offset from UTC.
func HasOffset(t time.Time) bool { return t.Location() != time.UTC }
