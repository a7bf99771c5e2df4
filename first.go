package jigsaw

import (
	"context"
	"errors"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax"
	"jigsaw/formulation/relax/verify"
)

// ErrNotFirst is the error of [First] for plans that it leaves to [Plan].
var ErrNotFirst = errors.New("jigsaw: a plan in blocks takes more than a first plan has")

// First is [Plan] with [Options.Quick] and [Options.NoLP]. A program that calls nothing
// else needs neither linear programs nor the search, and is half as large: what a page on
// a slow network shows first.
func First(ctx context.Context, in *instance.Instance, opt Options) (*Result, error) {
	if err := opt.Without.Check(); err != nil {
		return nil, err
	}
	if in.Resumes() || long(in) {
		return nil, ErrNotFirst
	}
	opt.Quick, opt.NoLP, opt.EqualBaselines = true, true, false
	p, stop := newPlannerOf(ctx, in, opt, proveFirst)
	defer stop()
	if p.begin() {
		p.schedules(make(chan *instance.Schedule, 1))
		p.unplaceable()
	}
	return p.finish()
}

// proveFirst is [Certify] for the bounds that take no linear program.
func proveFirst(ctx context.Context, in *instance.Instance, c *Certificate) (relax.Proven, error) {
	return verify.Combinatorial(ctx, subject(in, c.Kind), c)
}
