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

// Violation is a violation of a rule for valid schedules.
type Violation struct {
	Rule    string `json:"rule"`
	Message string `json:"message"`
}

// judge checks a schedule whose tasks are moved by hand: it returns the rules violated, or else its value.
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
