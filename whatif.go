package jigsaw

import (
	"context"
	"errors"
	"math/big"
	"slices"

	"jigsaw/formulation/bound"
	"jigsaw/formulation/instance"
)

// WhatIfResult is what a change of an instance does, as [WhatIf] finds it.
type WhatIfResult struct {
	Change Change
	// Spec is the changed instance.
	Spec *instance.Spec
	// Before and After are the plans of both, made in the same way. After is nil
	// where the change makes the instance invalid; Reasons then say why.
	Before, After *Result
	Reasons       []string
	// Predicted is the relative change of the bound that the prices of the linear
	// program predict; nil where they do not tell.
	Predicted *float64
}

// Verified is the relative change of the bound that came out; nil where one of
// the two has none.
func (r *WhatIfResult) Verified() *float64 {
	if r.After == nil || r.Before.Dual == nil || r.After.Dual == nil || r.Before.Dual.Sign() == 0 {
		return nil
	}
	change := new(big.Rat).Sub(r.After.Dual, r.Before.Dual)
	v, _ := change.Quo(change, r.Before.Dual).Float64()
	return &v
}

// WhatIf plans an instance with and without a change. models are where both find
// their profiles, as [Models]. A change that cannot be made is an
// [instance.Problems].
func WhatIf(ctx context.Context, spec *instance.Spec, models instance.ProfileSource, change Change, opt Options) (*WhatIfResult, error) {
	in, err := instance.Compile(spec, models)
	if err != nil {
		return nil, err
	}
	r := &WhatIfResult{Change: change}
	if r.Spec, err = change.Apply(spec, in); err != nil {
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
	if r.Before, err = Plan(ctx, in, opt); err != nil || changed == nil {
		return r, err
	}
	r.Predicted = predict(r.Before, change, changed)
	if r.After, err = Plan(ctx, changed, opt); err != nil {
		return nil, err
	}
	r.Reasons = r.After.Reasons
	return r, nil
}

// predict is the relative change of the bound by the prices of the fluid program,
// which are about resources: growth of the resource times its effect. They say
// nothing where another bound is the stronger one, or about jobs and speeds.
func predict(before *Result, change Change, changed *instance.Instance) *float64 {
	in, bindings := before.Instance, before.Binding()
	priced := func(b bound.Binding) bool { return b.Row != "" }
	if change.Kind == DropJob || change.Kind == FailNode || change.Kind == GPUSpeed || !slices.ContainsFunc(bindings, priced) {
		return nil
	}
	sum := 0.0
	for _, r := range bound.Resources(in) {
		old, grown := capacity(in, &r), capacity(changed, &r)
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

// capacity is the size of a resource: GPUs, bytes, or bit/s. Uplinks of an
// instance without any, or of the full form, have none.
func capacity(in *instance.Instance, r *bound.Resource) float64 {
	sum := 0.0
	seen := map[int]bool{}
	for _, id := range r.Nodes {
		n := &in.Nodes[id]
		switch r.Kind {
		case "gpu":
			sum += float64(n.GPUs)
		case "memory":
			// Rows are about memory that single GPUs have; more GPUs are another growth.
			sum += float64(in.Types[n.Type].Memory)
		case "nic":
			sum += float64(speed(in, n.Up, n.Down))
		case "fabric":
			sum += float64(speed(in, n.Fabric))
		case "uplink":
			if !seen[n.Rack] {
				seen[n.Rack] = true
				sum += uplink(in, in.Racks[n.Rack].Name)
			}
		}
	}
	return sum
}

// speed is that of the slowest of the links, 0 where one failed.
func speed(in *instance.Instance, links ...instance.LinkID) instance.BitRate {
	slowest := in.Links[links[0]].Capacity
	for _, l := range links {
		if in.Links[l].Failed {
			return 0
		}
		slowest = min(slowest, in.Links[l].Capacity)
	}
	return slowest
}

// uplink is the speed between a rack and the core, 0 where there is none.
func uplink(in *instance.Instance, rack string) float64 {
	var links []instance.LinkID
	for l := range in.Links {
		if k := in.Links[l].Kind; (k == instance.RackUp || k == instance.RackDown) &&
			(in.Links[l].Name == rack+".up" || in.Links[l].Name == rack+".down") {
			links = append(links, instance.LinkID(l))
		}
	}
	if len(links) == 0 {
		return 0
	}
	return float64(speed(in, links...))
}
