package jigsaw

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"slices"
	"time"

	"jigsaw/formulation/bound"
	"jigsaw/formulation/burst"
	"jigsaw/formulation/certificate"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax"
	"jigsaw/formulation/relax/verify"
)

// Certificate is the exact proof of a bound, or of infeasibility, as a file
// holds it; see [relax.Certificate].
type Certificate = relax.Certificate

// Proven is what a certificate proves.
type Proven = relax.Proven

// EncodeCertificate writes a certificate as JSON.
func EncodeCertificate(w io.Writer, c *Certificate) error {
	return json.NewEncoder(w).Encode(c)
}

// DecodeCertificate reads a certificate about the instance, as
// [EncodeCertificate] writes it. It is strict: unknown, repeated, missing and
// misplaced keys are mistakes, as are numbers that are not whole, files larger
// than 16 MiB, another version and another instance. A mistake comes back as
// [instance.Problems], with its path, line and column. Whether the certificate
// proves what it claims is for [Certify] to say.
func DecodeCertificate(in *instance.Instance, r io.Reader) (*Certificate, error) {
	return certificate.Decode(r, relax.Kinds(), func(kind relax.Kind, claimed string) string {
		if ends := endsOf(in); ends != nil {
			if digest := subject(ends, kind).Digest(); digest == claimed {
				return digest
			}
		}
		return subject(in, kind).Digest()
	})
}

// DecodeMoldCertificate is [DecodeCertificate] of one that is about any numbers of workers.
func DecodeMoldCertificate(in *instance.Molds, r io.Reader) (*Certificate, error) {
	return certificate.Decode(r, []relax.Kind{relax.ChainBound, relax.WeightsBound}, func(relax.Kind, string) string { return in.Digest() })
}

// DecodeBackgroundCertificate is [DecodeCertificate] of one that is about background jobs.
func DecodeBackgroundCertificate(in *instance.Bursts, r io.Reader) (*Certificate, error) {
	return certificate.Decode(r, []relax.Kind{relax.BackgroundBound}, func(relax.Kind, string) string { return in.Digest() })
}

// AboutCost reports whether a certificate is not about the objective, but about what schedules cost.
func AboutCost(c *Certificate) bool { return c.Kind == relax.CostBound }

// Certify proves the claims of a certificate anew from the instance, in exact
// arithmetic, and returns the bound proven. It trusts nothing in the
// certificate; the error says which claim does not hold, or is the error of ctx, which cancels the proof. If jobs hold memory
// only while they run, certificates of all kinds but memory x time are about [instance.Instance.Roomy]: every valid schedule of
// the instance is a schedule of that. If all jobs have deadlines, a bound on the makespan may prove that there is no schedule,
// whatever the objective: its certificate is then about the instance with the objective makespan, whose schedules are the same.
func Certify(ctx context.Context, in *instance.Instance, c *Certificate) (relax.Proven, error) {
	if c == nil {
		return relax.Proven{}, errors.New("jigsaw: there is no certificate")
	}
	if in.Long() && !slices.Contains(lengthless, c.Kind) {
		return relax.Proven{}, beyond(in, fmt.Sprintf("proofs of kind %q", c.Kind))
	}
	about := subject(in, c.Kind)
	ends := endsOf(in)
	if ends == nil || AboutCost(c) || c.Instance == about.Digest() {
		return verify.Certificate(ctx, about, c)
	}
	proven, err := verify.Certificate(ctx, subject(ends, c.Kind), c)
	if err != nil || proven.Infeasible != nil {
		return proven, err
	}
	why := Overdue(ends, proven.Value)
	if why == "" {
		return relax.Proven{}, errors.New("jigsaw: the certificate is about the makespan, and does not prove that the deadlines cannot be met")
	}
	return relax.Proven{Kind: c.Kind, Infeasible: []string{why}, Certified: true}, nil
}

// endsOf returns the instance with the objective makespan, whose schedules are the same, if the objective is the weighted completion
// and all jobs have deadlines; else nil.
func endsOf(in *instance.Instance) *instance.Instance {
	if due, _ := in.ByDeadlines(); due == nil || in.Objective == instance.Makespan {
		return nil
	}
	ends := *in
	ends.Objective = instance.Makespan
	return &ends
}

// CertifyMolds is [Certify] of a bound on the makespan that holds for all numbers of workers.
func CertifyMolds(ctx context.Context, in *instance.Molds, c *Certificate) (relax.Proven, error) {
	return verify.Molds(ctx, in, c)
}

// CertifyBackground is [Certify] of an upper bound on the GPU time of background jobs, in GPUs, given the stages of burst-parallel jobs
// in the certificate.
func CertifyBackground(in *instance.Bursts, c *Certificate) (relax.Proven, error) {
	return verify.Claims(in.Digest(), c, func() (b relax.Proven, err error) {
		chains, _, err := burst.Chains(in)
		if err != nil {
			return b, err
		}
		b.Kind, b.Certified = c.Kind, true
		b.Value, err = burst.Prove(in, chains, c.Stages)
		return b, err
	})
}

// BackgroundProof is the certificate of a bound on what background jobs have.
func BackgroundProof(in *instance.Bursts, stages [][]int, bound *big.Rat) *Certificate {
	b := relax.Proven{Kind: relax.BackgroundBound, Value: bound, Certified: true}
	b.Certificate = &Certificate{Denominator: big.NewInt(1), Prices: []*big.Int{}, Stages: stages}
	return b.Proof(in)
}

// subject returns the instance that proofs of a kind are about.
func subject(in *instance.Instance, kind relax.Kind) *instance.Instance {
	if kind == relax.MemoryTimeBound || kind == relax.CostBound {
		return in
	}
	return in.Roomy()
}

// lengthless are the kinds of proofs whose cost does not grow with the iterations of jobs.
var lengthless = []relax.Kind{relax.PresolveProof, relax.ChainBound, relax.AreaBound, relax.WeightsBound, relax.CostBound, relax.MemoryTimeBound, relax.FluidBound, relax.PackingBound, relax.ColumnsBound, relax.IntervalsBound}

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
	proof := p.refutation
	if proof == nil {
		proof = best.Proof(subject(p.in, best.Kind))
	}
	if proof == nil {
		r.Certified = false
		return
	}
	// The bound is proven even if the run was stopped.
	proven, err := p.prove(context.Background(), p.in, proof)
	if err != nil {
		r.Certified = false
		p.fault("the certificate of the %s bound does not hold: %w", best.Kind, err)
		return
	}
	r.Proof = proof
	r.Certified = p.refuted != nil || proven.Value.Cmp(r.Dual) == 0
	if why := Overdue(p.in, r.Dual); why != "" && p.refuted == nil && r.Certified {
		r.Status, r.Reasons = Infeasible, []string{why}
	}
}

// overdue looks for a bound on the makespan that is later than the deadlines of all jobs, if the objective is another one and no plan was
// found. With a time limit it takes a quarter of the time that is left.
func (p *planner) overdue() {
	ends := endsOf(p.in)
	if ends == nil || p.result.plan() != nil || p.ctx.Err() != nil || p.noPlan() {
		return
	}
	opt := p.opt
	opt.Progress, opt.Incumbent, opt.Ranging = nil, nil, false
	if opt.Time > 0 {
		opt.Time = max(time.Millisecond, time.Until(p.start.Add(opt.Time))/4)
	}
	r, err := Bound(p.ctx, ends, opt)
	p.mu.Lock()
	defer p.mu.Unlock()
	if err != nil {
		p.faults = append(p.faults, err)
	} else if r.Status == Infeasible && r.Proof != nil && !p.closed {
		p.refute(bound.Bound{Proven: relax.Proven{Kind: r.Proof.Kind, Infeasible: r.Reasons, Certified: true}})
		p.refutation = r.Proof
	}
}

// Overdue says in words that a bound is worse than any schedule within the deadlines of all jobs, so that there is no schedule; "" if
// that does not follow.
func Overdue(in *instance.Instance, bound *big.Rat) string {
	due, _ := in.ByDeadlines()
	if due == nil || bound == nil || bound.Cmp(due) <= 0 {
		return ""
	}
	return fmt.Sprintf("all jobs have deadlines, and with them a %s of at most %s, but none is below %s", in.Objective.Words(),
		FormatValueLike(in, due, bound), FormatValue(in, bound))
}
