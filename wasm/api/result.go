package api

import (
	"math"
	"strings"

	"jigsaw"
	"jigsaw/formulation/instance"
)

// PlanResult is a finished, or stopped, plan.
type PlanResult struct {
	Status      string       `json:"status"`
	Objective   string       `json:"objective"`
	Primal      *float64     `json:"primal"`
	Dual        *float64     `json:"dual"`
	Certified   bool         `json:"certified"`
	Gap         *float64     `json:"gap"`
	Efficiency  *float64     `json:"efficiency"`
	Baselines   Baselines    `json:"baselines"`
	Bounds      []BoundValue `json:"bounds"`
	Binding     []Binding    `json:"binding"`
	Reasons     []string     `json:"reasons"`
	Notes       []string     `json:"notes"`
	Series      []PlanPoint  `json:"series"`
	Schedule    *Schedule    `json:"schedule"`
	Usage       *Usage       `json:"usage"`
	Chain       []ChainLink  `json:"chain"`
	Completion  []int64      `json:"completion"`
	Certificate *string      `json:"certificate"`
	Command     string       `json:"command"`
	Seed        uint64       `json:"seed"`
	ElapsedMS   float64      `json:"elapsed_ms"`
	Stopped     bool         `json:"stopped"`
}

// Baselines are what a plan is compared with.
type Baselines struct {
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

// BoundValue is one proven bound.
type BoundValue struct {
	Kind      string  `json:"kind"`
	Value     float64 `json:"value"`
	Certified bool    `json:"certified"`
}

// Binding is one limit that the bound depends on.
type Binding struct {
	Resource string   `json:"resource"`
	Subject  string   `json:"subject"`
	Text     string   `json:"text"`
	Effect   float64  `json:"effect"`
	Lower    *float64 `json:"lower,omitempty"`
	Upper    *float64 `json:"upper,omitempty"`
}

func newPlanResult(r *jigsaw.Result) (*PlanResult, error) {
	p := &PlanResult{
		Status: string(r.Status), Objective: string(r.Instance.Objective),
		Primal: number(r.Primal), Dual: number(r.Dual), Certified: r.Certified,
		Baselines: Baselines{newBaseline(&r.Exclusive), newBaseline(&r.InterleavedFull), newBaseline(&r.Greedy)},
		Bounds:    []BoundValue{}, Binding: []Binding{}, Series: []PlanPoint{}, Chain: []ChainLink{}, Completion: []int64{},
		Reasons: append([]string{}, r.Reasons...), Notes: append([]string{}, r.Notes...),
		Seed: r.Seed, ElapsedMS: milliseconds(r.Elapsed),
	}
	if gap := r.Gap(); !math.IsNaN(gap) {
		p.Gap = &gap
	}
	for _, b := range r.Bounds {
		p.Bounds = append(p.Bounds, BoundValue{string(b.Kind), *number(b.Value), b.Certified})
	}
	for _, b := range r.Binding() {
		binding := Binding{Resource: b.Resource, Subject: b.Subject, Text: b.Text, Effect: b.Effect}
		if b.Ranged {
			binding.Lower, binding.Upper = finite(b.Lower), finite(b.Upper)
		}
		p.Binding = append(p.Binding, binding)
	}
	for _, point := range r.Series {
		p.Series = append(p.Series, newPlanPoint(point))
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

// schedule fills in what there is of a schedule.
func (p *PlanResult) schedule(r *jigsaw.Result) (err error) {
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
	return Baseline{number(b.Value), &b.Efficiency, b.Reason}
}

// finite returns f, or nil where it is no number to send.
func finite(f float64) *float64 {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return nil
	}
	return &f
}
