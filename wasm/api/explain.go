package api

import (
	"context"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/view"
)

type explainParams struct {
	Text     string    `json:"text"`
	Schedule *Schedule `json:"schedule"`
	Job      *int      `json:"job,omitempty"`
}

type explainResult struct {
	Chain []ChainLink `json:"chain"`
}

// explain explains why a job, or the whole schedule, ends when it does.
func (a *API) explain(_ context.Context, p *explainParams) (*explainResult, error) {
	s, err := a.compiled.instance(p.Text)
	if err != nil {
		return nil, err
	}
	schedule, err := p.Schedule.valid(s.in)
	if err != nil {
		return nil, err
	}
	job := instance.NoJob
	if p.Job != nil {
		if job = instance.JobID(*p.Job); job < 0 || int(job) >= len(s.in.Jobs) {
			return nil, invalid("there is no job %d: the instance has %d", job, len(s.in.Jobs))
		}
	}
	chain, err := newChain(s.in, schedule, job)
	return &explainResult{chain}, err
}

// ChainLink is one element of a critical chain.
type ChainLink struct {
	Kind    string `json:"kind"`
	Index   int    `json:"index"`
	Because string `json:"because"`
	Text    string `json:"text"`
}

func newChain(in *instance.Instance, s *instance.Schedule, job instance.JobID) ([]ChainLink, error) {
	links, err := view.Chain(in, s, job)
	if err != nil {
		return nil, err
	}
	chain := make([]ChainLink, len(links))
	for i, l := range links {
		kind := "task"
		if l.Sync {
			kind = "sync"
		}
		chain[i] = ChainLink{kind, l.Index, string(l.Because), l.Text}
	}
	return chain, nil
}
