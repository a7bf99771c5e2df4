package api

import (
	"bytes"
	"context"

	"jigsaw"
	"jigsaw/formulation/instance/profiles"
)

type resilienceParams struct {
	Text string  `json:"text"`
	Seed float64 `json:"seed"`
}

// ResilienceAnswer is what the failure of each link and node does, and its picture as SVG. Harm is empty
// where there is no plan that could fail.
type ResilienceAnswer struct {
	jigsaw.ResilienceDocument
	Picture string `json:"picture"`
}

// Progress is how many of how many cases are done.
type Progress struct {
	Done int `json:"done"`
	Of   int `json:"of"`
}

// resilience lets every link and node fail in turn. Called off, it answers with those that were looked at.
func (a *API) resilience(ctx context.Context, p *resilienceParams, send func(Event)) (*ResilienceAnswer, error) {
	options, err := (&PlanOptions{Text: p.Text, Seed: p.Seed}).options()
	if err != nil {
		return nil, err
	}
	s, err := a.compiled.instance(p.Text)
	if err != nil {
		return nil, err
	}
	r, err := jigsaw.Resilience(ctx, s.document.Spec, profiles.Shipped(), jigsaw.ResilienceOptions{
		Seed: options.Seed, Failures: 1, Progress: func(done, of int) { send(Event{Progress: &Progress{done, of}}) },
	})
	if err != nil {
		return nil, err
	}
	answer := &ResilienceAnswer{ResilienceDocument: *r.Document()}
	if r.Plan.Schedule == nil {
		return answer, ctx.Err()
	}
	var picture bytes.Buffer
	err = r.Draw(&picture)
	answer.Picture = picture.String()
	return answer, err
}
