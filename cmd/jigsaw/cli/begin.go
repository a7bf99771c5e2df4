package cli

import (
	"errors"
	"time"
)

// Begin is the flag of when a plan begins; zero: not known. It is a time of the clock where the cluster is, of no zone.
type Begin struct{ time.Time }

func (b *Begin) String() string {
	if b.IsZero() {
		return ""
	}
	return b.Format("2006-01-02T15:04:05")
}

// Set reads the flag.
func (b *Begin) Set(s string) error {
	for _, layout := range []string{"2006-01-02T15:04", "2006-01-02T15:04:05", "2006-01-02 15:04", time.DateTime} {
		if t, err := time.Parse(layout, s); err == nil {
			b.Time = t
			return nil
		}
	}
	return errors.New("write a date and a time, like 2026-11-26T20:00")
}

// Type names the flag's value in the help.
func (b *Begin) Type() string { return "time" }
