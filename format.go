package jigsaw

import (
	"fmt"
	"math/big"
	"strconv"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax"
)

// FormatValue writes an objective value of the instance for people, with its
// unit: seconds, minutes or hours for makespan, times weight for weighted completion, weighted
// iterations per second for throughput, per cent of full speed for max-min.
func FormatValue(in *instance.Instance, v *big.Rat) string { return FormatValueLike(in, v, v) }

// FormatValue writes a value of the result's objective, in the unit of its plan.
func (r *Result) FormatValue(v *big.Rat) string {
	like := r.Primal
	if like == nil {
		like = r.Dual
	}
	return FormatValueLike(r.Instance, v, like)
}

// FormatValueLike is [FormatValue] in the unit of another value, beside which people read it; nil: in its own.
func FormatValueLike(in *instance.Instance, v, like *big.Rat) string {
	if v == nil {
		return "-"
	}
	if like == nil {
		like = v
	}
	f, _ := v.Float64()
	beside, _ := like.Float64()
	tick := float64(in.TickUS) / 1e6
	switch in.Objective {
	case instance.Throughput:
		return significant(f*1e6/float64(in.TickUS)) + " it/s"
	case instance.MaxMinThroughput:
		return significant(100*f) + " %"
	case instance.WeightedCompletion:
		return FormatSecondsLike(f*tick, beside*tick) + " × weight"
	}
	return FormatSecondsLike(f*tick, beside*tick)
}

// FormatSecondsLike writes seconds for people, in the unit of others: from ten minutes on minutes, from two hours on hours.
func FormatSecondsLike(seconds, like float64) string {
	length, name := TimeUnit(max(1, like))
	return significant(seconds/length) + " " + name
}

// TimeUnit is the unit in which people read a time of so many seconds, and its length in seconds.
func TimeUnit(seconds float64) (length float64, name string) {
	switch {
	case seconds >= 7200:
		return 3600, "h"
	case seconds >= 600:
		return 60, "min"
	case seconds >= 1:
		return 1, "s"
	}
	return 0.001, "ms"
}

// FormatProven says what a certificate of the instance has proven, if that is no infeasibility.
func FormatProven(in *instance.Instance, c *Certificate, bound *big.Rat) string {
	if c.Kind == relax.CostBound {
		by := ""
		if c.End > 0 {
			by = " that ends by " + strconv.FormatFloat(float64(c.End)*float64(in.TickUS)/1e6, 'f', -1, 64) + " s"
		}
		return fmt.Sprintf("no schedule%s costs less than %s", by, FormatCost(in, bound))
	}
	side := "below"
	if in.Objective.Periodic() {
		side = "above"
	}
	return fmt.Sprintf("no schedule has a %s %s %s", in.Objective, side, FormatValue(in, bound))
}

// FormatCost writes an amount of money, of plans that repeat for an hour.
func FormatCost(in *instance.Instance, v *big.Rat) string {
	if v == nil {
		return "-"
	}
	f, _ := v.Float64()
	if in.Objective.Periodic() {
		return significant(f) + "/h"
	}
	return significant(f)
}

// significant writes f with four significant digits, or all before the point
// if these are more. Trailing zeros stay, so that columns of figures align.
func significant(f float64) string {
	if f == 0 {
		return "0"
	}
	decimals := 3
	for limit := 9.9995; f >= limit && decimals > 0; limit *= 10 { // what is rounded to one digit more
		decimals--
	}
	if f > 0 && f < 0.99995 {
		f, _ = strconv.ParseFloat(strconv.FormatFloat(f, 'e', 3, 64), 64)
		decimals = -1 // as many as there are
	}
	return strconv.FormatFloat(f, 'f', decimals, 64)
}
