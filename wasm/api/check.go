package api

import (
	"context"

	"jigsaw"
	"jigsaw/formulation/instance/check"
)

type judgeParams struct {
	Text     string    `json:"text"`
	Schedule *Schedule `json:"schedule"`
}

type judgeResult struct {
	Violations []Violation `json:"violations"`
	Value      *float64    `json:"value"`
}

// Violation is one breach of the rules of a valid schedule.
type Violation struct {
	Rule    string `json:"rule"`
	Message string `json:"message"`
}

// judge tests a schedule, as a hand moves its tasks: which rules it breaks, and else its value.
func (a *API) judge(_ context.Context, p *judgeParams) (*judgeResult, error) {
	s, err := a.compiled.instance(p.Text)
	if err != nil {
		return nil, err
	}
	if p.Schedule == nil {
		return nil, invalid("this needs a schedule")
	}
	schedule, err := p.Schedule.schedule()
	if err != nil {
		return nil, err
	}
	r := &judgeResult{Violations: []Violation{}}
	for _, v := range check.Schedule(s.in, schedule) {
		r.Violations = append(r.Violations, Violation{v.Title(), v.String()})
	}
	if len(r.Violations) == 0 {
		r.Value = jigsaw.Number(s.in.Value(schedule))
	}
	return r, nil
}
