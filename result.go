package jigsaw

import (
	"math"
	"math/big"
	"slices"
	"time"

	"jigsaw/formulation/bound"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/symmetry"
)

// Status says what a plan's result amounts to.
type Status string

const (
	// Optimal means: the schedule's value equals a certified bound.
	Optimal Status = "optimal"
	// Feasible means: a valid schedule, not proven optimal.
	Feasible Status = "feasible"
	// Infeasible means: proven that no valid schedule exists; see Result.Reasons.
	Infeasible Status = "infeasible"
	// Limit means: stopped by the time limit or the caller, with neither a schedule nor
	// a proof.
	Limit Status = "limit"
	// Unknown means: all was tried, without finding a schedule or a proof that there is none. [Bound],
	// which makes no schedule, ends with it when its work is done.
	Unknown Status = "unknown"
)

// Result is what [Plan] found.
type Result struct {
	Instance *instance.Instance
	Status   Status
	// Schedule found; nil unless the status is Optimal or Feasible.
	Schedule *instance.Schedule
	// Blocks is the schedule of a plan made of repeating patterns: of long instances, and if
	// jobs hold memory only while they run. If it is short enough it is written out as Schedule as well.
	Blocks *instance.BlockSchedule
	// Primal is the schedule's objective value, nil without one.
	Primal *big.Rat
	// Dual is the strongest bound: no schedule has a better value. nil if none is known.
	Dual *big.Rat
	// Certified reports whether Dual, or the infeasibility, passed exact arithmetic.
	Certified bool
	// Proof is the certificate of the strongest certified bound, or of
	// infeasibility, which passed [Certify] at the end; nil where there is none.
	Proof *Certificate
	// Bounds are all that were computed, in order.
	Bounds []bound.Bound
	// Reasons say in words why the instance is infeasible, or why no schedule was found.
	Reasons []string
	// Notes say in words what was not done and why: no LP back end, a limit reached.
	Notes []string
	// Baselines to compare with; see the problem definition, section 7, and
	// [Options.EqualBaselines] for how much they search.
	Queue, Exclusive, InterleavedFull, FewerExclusive, FewerInterleaved, Greedy Baseline

	// Begin is when time 0 of the plan is, where a caller says so; printed with the plan.
	Begin time.Time
	Seed  uint64
	// Series of incumbents and bounds over time.
	Series []Point
	// Elapsed is how long the run took.
	Elapsed time.Duration
}

// Baseline is the outcome of one way of scheduling.
type Baseline struct {
	// Instance that the baseline schedules: the plan's for greedy, the same at full depth,
	// [instance.Instance.FullDepth], or at full depth on fewer workers. nil where none was made.
	Instance *instance.Instance
	// Schedule is nil where this way found none; Reason then says why.
	Schedule *instance.Schedule
	// Blocks is the schedule in place of Schedule where the plan is one in blocks.
	Blocks     *instance.BlockSchedule
	Value      *big.Rat
	Efficiency float64
	Reason     string
}

// Point is the state of a plan at a moment: a new incumbent or a new bound.
type Point struct {
	Elapsed time.Duration
	// Primal and Dual known so far; nil while there is none.
	Primal, Dual *big.Rat
	// Event names what is new: "greedy", "fluid", ...
	Event string
	// Columns generated and Nodes of the search tree solved so far.
	Columns, Nodes int
}

// Improves reports whether the point has a new incumbent, rather than a new
// bound, against the one before it.
func (p Point) Improves(before Point) bool {
	return p.Primal != nil && (before.Primal == nil || p.Primal.Cmp(before.Primal) != 0)
}

// Gap returns |primal - dual| / max(|primal|, 1e-9), and NaN unless both are
// known, or where primal alone is 0. It is the one definition of the gap in JigSaw.
func Gap(primal, dual *big.Rat) float64 {
	if primal == nil || dual == nil || primal.Sign() == 0 && dual.Sign() != 0 {
		return math.NaN()
	}
	p, _ := primal.Float64()
	d, _ := new(big.Rat).Sub(primal, dual).Float64()
	return math.Abs(d) / max(math.Abs(p), 1e-9)
}

// provenEvent is the event of the point at which the plan was proven optimal.
const provenEvent = "proven"

// Proven returns when the plan was known, checked, and known to be optimal by
// a certified bound; -1 if it is not.
func (r *Result) Proven() time.Duration {
	for _, p := range r.Series {
		if p.Event == provenEvent {
			return p.Elapsed
		}
	}
	return -1
}

// Gap of the result; see the function [Gap].
func (r *Result) Gap() float64 { return Gap(r.Primal, r.Dual) }

// plan is the plan, in blocks if there is one in blocks; nil if there is none.
func (r *Result) plan() instance.Plan { return planOf(r.Schedule, r.Blocks) }

func planOf(s *instance.Schedule, blocks *instance.BlockSchedule) instance.Plan {
	switch {
	case blocks != nil:
		return blocks
	case s != nil:
		return s
	}
	return nil
}

// canonical puts identical nodes and GPUs into an order that follows from the plan, so that plans of one instance, and those of
// its baselines, show a job in the same place if they can.
func (r *Result) canonical() {
	order := func(in *instance.Instance, s **instance.Schedule, blocks **instance.BlockSchedule) {
		if *s != nil {
			*s = symmetry.Canonical(in, *s)
		}
		if *blocks != nil {
			*blocks = symmetry.CanonicalBlocks(in, *blocks)
		}
	}
	order(r.Instance, &r.Schedule, &r.Blocks)
	for _, b := range r.everyBaseline() {
		order(b.Instance, &b.Schedule, &b.Blocks)
	}
}

// NamedBaseline is a baseline with its name.
type NamedBaseline struct {
	Name string
	*Baseline
}

// Baselines are those that tables show: made, or with a reason why there are none.
func (r *Result) Baselines() []NamedBaseline {
	list := []NamedBaseline{{"queue", &r.Queue}, {"exclusive", &r.Exclusive}, {"interleaved-full", &r.InterleavedFull}, {"greedy", &r.Greedy}}
	return slices.DeleteFunc(list, func(b NamedBaseline) bool { return b.Instance == nil && b.Reason == "" })
}

func (r *Result) everyBaseline() []*Baseline {
	return []*Baseline{&r.Queue, &r.Exclusive, &r.InterleavedFull, &r.FewerExclusive, &r.FewerInterleaved, &r.Greedy}
}

// Efficiency of the schedule, 0 without one.
func (r *Result) Efficiency() float64 {
	if p := r.plan(); p != nil {
		return p.Efficiency(r.Instance)
	}
	return 0
}

// BindingBound is the strongest bound that tells what limits the plan, in its Binding, the greatest effect first. Of equal
// bounds it is the last, the linear program, whose prices say most. Bounds that mix
// whole plans do not tell, so that it may be weaker than Dual. It is zero if no bound tells.
func (r *Result) BindingBound() bound.Bound {
	bounds := slices.DeleteFunc(slices.Clone(r.Bounds), func(b bound.Bound) bool { return b.Binding == nil })
	slices.Reverse(bounds)
	return bound.Best(r.Instance, bounds...)
}
