package api

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"strings"

	"jigsaw"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
	"jigsaw/formulation/instance/codec"
)

type checkParams struct {
	Text     string `json:"text"`
	Schedule string `json:"schedule"`
}

type checkResult struct {
	Problems   []Problem   `json:"problems"`
	Violations []Violation `json:"violations"`
	Value      *float64    `json:"value"`
}

// Violation is one breach of the rules of a valid schedule.
type Violation struct {
	Rule    string `json:"rule"`
	Message string `json:"message"`
}

// check reads a schedule file and tests it. Mistakes in it are part of the answer.
func (a *API) check(_ context.Context, p *checkParams) (*checkResult, error) {
	s, err := a.compiled.instance(p.Text)
	if err != nil {
		return nil, err
	}
	r := &checkResult{Problems: []Problem{}, Violations: []Violation{}}
	schedule, err := r.read(s.in, p.Schedule)
	if schedule == nil {
		return r, err
	}
	r.Violations, r.Value = judged(s.in, schedule)
	return r, nil
}

type judgeParams struct {
	Text     string    `json:"text"`
	Schedule *Schedule `json:"schedule"`
}

type judgeResult struct {
	Violations []Violation `json:"violations"`
	Value      *float64    `json:"value"`
}

// judge tests a schedule in columns, as a hand moves its tasks.
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
	r := &judgeResult{}
	r.Violations, r.Value = judged(s.in, schedule)
	return r, nil
}

// judged says which rules a schedule breaks, and else its value.
func judged(in *instance.Instance, s *instance.Schedule) (list []Violation, value *float64) {
	list = []Violation{}
	for _, v := range check.Schedule(in, s) {
		list = append(list, Violation{v.Title(), v.String()})
	}
	if len(list) > 0 {
		return list, nil
	}
	return list, number(in.Value(s))
}

// read returns the schedule of a file, or nil and notes its problems.
func (r *checkResult) read(in *instance.Instance, text string) (*instance.Schedule, error) {
	s, err := codec.DecodeSchedule(in, strings.NewReader(text))
	var problems instance.Problems
	if errors.As(err, &problems) {
		r.Problems = problemList(problems)
		return nil, nil
	}
	return s, err
}

type certifyParams struct {
	Text        string  `json:"text"`
	Certificate string  `json:"certificate"`
	Schedule    *string `json:"schedule,omitempty"`
}

type certifyResult struct {
	Problems []Problem `json:"problems"`
	Bound    *float64  `json:"bound"`
	Kind     string    `json:"kind"`
	Gap      *float64  `json:"gap"`
	Message  string    `json:"message"`
}

// certify proves a certificate anew, and measures a schedule by it. What is
// wrong with either is part of the answer.
func (a *API) certify(ctx context.Context, p *certifyParams) (*certifyResult, error) {
	s, err := a.compiled.instance(p.Text)
	if err != nil {
		return nil, err
	}
	in := s.in
	certificate, err := jigsaw.DecodeCertificate(in, strings.NewReader(p.Certificate))
	var problems instance.Problems
	if errors.As(err, &problems) {
		return &certifyResult{Problems: problemList(problems), Message: "this is not a certificate about the instance"}, nil
	} else if err != nil {
		return nil, err
	}
	r := &certifyResult{Problems: []Problem{}, Kind: string(certificate.Kind)}
	proven, err := jigsaw.Certify(ctx, in, certificate)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		r.Message = fmt.Sprintf("the proof does not hold: %v", err)
		return r, nil
	}
	if certificate.Infeasible {
		r.Message = "proven: no valid schedule exists: " + strings.Join(proven.Infeasible, "; ")
	} else {
		r.Bound = number(proven.Value)
		side := "below"
		if in.Objective.Periodic() {
			side = "above"
		}
		r.Message = fmt.Sprintf("proven: no schedule has a %s %s %s", in.Objective, side, jigsaw.FormatValue(in, proven.Value))
	}
	if p.Schedule != nil {
		return r, r.judge(in, *p.Schedule, proven.Value)
	}
	return r, nil
}

// judge measures a schedule by the bound proven; nil is infeasibility.
func (r *certifyResult) judge(in *instance.Instance, text string, bound *big.Rat) error {
	var c checkResult
	s, err := c.read(in, text)
	if s == nil {
		r.Problems = c.Problems
		return err
	}
	if violations := check.Schedule(in, s); len(violations) > 0 {
		r.Message += "; the schedule is not valid: " + violations[0].String()
		return nil
	}
	value := in.Value(s)
	if bound == nil || in.Objective.Better(value, bound) {
		return errors.New("the schedule is valid although the certificate proves that there is none so good: one of the two checks is wrong; please report this")
	}
	gap := jigsaw.Gap(value, bound)
	if r.Gap = &gap; gap == 0 {
		r.Message += "; the schedule is optimal"
	} else {
		r.Message += fmt.Sprintf("; the schedule is within %.2g %% of it", 100*gap)
	}
	return nil
}
