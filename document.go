package jigsaw

import (
	"math"
	"math/big"

	"jigsaw/formulation/bound"
	"jigsaw/formulation/instance/codec"
	"jigsaw/formulation/instance/view"
)

// DocumentVersion is the version of [Document].
const DocumentVersion = 1

// Document is a [Result] as it is printed: `jigsaw plan -o json`. Times are in
// ticks of TickUS microseconds. Values are in the unit of the objective: ticks
// (makespan), weight x ticks (weighted completion), weighted iterations per
// tick (throughput), or a fraction (max-min throughput). What is not known is null.
type Document struct {
	SchemaVersion int    `json:"schema_version"`
	Instance      string `json:"instance"`
	Status        Status `json:"status"`
	Objective     string `json:"objective"`
	// Begin is the time of the plan's time 0, by the clock at the cluster; empty if it was not given.
	Begin       string   `json:"begin,omitempty"`
	PrimalBound *float64 `json:"primal_bound"`
	DualBound   *float64 `json:"dual_bound"`
	// Certified reports whether the dual bound, or the infeasibility, was proven
	// in exact arithmetic.
	Certified bool `json:"certified"`
	// Gap is |primal - dual| / max(|primal|, 1e-9); null if primal alone is 0.
	Gap *float64 `json:"gap"`
	// Baselines are objective values.
	Baselines BaselineValues `json:"baselines"`
	// Efficiency of the plan: full-depth work delivered per GPU-tick.
	Efficiency *float64 `json:"efficiency"`
	// BaselineEfficiency of each baseline.
	BaselineEfficiency BaselineValues `json:"baseline_efficiency"`
	// Cost where GPU types have prices.
	Cost   *CostValues  `json:"cost,omitempty"`
	TickUS int64        `json:"tick_us"`
	Seed   uint64       `json:"seed"`
	Bounds []BoundValue `json:"bounds"`
	// BindingBound is the bound that Binding is about; it may be weaker than DualBound.
	BindingBound *BoundValue         `json:"binding_bound,omitempty"`
	Binding      []BindingValue      `json:"binding,omitempty"`
	Reasons      []string            `json:"reasons,omitempty"`
	Notes        []string            `json:"notes,omitempty"`
	Series       []SeriesPoint       `json:"series"`
	Schedule     *codec.ScheduleJSON `json:"schedule"`
}

// BaselineValues holds a number for every baseline that has one.
type BaselineValues struct {
	Queue            *float64 `json:"queue"`
	Exclusive        *float64 `json:"exclusive"`
	InterleavedFull  *float64 `json:"interleaved_full"`
	FewerExclusive   *float64 `json:"fewer_exclusive"`
	FewerInterleaved *float64 `json:"fewer_interleaved"`
	Greedy           *float64 `json:"greedy"`
}

// baselines makes a number of every baseline.
func (r *Result) baselines(of func(*Baseline) *float64) BaselineValues {
	return BaselineValues{
		of(&r.Queue), of(&r.Exclusive), of(&r.InterleavedFull), of(&r.FewerExclusive), of(&r.FewerInterleaved), of(&r.Greedy),
	}
}

// BoundValue is one proven bound.
type BoundValue struct {
	Kind      string  `json:"kind"`
	Value     float64 `json:"value"`
	Certified bool    `json:"certified"`
}

// BindingValue is one limit that a bound depends on.
type BindingValue struct {
	// Resource is gpu, nic, uplink, fabric, memory, job or time.
	Resource string `json:"resource"`
	// Subject is the resource in words.
	Subject string `json:"subject"`
	Text    string `json:"text"`
	// Effect is the relative change of the bound per relative growth of the
	// resource, for growths from Lower to Upper if these are known.
	Effect float64  `json:"effect"`
	Lower  *float64 `json:"lower,omitempty"`
	Upper  *float64 `json:"upper,omitempty"`
}

// SeriesPoint is a [Point]; Time is in seconds.
type SeriesPoint struct {
	Time   float64  `json:"time"`
	Event  string   `json:"event"`
	Primal *float64 `json:"primal"`
	Dual   *float64 `json:"dual"`
	// Columns generated and Nodes of the search tree solved so far.
	Columns int `json:"columns"`
	Nodes   int `json:"nodes"`
}

// Document returns the printed form of the result. Timeless leaves out what
// differs between two equal runs: the series.
func (r *Result) Document(timeless bool) *Document {
	in := r.Instance
	d := &Document{
		SchemaVersion: DocumentVersion, Instance: in.Name, Status: r.Status, Objective: string(in.Objective),
		PrimalBound: Number(r.Primal), DualBound: Number(r.Dual), Certified: r.Certified,
		Baselines:          r.baselines(func(b *Baseline) *float64 { return Number(b.Value) }),
		BaselineEfficiency: r.baselines((*Baseline).efficiency),
		Cost:               r.costs(),
		TickUS:             in.TickUS, Seed: r.Seed, Reasons: r.Reasons, Notes: r.Notes,
		Bounds: []BoundValue{}, Series: []SeriesPoint{},
	}
	if !r.Begin.IsZero() {
		d.Begin = view.Begin(r.Begin)
	}
	for _, b := range r.Bounds {
		d.Bounds = append(d.Bounds, boundValue(&b))
	}
	telling := r.BindingBound()
	if telling.Value != nil {
		value := boundValue(&telling)
		d.BindingBound = &value
	}
	for _, b := range telling.Binding {
		value := BindingValue{Resource: b.Resource, Subject: b.Subject, Text: b.Text, Effect: b.Effect}
		if b.Ranged {
			value.Lower, value.Upper = finite(b.Lower), finite(b.Upper)
		}
		d.Binding = append(d.Binding, value)
	}
	if !timeless {
		for _, p := range r.Series {
			d.Series = append(d.Series, SeriesPoint{p.Elapsed.Seconds(), p.Event, Number(p.Primal), Number(p.Dual), p.Columns, p.Nodes})
		}
	}
	if gap := r.Gap(); !math.IsNaN(gap) {
		d.Gap = &gap
	}
	if p := r.plan(); p != nil {
		d.Efficiency, d.Schedule = new(p.Efficiency(in)), codec.NewScheduleJSON(in, p)
	}
	return d
}

func boundValue(b *bound.Bound) BoundValue {
	return BoundValue{string(b.Kind), *Number(b.Value), b.Certified}
}

func (b *Baseline) efficiency() *float64 {
	if b.Value == nil {
		return nil
	}
	return &b.Efficiency
}

// finite returns f, or nil where JSON has no number for it.
func finite(f float64) *float64 {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		return nil
	}
	return &f
}

// Number rounds an exact value to the nearest float64; nil stays nil.
func Number(v *big.Rat) *float64 {
	if v == nil {
		return nil
	}
	f, _ := v.Float64()
	return &f
}
