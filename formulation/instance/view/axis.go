package view

import (
	"math"
	"strconv"
	"time"

	"jigsaw/formulation/instance"
)

// mark is a labelled place on an axis, in ticks.
type mark struct {
	at    float64
	label string
}

// decimalStep returns the least of 1, 2, 5, 10, 20, ... that is at least v.
func decimalStep(v float64) float64 {
	scale := math.Pow(10, math.Floor(math.Log10(max(1, v))))
	for _, m := range []float64{1, 2, 5} {
		if m*scale >= v {
			return m * scale
		}
	}
	return 10 * scale
}

// clockSteps in seconds, beyond those that are decimal.
var clockSteps = []float64{60, 120, 300, 600, 900, 1800, 3600, 7200, 4 * 3600, 6 * 3600, 12 * 3600, 24 * 3600}

// timeMarks returns at most about n marks from 0 to horizon ticks, at round
// times, all in one unit: us, ms, s, min or h.
func timeMarks(in *instance.Instance, horizon float64, n int) []mark {
	us := horizon * float64(in.TickUS)
	step := timeStep(us / float64(n))
	unit, name := 3600e6, "h"
	switch {
	case step < 1e3 && us < 10e3:
		unit, name = 1, "µs"
	case step < 1e6 && us < 10e6:
		unit, name = 1e3, "ms"
	case step < 60e6:
		unit, name = 1e6, "s"
	case step < 3600e6:
		unit, name = 60e6, "min"
	}
	return marks(us, step, float64(in.TickUS), unit, " "+name)
}

// timeStep returns the least round time that is at least so many µs.
func timeStep(us float64) float64 {
	sec := us / 1e6
	if sec <= 20 {
		return decimalStep(us)
	}
	for _, s := range clockSteps {
		if s >= sec {
			return s * 1e6
		}
	}
	return math.Ceil(sec/86400) * 86400e6
}

// momentMarks is timeMarks at round times of the clock, with the day on the first of each, where it is known when the plan begins and marks
// are minutes apart.
func momentMarks(in *instance.Instance, begin time.Time, horizon float64, n int) (list []mark) {
	us := horizon * float64(in.TickUS)
	step := time.Duration(timeStep(us/float64(n))) * time.Microsecond
	if begin.IsZero() || step < time.Minute {
		return timeMarks(in, horizon, n)
	}
	day := 0
	_, offset := begin.Zone()
	zone := time.Duration(offset) * time.Second
	for at := begin.Add(zone).Truncate(step).Add(-zone); float64(at.Sub(begin).Microseconds()) <= us; at = at.Add(step) {
		if at.Before(begin) {
			continue
		}
		layout := "15:04"
		if at.YearDay() != day {
			day, layout = at.YearDay(), "2 Jan 15:04"
		}
		list = append(list, mark{float64(at.Sub(begin).Microseconds()) / float64(in.TickUS), at.Format(layout)})
	}
	return list
}

// tickMarks returns at most about n marks at round ticks.
func tickMarks(horizon float64, n int) []mark {
	return marks(horizon, decimalStep(horizon/float64(n)), 1, 1, "")
}

// marks lists the multiples of step up to end; at is in units of tick.
func marks(end, step, tick, unit float64, suffix string) []mark {
	var list []mark
	for i := 0; float64(i)*step <= end*(1+1e-9) && i < 1000; i++ {
		v := float64(i) * step
		list = append(list, mark{v / tick, group(strconv.FormatFloat(v/unit, 'f', -1, 64)) + suffix})
	}
	return list
}
