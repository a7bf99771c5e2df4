package api

import (
	"bytes"
	"context"

	"jigsaw"
	"jigsaw/formulation/instance"
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
	Label      string       `json:"label"`
	Predicted  *float64     `json:"predicted"`
	Before     *float64     `json:"before"`
	After      *float64     `json:"after"`
	Verified   *float64     `json:"verified"`
	PlanBefore *float64     `json:"plan_before"`
	PlanAfter  *float64     `json:"plan_after"`
	Reasons    []string     `json:"reasons"`
	Text       string       `json:"text"`
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
	models, err := jigsaw.Models()
	if err != nil {
		return nil, err
	}
	change := jigsaw.Change{Kind: jigsaw.ChangeKind(p.Change.Kind), Subject: p.Change.Subject, Factor: p.Change.Factor}
	r, err := jigsaw.WhatIf(ctx, s.document.Spec, models, change, options)
	if err == nil {
		err = ctx.Err() // half of an answer is none
	}
	if err != nil {
		return nil, err
	}
	answer := &WhatIfAnswer{
		Change: p.Change, Label: change.String(), Predicted: r.Predicted, Verified: r.Verified(),
		Before: number(r.Before.Dual), PlanBefore: number(r.Before.Primal), Reasons: append([]string{}, r.Reasons...),
	}
	if r.After != nil {
		answer.After, answer.PlanAfter = number(r.After.Dual), number(r.After.Primal)
	}
	var text bytes.Buffer
	if err := instance.EncodeYAML(&text, r.Spec); err != nil {
		return nil, err
	}
	answer.Text = text.String()
	return answer, nil
}
