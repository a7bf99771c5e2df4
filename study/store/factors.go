package store

import "jigsaw/formulation/instance"

// Factors split the gain of the plan over the queue. Each is the ratio by which one
// schedule is better than another, or takes less work; their product is the whole gain.
// With V the value of a schedule in the unit of [Row], and
//
//	r(A, B) = V(A) / V(B)   where values are minimised: makespan, weighted completion
//	r(A, B) = V(B) / V(A)   where they are maximised: throughput of either kind
//
// they are
//
//	Order        = r(queue, exclusive)              whole jobs in a better order
//	Interleaving = r(exclusive, interleaved-full)   iterations share GPUs, at full depth
//	LeftOut      = FullWork / PlanWork              work that the depth rule leaves out
//	Packing      = r(interleaved-full, plan) / LeftOut   what is left is packed better or worse
//	Gain         = r(queue, plan) = Order x Interleaving x LeftOut x Packing
//
// A cluster that is always busy gains exactly LeftOut from leaving work out: Packing is
// above 1 if the plan wastes less time than interleaving at full depth, and below 1 if
// tasks of unequal length, or a longest job, waste more. A factor is absent if one of
// its schedules is.
type Factors struct {
	Gain         *float64 `json:"gain"`
	Order        *float64 `json:"gain_order"`
	Interleaving *float64 `json:"gain_interleaving"`
	LeftOut      *float64 `json:"gain_left_out"`
	Packing      *float64 `json:"gain_packing"`
}

// Factors of the row's gain.
func (r *Row) Factors() Factors {
	f := Factors{
		Gain: r.Ratio(r.Queue, r.Plan), Order: r.Ratio(r.Queue, r.Exclusive), Interleaving: r.Ratio(r.Exclusive, r.InterleavedFull),
	}
	if r.PlanWork != nil && r.FullWork != nil && *r.PlanWork > 0 {
		leftOut := float64(*r.FullWork) / float64(*r.PlanWork)
		f.LeftOut = &leftOut
	}
	if rest := r.Ratio(r.InterleavedFull, r.Plan); rest != nil && f.LeftOut != nil {
		packing := *rest / *f.LeftOut
		f.Packing = &packing
	}
	return f
}

// Ratio is by how many times the second of two of the row's values is better than the
// first; nil if one is unknown or not above 0.
func (r *Row) Ratio(from, to *float64) *float64 {
	if from == nil || to == nil || *from <= 0 || *to <= 0 {
		return nil
	}
	ratio := *from / *to
	if instance.Objective(r.Objective).Periodic() {
		ratio = *to / *from
	}
	return &ratio
}
