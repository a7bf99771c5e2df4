package view

import (
	"math"
	"strconv"

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
	step := decimalStep(us / float64(n))
	if sec := us / float64(n) / 1e6; sec > 20 {
		step = math.Ceil(sec/86400) * 86400e6
		for _, s := range clockSteps {
			if s >= sec {
				step = s * 1e6
				break
			}
		}
	}
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
