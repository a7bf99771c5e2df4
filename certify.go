package jigsaw

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"jigsaw/formulation/bound"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax"
	"jigsaw/formulation/relax/verify"
)

// Certificate is the exact proof of a bound, or of infeasibility, as a file
// holds it; see [relax.Certificate].
type Certificate = relax.Certificate

// Certify proves the claims of a certificate anew from the instance, in exact
// arithmetic, and returns the bound proven. It trusts nothing in the
// certificate; the error says what of it does not hold, or is that of ctx, which ends it. Where jobs hold memory
// only while they run, certificates but those of memory x time are about [instance.Instance.Roomy], of which every
// valid schedule of the instance is one.
func Certify(ctx context.Context, in *instance.Instance, c *Certificate) (relax.Proven, error) {
	if c == nil {
		return relax.Proven{}, errors.New("jigsaw: there is no certificate")
	}
	if in.Long() && !slices.Contains(lengthless, c.Kind) {
		return relax.Proven{}, beyond(in, fmt.Sprintf("proofs of kind %q", c.Kind))
	}
	return verify.Certificate(ctx, subject(in, c.Kind), c)
}

// subject returns the instance that proofs of a kind are about.
func subject(in *instance.Instance, kind relax.Kind) *instance.Instance {
	if kind == relax.MemoryTimeBound {
		return in
	}
	return in.Roomy()
}

// lengthless are the kinds of proofs that cost no more where jobs have more iterations.
var lengthless = []relax.Kind{relax.PresolveProof, relax.ChainBound, relax.AreaBound, relax.MemoryTimeBound, relax.FluidBound}

// certify ends a run: the strongest certified bound, or the proof that there is
// no schedule, is proven once more from the instance and its certificate alone.
// Only what passes is called certified.
func (p *planner) certify() {
	r := p.result
	defer func() { r.Elapsed = time.Since(p.start) }()
	best := bound.Bound{}
	if p.refuted != nil {
		best = *p.refuted
	} else {
		for _, b := range r.Bounds {
			if b.Certified {
				best = bound.Best(p.in, best, b)
			}
		}
	}
	proof := best.Proof(subject(p.in, best.Kind))
	if proof == nil {
		r.Certified = false
		return
	}
	// What a run was stopped with is proven, too.
	proven, err := p.prove(context.Background(), p.in, proof)
	if err != nil {
		r.Certified = false
		p.fault("the certificate of the %s bound does not hold: %w", best.Kind, err)
		return
	}
	r.Proof = proof
	r.Certified = p.refuted != nil || proven.Value.Cmp(r.Dual) == 0
}
