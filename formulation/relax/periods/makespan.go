package periods

import (
	"cmp"
	"math/big"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax"
	"jigsaw/formulation/relax/exact"
)

// repeated returns the model that bounds the makespan by rates: a schedule in which the first job is released at tick r, and
// which ends at tick D, is, over and over again, a plan of period D - r in which each job does all of its R
// iterations. The objective is the least rate; the weight of a job is R times its shortest task at full depth, so
// that its normalised rate is 1 / (D - r). nil if there are no such numbers.
func repeated(m *relax.Model) *relax.Model {
	jobs, total := slices.Clone(m.Instance.Jobs), new(big.Int)
	for i := range jobs {
		j := &jobs[i]
		weight := exact.Mul(int64(j.Iterations), int64(j.FastestFull()))
		if total.Add(total, weight); weight.Sign() <= 0 || !total.IsInt64() {
			return nil
		}
		j.Weight, j.Release, j.Deadline = weight.Int64(), 0, 0
	}
	in := m.Instance.WithJobs(jobs)
	in.Objective, in.MaxPeriod = instance.MaxMinThroughput, 0
	out := relax.New(in)
	out.Context = m.Context
	return out
}

// released is the tick at which the first job of an instance is.
func released(in *instance.Instance) int64 {
	return int64(slices.MinFunc(in.Jobs, func(a, b instance.Job) int { return cmp.Compare(a.Release, b.Release) }).Release)
}

// Bound is the bound on the objective of an instance that an upper limit on the value of its programs proves; nil for none.
func Bound(in *instance.Instance, value *big.Rat) *big.Rat {
	if in.Objective.Periodic() {
		return value
	}
	if value.Sign() <= 0 {
		return nil
	}
	end := exact.Ceil(new(big.Rat).Inv(value))
	return new(big.Rat).SetInt(end.Add(end, big.NewInt(released(in))))
}

// Reaches is the value below which a value of the programs of an instance proves that a plan of the given value is optimal: for a
// makespan that of a plan one tick shorter. nil if there is no such value.
func Reaches(in *instance.Instance, known *big.Rat) *big.Rat {
	if known == nil || in.Objective.Periodic() {
		return known
	}
	length := new(big.Rat).Sub(known, new(big.Rat).SetInt64(released(in)+1))
	if length.Sign() <= 0 {
		return nil
	}
	return length.Inv(length)
}
