package jigsaw

import (
	"math/big"
	"strconv"

	"jigsaw/formulation/instance"
)

// FormatValue writes an objective value of the instance for people, with its
// unit: seconds for makespan, weight-seconds for weighted completion, weighted
// iterations per second for throughput, per cent of full speed for max-min.
func FormatValue(in *instance.Instance, v *big.Rat) string {
	if v == nil {
		return "-"
	}
	f, _ := v.Float64()
	switch in.Objective {
	case instance.Throughput:
		return significant(f*1e6/float64(in.TickUS)) + " it/s"
	case instance.MaxMinThroughput:
		return significant(100*f) + " %"
	case instance.WeightedCompletion:
		return significant(f*float64(in.TickUS)/1e6) + " w·s"
	}
	return significant(f*float64(in.TickUS)/1e6) + " s"
}

// significant writes f with four significant digits, or all before the point
// if these are more. Trailing zeros stay, so that columns of figures align.
func significant(f float64) string {
	decimals := 3
	for limit := 10.0; f >= limit && decimals > 0; limit *= 10 {
		decimals--
	}
	if f > 0 && f < 1 {
		return strconv.FormatFloat(f, 'g', 4, 64)
	}
	return strconv.FormatFloat(f, 'f', decimals, 64)
}
