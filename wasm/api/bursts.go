package api

import (
	"bytes"
	"context"

	"jigsaw"
	"jigsaw/formulation/instance/profiles"
	"jigsaw/whatif"
)

// special says which method plans a scenario that [API.plan] does not: its jobs are burst-parallel, or their
// numbers of workers are to be chosen. Empty for all others.
func (s *scenario) special() string {
	switch {
	case s.document == nil || s.problems != nil:
	case s.document.Spec.Bursts():
		return "plan_bursts"
	case s.document.Spec.Molds():
		return "mold"
	}
	return ""
}

// BurstAnswer is a plan of burst-parallel jobs and of the background jobs that run on GPUs these leave idle. Times
// are in ns, rates in GPUs' worth of time. If there is no plan, reasons say why.
type BurstAnswer struct {
	Status     string          `json:"status"`
	Jobs       []BurstJob      `json:"jobs"`
	Background []BackgroundJob `json:"background"`
	Rate       float64         `json:"rate"`
	Bound      float64         `json:"bound"`
	Notes      []string        `json:"notes"`
	Reasons    []string        `json:"reasons"`
}

// BurstJob is a burst-parallel job: the time of its iteration on one GPU, with every layer on all GPUs, and in
// bursts, and its period, including delays by background jobs. Stages are their numbers of GPUs.
type BurstJob struct {
	Name         string  `json:"name"`
	Node         string  `json:"node"`
	GPUs         int     `json:"gpus"`
	Stages       []int   `json:"stages"`
	OneGPU       int64   `json:"one_gpu_ns"`
	DataParallel int64   `json:"data_parallel_ns"`
	Time         int64   `json:"time_ns"`
	GPUTime      int64   `json:"gpu_time_ns"`
	Period       int64   `json:"period_ns"`
	Slowdown     float64 `json:"slowdown"`
	// Picture of one period, as SVG.
	Picture string `json:"picture"`
}

// BackgroundJob is a background job; Node is empty if no GPU has room.
type BackgroundJob struct {
	Name      string  `json:"name"`
	Node      string  `json:"node"`
	GPU       int     `json:"gpu"`
	Rate      float64 `json:"rate"`
	PerSecond float64 `json:"per_second"`
}

// planBursts plans a scenario of burst-parallel jobs.
func (a *API) planBursts(_ context.Context, p *textParams) (*BurstAnswer, error) {
	s, err := a.compiled.read(p.Text)
	if err != nil {
		return nil, err
	}
	if s.special() != "plan_bursts" {
		return nil, invalid("plan_bursts: the file has no burst-parallel jobs")
	}
	in, err := s.document.CompileBursts(profiles.Shipped())
	if err != nil {
		return nil, err
	}
	r, err := jigsaw.PlanBursts(in)
	if err != nil {
		return nil, err
	}
	d := &r.Document
	answer := &BurstAnswer{
		Status: string(d.Status), Jobs: []BurstJob{}, Background: []BackgroundJob{}, Rate: d.Rate, Bound: d.Bound,
		Notes: append([]string{}, d.Notes...), Reasons: append([]string{}, d.Reasons...),
	}
	for i := range d.Jobs {
		j := &d.Jobs[i]
		var picture bytes.Buffer
		if err := r.Draw(&picture, i); err != nil {
			return nil, err
		}
		job := BurstJob{j.Name, j.Node, j.GPUs, []int{}, int64(j.OneGPU), int64(j.DataParallel), int64(j.Time), int64(j.GPUTime), int64(j.Period), j.Slowdown, picture.String()}
		for _, stage := range j.Stages {
			job.Stages = append(job.Stages, stage.GPUs)
		}
		answer.Jobs = append(answer.Jobs, job)
	}
	for _, b := range d.Background {
		job := BackgroundJob{Name: b.Name, Node: b.Node, Rate: b.Rate, PerSecond: b.PerSecond}
		if b.Node != "" {
			job.GPU = in.Nodes[in.GPUs[b.GPU].Node].Place(b.GPU)
		}
		answer.Background = append(answer.Background, job)
	}
	return answer, nil
}

// MoldAnswer has the numbers of workers that were tried for the named jobs, the file with those chosen, and a bound on the
// makespan over all numbers, in ticks. The first in Tried is the choice; Choices counts all combinations.
type MoldAnswer struct {
	Jobs    []string  `json:"jobs"`
	Tried   []MoldTry `json:"tried"`
	Choices int       `json:"choices"`
	Spec    JSON      `json:"spec"`
	TickUS  int64     `json:"tick_us"`
	Bound   *float64  `json:"bound"`
}

// MoldTry is the numbers of workers of the jobs, and the value of the quick plan with them; null if there is none.
type MoldTry struct {
	Workers []int    `json:"workers"`
	Value   *float64 `json:"value"`
}

// mold chooses numbers of workers by quick plans; the file with them is then planned like any other.
func (a *API) mold(ctx context.Context, p *PlanOptions) (*MoldAnswer, error) {
	options, err := p.options()
	if err != nil {
		return nil, err
	}
	s, err := a.compiled.read(p.Text)
	if err != nil {
		return nil, err
	}
	if s.special() != "mold" {
		return nil, invalid("mold: the file has no moldable jobs")
	}
	r, err := whatif.Mold(ctx, s.document.Spec, profiles.Shipped(), options)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	answer := &MoldAnswer{Jobs: []string{}, TickUS: r.Result.Instance.TickUS, Bound: jigsaw.Number(r.Bound), Choices: r.Choices}
	var moldable []int
	for i, j := range s.document.Spec.Jobs {
		if !j.Disabled && len(j.Moldable) > 0 {
			answer.Jobs, moldable = append(answer.Jobs, j.Name), append(moldable, i)
		}
	}
	for _, tried := range r.Tried {
		try := MoldTry{Workers: []int{}, Value: jigsaw.Number(tried.Value)}
		for _, i := range moldable {
			try.Workers = append(try.Workers, tried.Workers[i])
		}
		answer.Tried = append(answer.Tried, try)
	}
	answer.Spec, err = newSpec(r.Spec)
	return answer, err
}
