package api

import (
	"bytes"
	"cmp"
	"context"

	"jigsaw"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/change"
	"jigsaw/formulation/instance/codec"
	"jigsaw/formulation/instance/profiles"
	"jigsaw/whatif"
)

// WhatIfChange is a change of the cluster or the jobs.
type WhatIfChange struct {
	Kind    string  `json:"kind"`
	Subject string  `json:"subject"`
	Factor  float64 `json:"factor,omitempty"`
}

type whatIfParams struct {
	PlanOptions
	Change WhatIfChange `json:"change"`
}

// WhatIfAnswer is what a change does.
type WhatIfAnswer struct {
	Change     WhatIfChange `json:"change"`
	Predicted  *float64     `json:"predicted"`
	Verified   *float64     `json:"verified"`
	PlanBefore *float64     `json:"plan_before"`
	PlanAfter  *float64     `json:"plan_after"`
	Reasons    []string     `json:"reasons"`
}

func (c WhatIfChange) change() change.Change {
	return change.Change{Kind: change.Kind(c.Kind), Subject: c.Subject, Factor: c.Factor}
}

// whatIf plans an instance with and without a change.
func (a *API) whatIf(ctx context.Context, p *whatIfParams) (*WhatIfAnswer, error) {
	options, err := p.options()
	if err != nil {
		return nil, err
	}
	s, err := a.compiled.instance(p.Text)
	if err != nil {
		return nil, err
	}
	change := p.Change.change()
	r, err := whatif.Compare(ctx, s.document.Spec, profiles.Shipped(), change, options)
	if err == nil {
		err = ctx.Err() // no answer rather than half of one
	}
	if err != nil {
		return nil, err
	}
	answer := &WhatIfAnswer{
		Change: p.Change, Predicted: r.Predicted, Verified: r.Verified(),
		PlanBefore: jigsaw.Number(r.Before.Primal), Reasons: append([]string{}, r.Reasons...),
	}
	if r.After != nil {
		answer.PlanAfter = jigsaw.Number(r.After.Primal)
	}
	return answer, nil
}

type changeParams struct {
	Text    string         `json:"text"`
	Changes []WhatIfChange `json:"changes"`
}

type changeResult struct {
	Spec JSON `json:"spec"`
}

// change makes independent changes; the resulting file is not compiled.
func (a *API) change(_ context.Context, p *changeParams) (*changeResult, error) {
	s, err := a.compiled.instance(p.Text)
	if err != nil {
		return nil, err
	}
	spec := s.document.Spec
	for _, c := range p.Changes {
		if spec, err = c.change().Apply(spec, s.in); err != nil {
			return nil, invalid("%v", err)
		}
	}
	changed, err := newSpec(spec)
	return &changeResult{changed}, err
}

func newSpec(spec *instance.Spec) (JSON, error) {
	var text bytes.Buffer
	err := codec.EncodeJSON(&text, spec)
	return text.Bytes(), err
}

type remediesResult struct {
	Remedies []Remedy `json:"remedies"`
	// Jobs is [whatif.Mend.Jobs].
	Jobs int `json:"jobs"`
}

// Remedy is a change that gives an instance without a plan one.
type Remedy struct {
	Text string `json:"text"`
	Spec JSON   `json:"spec"`
}

// remedies lists changes that give an instance without a plan one.
func (a *API) remedies(ctx context.Context, p *textParams) (*remediesResult, error) {
	s, err := a.compiled.instance(p.Text)
	if err != nil {
		return nil, err
	}
	found, err := whatif.Remedies(ctx, s.document.Spec, profiles.Shipped())
	if err = cmp.Or(err, ctx.Err()); err != nil {
		return nil, err
	}
	r := &remediesResult{[]Remedy{}, found.Jobs}
	for _, remedy := range found.Remedies {
		spec, err := newSpec(remedy.Spec)
		if err != nil {
			return nil, err
		}
		r.Remedies = append(r.Remedies, Remedy{remedy.Text, spec})
	}
	return r, nil
}
