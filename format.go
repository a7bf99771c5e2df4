package jigsaw

import (
	"fmt"
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

// significant writes f with four significant digits, all of them if it is larger.
func significant(f float64) string {
	switch {
	case f >= 1000:
		return strconv.FormatFloat(f, 'f', 0, 64)
	case f >= 1:
		return fmt.Sprintf("%.4g", f)
	}
	return strconv.FormatFloat(f, 'g', 4, 64)
}
