package whatif

import (
	"context"
	"errors"
	"math/big"
	"slices"

	"jigsaw"
	"jigsaw/formulation/bound"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/change"
	"jigsaw/formulation/instance/check"
	"jigsaw/heuristics/repair"
)

// Comparison is what a change of an instance does, as [Compare] finds it.
type Comparison struct {
	// Spec is the changed instance.
	Spec *instance.Spec
	// Before and After are the plans of both, made in the same way, except that After may begin
	// with the order of Before, so that a faster network never makes the plan worse. After is nil
	// if the change makes the instance invalid; Reasons then say why.
	Before, After *jigsaw.Result
	Reasons       []string
	// Predicted is the relative change of the bound that the prices of the linear
	// program predict; nil where they do not tell.
	Predicted *float64
}

// Verified is the relative change of the bound between the two plans; nil if one of
// them has no bound.
func (r *Comparison) Verified() *float64 {
	if r.After == nil || r.Before.Dual == nil || r.After.Dual == nil || r.Before.Dual.Sign() == 0 {
		return nil
	}
	change := new(big.Rat).Sub(r.After.Dual, r.Before.Dual)
	v, _ := change.Quo(change, r.Before.Dual).Float64()
	return &v
}

// Compare plans an instance with and without a change. models are where both find
// their profiles, as [jigsaw.Models]. A change that cannot be made is an
// [instance.Problems]. Where ctx ends before both plans are made, the result holds those that are
// (none: it is nil), with the error of ctx: a plan that was cut short says nothing about the change.
func Compare(ctx context.Context, spec *instance.Spec, models instance.ProfileSource, c change.Change, opt jigsaw.Options) (*Comparison, error) {
	in, err := instance.Compile(spec, models)
	if err != nil {
		return nil, err
	}
	r := &Comparison{}
	if r.Spec, err = c.Apply(spec, in); err != nil {
		return nil, instance.Problems{{Message: err.Error()}}
	}
	changed, err := instance.Compile(r.Spec, models)
	var problems instance.Problems
	if errors.As(err, &problems) {
		for _, p := range problems {
			r.Reasons = append(r.Reasons, p.String())
		}
	} else if err != nil {
		return nil, err
	}
	r.Before, err = jigsaw.Plan(ctx, in, opt)
	if err = errors.Join(err, ctx.Err()); err != nil {
		return nil, err
	}
	if changed == nil {
		return r, nil
	}
	r.Predicted = predict(r.Before, c, changed)
	opt.Start = carriedOver(in, changed, r.Before.Schedule)
	after, err := jigsaw.Plan(ctx, changed, opt)
	if ctx.Err() != nil {
		return r, ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	r.After, r.Reasons = after, after.Reasons
	return r, nil
}

// carriedOver is a schedule that keeps the order of another on the changed cluster, on the GPUs of the
// same names where they still exist; nil if there is none. It is for objectives that run once.
func carriedOver(in, changed *instance.Instance, s *instance.Schedule) *instance.Schedule {
	if s == nil || in.Objective.Periodic() || len(in.Jobs) != len(changed.Jobs) {
		return nil
	}
	same := change.SameGPU(in, changed)
	fixed, err := repair.Repair(changed, s, repair.Damage{GPU: func(_ instance.JobID, g instance.GPUID) (instance.GPUID, bool) { return same(g) }})
	if err != nil || len(check.Schedule(changed, fixed.Schedule)) > 0 {
		return nil // no room, or too late for a deadline
	}
	return fixed.Schedule
}

// predict is the relative change of the bound by the prices of the fluid program,
// which are about resources: growth of the resource times its effect. They say
// nothing where another bound is the stronger one, or about jobs and speeds.
func predict(before *jigsaw.Result, c change.Change, changed *instance.Instance) *float64 {
	in, bindings := before.Instance, before.BindingBound().Binding
	priced := func(b bound.Binding) bool { return b.Row != "" }
	if c.Kind == change.DropJob || c.Kind == change.FailNode || c.Kind == change.GPUSpeed || !slices.ContainsFunc(bindings, priced) {
		return nil
	}
	sum := 0.0
	for _, r := range bound.Resources(in) {
		old, grown := r.Capacity(in), r.Capacity(changed)
		if old == 0 || old == grown {
			continue
		}
		growth, effect := grown/old-1, r.Effect(bindings)
		if in.Objective == instance.Makespan && r.Kind != "memory" {
			// Capacity stands before the makespan: prices y give T/(1 + e y).
			sum += 1/(1-growth*effect) - 1
			continue
		}
		sum += growth * effect
	}
	return &sum
}
