package jigsaw

import (
	"context"
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
// certificate; the error says what of it does not hold, or is that of ctx, which ends it.
func Certify(ctx context.Context, in *instance.Instance, c *Certificate) (relax.Proven, error) {
	if err := beyond(in, "certificates"); err != nil {
		return relax.Proven{}, err
	}
	return verify.Certificate(ctx, in, c)
}

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
	proof := best.Proof(p.in)
	if proof == nil {
		r.Certified = false
		return
	}
	// What a run was stopped with is proven, too.
	proven, err := Certify(context.Background(), p.in, proof)
	if err != nil {
		r.Certified = false
		p.fault("the certificate of the %s bound does not hold: %w", best.Kind, err)
		return
	}
	r.Proof = proof
	r.Certified = p.refuted != nil || proven.Value.Cmp(r.Dual) == 0
}
