package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"time"

	"jigsaw"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
)

// newRecord starts a record of the case.
func newRecord(c *Case, solver string, way Way) (*Record, error) {
	digest, err := c.Digest()
	if err != nil {
		return nil, err
	}
	return &Record{Row: c.Row, Solver: solver, Digest: digest, Limit: way.Limit.Seconds(), Work: way.Work, Without: way.Without.String(), Optimum: jigsaw.Number(c.Optimum), Origin: Now()}, nil
}

// Measure plans the case in this process. Its memory is that of the whole
// process, so a process should measure once; see [Plan.Run]. A plan that fails,
// or that contradicts what is known of the instance, is a record of status
// [Failed].
func Measure(ctx context.Context, c *Case, way Way) (*Record, error) {
	r, err := newRecord(c, JigSaw, way)
	if err != nil {
		return nil, err
	}
	c.Witness = nil // not part of the planner's memory
	resetPeakMemory()
	start := time.Now()
	result, err := jigsaw.Plan(ctx, c.Instance, jigsaw.Options{Seed: c.Seed, Time: way.Limit, Effort: way.Work, Without: way.Without})
	r.Wall, r.PeakMemory = time.Since(start).Seconds(), peakMemory()
	if err == nil {
		r.fill(result)
		err = errors.Join(r.fillLong(result), c.contradiction(result.Schedule, result.Primal, result.Dual))
	}
	if err != nil {
		r.Status, r.Error = Failed, err.Error()
	}
	return r, nil
}

// fill copies the plan's result.
func (r *Record) fill(result *jigsaw.Result) {
	r.Status, r.Certified = string(result.Status), result.Certified
	r.Primal, r.Dual, r.Greedy = jigsaw.Number(result.Primal), jigsaw.Number(result.Dual), jigsaw.Number(result.Greedy.Value)
	if gap := result.Gap(); !math.IsNaN(gap) {
		r.Gap = &gap
	}
	if result.Schedule != nil {
		e := result.Efficiency()
		r.Efficiency = &e
	}
	for _, p := range result.Series {
		columns, nodes := int64(p.Columns), int64(p.Nodes)
		r.Columns, r.Nodes = &columns, &nodes
	}
	for _, to := range []struct {
		gap  float64
		time **float64
	}{{0.05, &r.TimeTo5}, {0.02, &r.TimeTo2}, {0.01, &r.TimeTo1}} {
		for _, p := range result.Series {
			if jigsaw.Gap(p.Primal, p.Dual) <= to.gap { // false for NaN
				seconds := p.Elapsed.Seconds()
				*to.time = &seconds
				break
			}
		}
	}
	// The baselines, which other solvers do not compute, may come after the proof.
	if result.Status == jigsaw.Optimal {
		r.proven(result.Proven().Seconds())
	}
}

// fillLong adds the figures of long plans: the baselines of whole jobs and at full depth, and the
// size of the file of the plan. The plan is checked once more.
func (r *Record) fillLong(result *jigsaw.Result) error {
	r.Queue, r.Exclusive, r.InterleavedFull = jigsaw.Number(result.Queue.Value), jigsaw.Number(result.Exclusive.Value), jigsaw.Number(result.InterleavedFull.Value)
	if result.Blocks == nil {
		return nil
	}
	e := result.Efficiency()
	r.Efficiency = &e
	file, err := json.Marshal(result.Document(false))
	r.PlanFile = int64(len(file))
	if v := check.Blocks(result.Instance, result.Blocks); len(v) > 0 {
		err = fmt.Errorf("bench: the plan is invalid: %v", v[0])
	}
	return err
}

// proven records when the optimum was proven. Some solvers check the clock
// rarely: for all solvers, late proofs do not count.
func (r *Record) proven(seconds float64) {
	if r.Limit == 0 || seconds <= r.Limit+1 {
		r.TimeToOptimum = &seconds
	}
}

// contradiction checks a solver's answer against the rules of a schedule and
// the optimum known by construction.
func (c *Case) contradiction(s *instance.Schedule, primal, dual *big.Rat) error {
	var errs []error
	if s != nil {
		if v := check.Schedule(c.Instance, s); len(v) > 0 {
			errs = append(errs, fmt.Errorf("bench: the schedule is invalid: %v", v[0]))
		} else if value := c.Instance.Value(s); value.Cmp(primal) != 0 {
			errs = append(errs, fmt.Errorf("bench: the schedule's value is %s, not %s", value.RatString(), primal.RatString()))
		}
	}
	better := c.Spec.Objective.Better
	if c.Optimum != nil && primal != nil && better(primal, c.Optimum) {
		errs = append(errs, fmt.Errorf("bench: the value %s is better than the optimum %s", primal.RatString(), c.Optimum.RatString()))
	}
	if c.Optimum != nil && dual != nil && better(c.Optimum, dual) {
		errs = append(errs, fmt.Errorf("bench: the optimum %s is better than the bound %s", c.Optimum.RatString(), dual.RatString()))
	}
	return errors.Join(errs...)
}
