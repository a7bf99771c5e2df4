package api

import (
	"bytes"
	"context"

	"jigsaw/formulation/instance/profiles"
	"jigsaw/whatif"
)

type resilienceParams struct {
	Text string  `json:"text"`
	Seed float64 `json:"seed"`
}

// ResilienceAnswer is the effect of the failure of each link and node, and its picture as SVG. Harm is empty
// if there is no plan.
type ResilienceAnswer struct {
	whatif.ResilienceDocument
	Picture string `json:"picture"`
}

// Progress counts the cases done, and all cases.
type Progress struct {
	Done int `json:"done"`
	Of   int `json:"of"`
}

// resilience examines the failure of every link and node. If it is cancelled, it answers with the cases examined so far.
func (a *API) resilience(ctx context.Context, p *resilienceParams, send func(Event)) (*ResilienceAnswer, error) {
	options, err := (&PlanOptions{Text: p.Text, Seed: p.Seed}).options()
	if err != nil {
		return nil, err
	}
	s, err := a.compiled.instance(p.Text)
	if err != nil {
		return nil, err
	}
	r, err := whatif.Resilience(ctx, s.document.Spec, profiles.Shipped(), whatif.ResilienceOptions{
		Seed: options.Seed, Failures: 1, Progress: func(done, of int) { send(Event{Progress: &Progress{done, of}}) },
	})
	if err != nil {
		return nil, err
	}
	answer := &ResilienceAnswer{ResilienceDocument: *r.Document()}
	if r.Plan.Primal == nil {
		return answer, ctx.Err()
	}
	var picture bytes.Buffer
	err = r.Draw(&picture)
	answer.Picture = picture.String()
	return answer, err
}
