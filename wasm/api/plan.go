package api

import (
	"context"
	"errors"
	"math"
	"sync"
	"time"

	"jigsaw"
	"jigsaw/formulation/instance"
)

// PlanOptions choose a plan.
type PlanOptions struct {
	Text   string  `json:"text"`
	Seed   float64 `json:"seed"`
	Quick  bool    `json:"quick,omitempty"`
	Effort int     `json:"effort,omitempty"`
	TimeMS float64 `json:"time_ms,omitempty"`
	Gap    float64 `json:"gap,omitempty"`
}

// Limits of a page's options; larger values are mistakes.
const (
	maxSeed   = 1<<53 - 1
	maxEffort = 1000
	maxTimeMS = 24 * 60 * 60 * 1000
)

// options returns the options in the facade's terms.
func (p *PlanOptions) options() (jigsaw.Options, error) {
	var o jigsaw.Options
	switch {
	case p.Seed < 0 || p.Seed > maxSeed || p.Seed != math.Trunc(p.Seed):
		return o, invalid("seed %v: it is a whole number from 0 to 2^53 - 1", p.Seed)
	case p.Effort < 0 || p.Effort > maxEffort:
		return o, invalid("effort %d: choose 0 to %d", p.Effort, maxEffort)
	case !(p.TimeMS >= 0 && p.TimeMS <= maxTimeMS):
		return o, invalid("time_ms %v: choose 0, which is no limit, to %d", p.TimeMS, maxTimeMS)
	case !(p.Gap >= 0 && p.Gap < 1):
		return o, invalid("gap %v: choose a fraction below 1, like 0.01", p.Gap)
	}
	return jigsaw.Options{
		MostWritten: maxWritten,
		Seed:        uint64(p.Seed), Quick: p.Quick, Effort: p.Effort, Gap: p.Gap,
		Time: time.Duration(p.TimeMS * float64(time.Millisecond)),
	}, nil
}

// PlanPoint is the state of a plan that is being made.
type PlanPoint struct {
	ElapsedMS float64  `json:"elapsed_ms"`
	Event     string   `json:"event"`
	Primal    *float64 `json:"primal"`
	Dual      *float64 `json:"dual"`
	Columns   int      `json:"columns"`
	Nodes     int      `json:"nodes"`
}

func newPlanPoint(p jigsaw.Point) PlanPoint {
	return PlanPoint{milliseconds(p.Elapsed), p.Event, jigsaw.Number(p.Primal), jigsaw.Number(p.Dual), p.Columns, p.Nodes}
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func (a *API) plan(ctx context.Context, p *PlanOptions, send func(Event)) (*PlanResult, error) {
	return a.run(ctx, p, send, jigsaw.Plan)
}

// first plans quickly; whatever takes longer is a method that this API lacks.
func (a *API) first(ctx context.Context, p *PlanOptions, send func(Event)) (*PlanResult, error) {
	r, err := a.run(ctx, p, send, jigsaw.First)
	if errors.Is(err, jigsaw.ErrNotFirst) || !p.Quick {
		return nil, &Error{Code: UnknownMethod, Message: "plan: only quick plans of single tasks"}
	}
	return r, err
}

// runner is [jigsaw.Plan] or [jigsaw.First].
type runner func(context.Context, *instance.Instance, jigsaw.Options) (*jigsaw.Result, error)

func (a *API) run(ctx context.Context, p *PlanOptions, send func(Event), run runner) (*PlanResult, error) {
	options, err := p.options()
	if err != nil {
		return nil, err
	}
	s, err := a.compiled.instance(p.Text)
	if err != nil {
		return nil, err
	}
	w := &watcher{in: s.in, send: send}
	options.Progress, options.Incumbent, options.Blocks = w.progress, w.incumbent, w.blocks
	r, err := run(ctx, s.in, options)
	w.end()
	if err != nil {
		return nil, err
	}
	result, err := newPlanResult(r)
	if err != nil {
		return nil, err
	}
	result.Quick, result.Effort, result.Stopped = p.Quick, p.Effort, ctx.Err() != nil
	return result, nil
}

// pointEvery is the least time between two points that are sent.
const pointEvery = 100 * time.Millisecond

// watcher sends the progress of a run to the page: at most ten points a second, always
// the latest, and every incumbent that the page should show, with the latest point.
// The result has all points in its series.
type watcher struct {
	in   *instance.Instance
	send func(Event)

	mu    sync.Mutex
	point PlanPoint   // the latest
	fresh bool        // it has not been sent
	timer *time.Timer // sends it
	last  time.Time   // when one was sent
	ended bool
}

func (w *watcher) progress(p jigsaw.Point) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.point, w.fresh = newPlanPoint(p), true
	if wait := pointEvery - time.Since(w.last); wait <= 0 {
		w.tell(nil, nil)
	} else if w.timer == nil {
		w.timer = time.AfterFunc(wait, w.due)
	}
}

func (w *watcher) due() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer = nil
	if w.fresh {
		w.tell(nil, nil)
	}
}

func (w *watcher) incumbent(s *instance.Schedule) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.tell(newSchedule(w.in, s), nil)
}

func (w *watcher) blocks(s *instance.BlockSchedule) {
	long := newLongPlan(w.in, s)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.tell(nil, long)
}

// tell sends the latest point unless the run has ended. The caller holds mu.
func (w *watcher) tell(s *Schedule, long *LongPlan) {
	if w.ended {
		return
	}
	w.send(Event{Point: w.point, Schedule: s, Long: long})
	w.last, w.fresh = time.Now(), false
}

// end stops the watcher: nothing is sent after it returns.
func (w *watcher) end() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended = true
	if w.timer != nil {
		w.timer.Stop()
	}
}
