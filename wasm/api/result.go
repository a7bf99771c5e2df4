package api

import (
	"strings"

	"jigsaw"
	"jigsaw/formulation/instance"
)

// PlanResult is the result of a finished or stopped run.
type PlanResult struct {
	Status       string                `json:"status"`
	Objective    string                `json:"objective"`
	Primal       *float64              `json:"primal"`
	Dual         *float64              `json:"dual"`
	Certified    bool                  `json:"certified"`
	Gap          *float64              `json:"gap"`
	Efficiency   *float64              `json:"efficiency"`
	Baselines    Baselines             `json:"baselines"`
	Bounds       []jigsaw.BoundValue   `json:"bounds"`
	BindingBound *jigsaw.BoundValue    `json:"binding_bound"`
	Binding      []jigsaw.BindingValue `json:"binding"`
	Reasons      []string              `json:"reasons"`
	Notes        []string              `json:"notes"`
	Series       []PlanPoint           `json:"series"`
	Schedule     *Schedule             `json:"schedule"`
	Long         *LongPlan             `json:"long"`
	Usage        *Usage                `json:"usage"`
	Chain        []ChainLink           `json:"chain"`
	Completion   []int64               `json:"completion"`
	Cost         *PlanCost             `json:"cost"`
	Certificate  *string               `json:"certificate"`
	Seed         uint64                `json:"seed"`
	Quick        bool                  `json:"quick"`
	Effort       int                   `json:"effort"`
	ElapsedMS    float64               `json:"elapsed_ms"`
	Stopped      bool                  `json:"stopped"`
}

// PlanCost is what a plan costs if GPU types have prices, and the least that any plan costs; for a plan that repeats,
// per hour.
type PlanCost struct {
	Plan    *float64 `json:"plan"`
	AtLeast *float64 `json:"at_least"`
}

// Baselines are the schedules with which a plan is compared.
type Baselines struct {
	Queue           Baseline `json:"queue"`
	Exclusive       Baseline `json:"exclusive"`
	InterleavedFull Baseline `json:"interleaved_full"`
	Greedy          Baseline `json:"greedy"`
}

// Baseline is the outcome of one way of scheduling; Reason says why there is no value.
type Baseline struct {
	Value      *float64 `json:"value"`
	Efficiency *float64 `json:"efficiency"`
	Reason     string   `json:"reason"`
}

func newPlanResult(r *jigsaw.Result) (*PlanResult, error) {
	head := *r
	head.Schedule, head.Blocks = nil, nil // the page has them in columns
	d := head.Document(true)
	p := &PlanResult{
		Status: string(d.Status), Objective: d.Objective,
		Primal: d.PrimalBound, Dual: d.DualBound, Certified: d.Certified, Gap: d.Gap,
		Baselines: Baselines{
			newBaseline(&r.Queue), newBaseline(&r.Exclusive), newBaseline(&r.InterleavedFull), newBaseline(&r.Greedy),
		},
		Bounds: d.Bounds, BindingBound: d.BindingBound, Binding: append([]jigsaw.BindingValue{}, d.Binding...),
		Series: []PlanPoint{}, Chain: []ChainLink{}, Completion: []int64{},
		Reasons: append([]string{}, d.Reasons...), Notes: append([]string{}, d.Notes...),
		Seed: d.Seed, ElapsedMS: milliseconds(r.Elapsed),
	}
	for _, point := range r.Series {
		p.Series = append(p.Series, newPlanPoint(point))
	}
	if d.Cost != nil {
		p.Cost = &PlanCost{jigsaw.Number(r.Cost()), d.Cost.AtLeast}
	}
	if r.Proof != nil {
		var proof strings.Builder
		if err := jigsaw.EncodeCertificate(&proof, r.Proof); err != nil {
			return nil, err
		}
		text := proof.String()
		p.Certificate = &text
	}
	return p, p.schedule(r)
}

// schedule fills in the schedule, if there is one.
func (p *PlanResult) schedule(r *jigsaw.Result) (err error) {
	if r.Blocks != nil {
		efficiency := r.Efficiency()
		_, to := r.Blocks.Spans(r.Instance)
		p.Efficiency, p.Long, p.Completion = &efficiency, newLongPlan(r.Instance, r.Blocks), integers[int64](to)
	}
	if r.Schedule == nil {
		return nil
	}
	in, s := r.Instance, canonical(r.Schedule)
	efficiency := r.Efficiency()
	p.Efficiency = &efficiency
	p.Schedule = newSchedule(in, s)
	if in.Objective.Periodic() {
		p.Completion = integers[int64](s.Iterations(in))
	} else {
		p.Completion = integers[int64](s.Completion(in))
	}
	if p.Chain, err = newChain(in, s, instance.NoJob); err != nil {
		return err
	}
	p.Usage, err = newUsage(in, s)
	return err
}

func newBaseline(b *jigsaw.Baseline) Baseline {
	if b.Value == nil {
		return Baseline{Reason: b.Reason}
	}
	return Baseline{jigsaw.Number(b.Value), &b.Efficiency, b.Reason}
}
