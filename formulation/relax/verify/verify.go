package verify

import (
	"context"
	"errors"
	"fmt"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax"
	"jigsaw/formulation/relax/columns"
	"jigsaw/formulation/relax/fluid"
	"jigsaw/formulation/relax/intervals"
	"jigsaw/formulation/relax/memorytime"
	"jigsaw/formulation/relax/packing"
	"jigsaw/formulation/relax/periods"
	"jigsaw/formulation/relax/trees"
	"math/big"
)

// Certificate proves the claims of a certificate anew from the instance, in exact
// arithmetic. The error says what is wrong with it, or is that of the context.
func Certificate(ctx context.Context, in *instance.Instance, c *relax.Certificate) (relax.Proven, error) {
	return Claims(in.Digest(), c, func() (relax.Proven, error) { return Check(ctx, in, c) })
}

// Molds is [Certificate] for moldable jobs.
func Molds(ctx context.Context, in *instance.Molds, c *relax.Certificate) (relax.Proven, error) {
	return Claims(in.Digest(), c, func() (b relax.Proven, err error) {
		b.Kind = c.Kind
		var jobs [][]*relax.Model
		for _, job := range in.Jobs {
			var models []*relax.Model
			for _, alone := range job.Alone {
				if ctx.Err() != nil {
					return b, ctx.Err()
				}
				models = append(models, relax.New(alone))
			}
			jobs = append(jobs, models)
		}
		switch c.Kind {
		case relax.ChainBound:
			relax.ProveChains(&b, jobs)
		case relax.WeightsBound:
			err = relax.ProveWeights(&b, jobs, c.Prices)
		default:
			err = fmt.Errorf("formulation: no certificate of kind %q is about moldable jobs", c.Kind)
		}
		return b, err
	})
}

// Combinatorial is [Certificate] for the kinds that have no prices: presolve, chain and area.
func Combinatorial(ctx context.Context, in *instance.Instance, c *relax.Certificate) (relax.Proven, error) {
	return Claims(in.Digest(), c, func() (relax.Proven, error) { return combinatorial(ctx, relax.New(in), c) })
}

// Claims compares the claims of a certificate with what it proves about the instance with the
// given digest.
func Claims(digest string, c *relax.Certificate, proves func() (relax.Proven, error)) (relax.Proven, error) {
	if c.Version != relax.CertificateVersion {
		return relax.Proven{}, fmt.Errorf("formulation: certificate version %d: this JigSaw checks version %d", c.Version, relax.CertificateVersion)
	}
	if c.Instance != digest {
		return relax.Proven{}, fmt.Errorf("formulation: the certificate is about another instance (digest %.12s, this one has %.12s)", c.Instance, digest)
	}
	if c.Bound == nil && !c.Infeasible {
		return relax.Proven{}, errors.New("formulation: the certificate claims nothing: it has no bound")
	}
	if path, why := c.Misplaced(); path != "" {
		return relax.Proven{}, fmt.Errorf("formulation: the certificate's %s: %s", path, why)
	}
	b, err := proves()
	if err != nil {
		return relax.Proven{}, err
	}
	switch {
	case c.Infeasible != (b.Infeasible != nil):
		return relax.Proven{}, errors.New("formulation: the certificate does not prove infeasibility, which it claims")
	case c.Infeasible:
		return b, nil
	case b.Value == nil || b.Value.Cmp(&c.Bound.Rat) != 0:
		return relax.Proven{}, fmt.Errorf("formulation: the certificate claims %s, but what it holds proves %s", c.Bound.RatString(), ratString(b.Value))
	case c.Value != nil && (b.Exact == nil || b.Exact.Cmp(c.Value) != 0):
		return relax.Proven{}, fmt.Errorf("formulation: the certificate's prices were changed: they do not give its value %s", c.Value.RatString())
	case c.Value == nil && b.Exact != nil:
		return relax.Proven{}, errors.New("formulation: the certificate lacks the value that its prices give")
	}
	return b, nil
}

func ratString(v *big.Rat) string {
	if v == nil {
		return "nothing"
	}
	return v.RatString()
}

// Check evaluates the prices of a certificate on the program that
// it builds from the instance, in exact arithmetic. It returns what they prove,
// a bound or infeasibility, whatever the certificate claims; see
// [Certificate].
func Check(ctx context.Context, in *instance.Instance, c *relax.Certificate) (relax.Proven, error) {
	b := relax.Proven{Kind: c.Kind}
	m := relax.New(in)
	m.Context = ctx
	var err error
	switch c.Kind {
	case relax.MemoryTimeBound:
		err = memorytime.Prove(in, &b, c.Share)
	case relax.FluidBound:
		err = fluid.New(m, fluid.UsualDetail(c.Columns)).Prove(&b, c.Prices, c.Denominator, c.Infeasible)
	case relax.ColumnsBound:
		err = columns.Prove(m, &b, c)
	case relax.IntervalsBound:
		err = intervals.Prove(m, &b, c)
	case relax.PackingBound:
		err = packing.Prove(m, &b, c)
	case relax.PeriodsBound:
		err = periods.Prove(m, &b, c)
	case relax.TreeBound:
		err = trees.Prove(m, &b, c, trees.ProofSteps)
	default:
		b, err = combinatorial(ctx, m, c)
	}
	if ctx.Err() != nil {
		return relax.Proven{}, ctx.Err() // takes precedence over other errors
	}
	if err != nil {
		return relax.Proven{}, err
	}
	return b, nil
}

// combinatorial is [Check] for the kinds that have no prices.
func combinatorial(ctx context.Context, m *relax.Model, c *relax.Certificate) (relax.Proven, error) {
	b := relax.Proven{Kind: c.Kind}
	var err error
	switch c.Kind {
	case relax.ChainBound:
		b.Value, _ = m.Chain()
		b.Certified = true
	case relax.AreaBound:
		err = m.ProveArea(&b, c.Loads)
	case relax.WeightsBound:
		if m.Instance.Objective != instance.Makespan {
			return b, fmt.Errorf("formulation: a certificate of kind %s is about the makespan, not %s", c.Kind, m.Instance.Objective)
		}
		err = relax.ProveWeights(&b, [][]*relax.Model{{m}}, c.Prices)
	case relax.CostBound:
		if m.Instance.Objective.Periodic() {
			return b, fmt.Errorf("formulation: a certificate of kind %s is about schedules that run once, not %s", c.Kind, m.Instance.Objective)
		}
		err = m.ProveCost(&b, c.Prices, c.End)
	case relax.PresolveProof:
		reasons := relax.Infeasible(m.Instance)
		if reasons == nil {
			reasons = relax.NoPlacement(ctx, m.Instance, relax.PlacementSteps)
		}
		b = relax.Refuted(m.Instance, reasons)
	default:
		err = fmt.Errorf("formulation: unknown kind of certificate %q", c.Kind)
	}
	return b, err
}
