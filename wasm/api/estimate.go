package api

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/profiles/estimate"
)

// EstimateParams describe a model: by a Hugging Face config.json, by the dimensions of a transformer, or by a config.json
// with some dimensions replaced.
type EstimateParams struct {
	// Text of the scenario, whose GPU types the estimates are for.
	Text          string        `json:"text"`
	Model         string        `json:"model"`
	Config        string        `json:"config,omitempty"`
	Architecture  *Architecture `json:"architecture,omitempty"`
	Batch         int           `json:"batch"`
	Sequence      int           `json:"sequence,omitempty"`
	Precision     string        `json:"precision,omitempty"`
	Checkpointing bool          `json:"checkpointing,omitempty"`
	Group         int           `json:"gpus_per_worker,omitempty"`
}

// Architecture has the dimensions of a transformer that sliders show; see [estimate.Transformer].
type Architecture struct {
	Type       string `json:"type"`
	Layers     int64  `json:"layers"`
	Hidden     int64  `json:"hidden"`
	Heads      int64  `json:"heads"`
	KVHeads    int64  `json:"kv_heads"`
	FFN        int64  `json:"ffn"`
	Vocabulary int64  `json:"vocabulary"`
	Positions  int64  `json:"positions"`
}

// EstimateResult has profiles as in instance files, one for each known GPU type.
type EstimateResult struct {
	Architecture Architecture `json:"architecture"`
	Profiles     JSON         `json:"profiles"`
	Estimates    []Estimate   `json:"estimates"`
	// Missing names GPU types of the cluster whose specifications are not known.
	Missing []string `json:"missing"`
}

// Estimate summarises a profile on a GPU: times in milliseconds, memory in bytes.
type Estimate struct {
	GPU         string  `json:"gpu"`
	Parameters  int64   `json:"parameters"`
	Active      int64   `json:"active"` // parameters per token
	ForwardMS   float64 `json:"forward_ms"`
	BackwardMS  float64 `json:"backward_ms"`
	Activations int64   `json:"activations"`
	MFU         float64 `json:"mfu"`
}

// estimate makes profiles for the cluster's GPU types.
func (a *API) estimate(_ context.Context, p *EstimateParams) (*EstimateResult, error) {
	var t *estimate.Transformer
	var err error
	switch {
	case p.Config != "":
		t, err = estimate.ReadConfig(strings.NewReader(p.Config))
	case p.Architecture != nil:
		t = &estimate.Transformer{Type: p.Architecture.Type}
	default:
		err = fmt.Errorf("estimate: say what to estimate: a config.json, or the figures of an architecture")
	}
	if err == nil && p.Architecture != nil {
		p.Architecture.over(t)
		err = t.Complete()
	}
	if err != nil {
		return nil, plain(err)
	}
	s, err := a.compiled.read(p.Text)
	if err != nil {
		return nil, err
	}
	if s.document == nil {
		return nil, invalid("the scenario cannot be read: fix it, because its GPU types are needed")
	}
	known, missing := estimate.Known(s.document.Spec)
	if len(known) == 0 {
		return nil, invalid("no figures are known for the cluster's GPU types (%s); choose another GPU, or write profiled_as: [{gpu: a100}]", strings.Join(missing, ", "))
	}
	r := &EstimateResult{
		Architecture: Architecture{t.Type, t.Layers, t.Hidden, t.Heads, t.KVHeads, t.Intermediate, t.Vocabulary, t.Positions},
		Missing:      append([]string{}, missing...),
	}
	o := estimate.Options{Model: p.Model, Transformer: t, Batch: p.Batch, Sequence: p.Sequence, Precision: estimate.Precision(p.Precision), Checkpointing: p.Checkpointing, GPUs: p.Group}
	if o.Precision == "" { // one for all: a job may use several types
		o.Precision = estimate.Common(known)
	}
	var list []*instance.Profile
	for _, o.GPU = range known {
		profile, summary, err := estimate.Profile(o)
		if err != nil {
			return nil, plain(err)
		}
		list = append(list, profile)
		r.Estimates = append(r.Estimates, Estimate{profile.GPU, summary.Parameters, summary.Active, float64(summary.Forward) / 1e6, float64(summary.Backward) / 1e6,
			int64(summary.Activations), summary.MFU})
	}
	r.Profiles, err = json.Marshal(list)
	return r, err
}

// over replaces dimensions of a model. Values derived from them are derived again.
func (f *Architecture) over(t *estimate.Transformer) {
	if t.Heads > 0 && t.HeadSize == t.Hidden/t.Heads {
		t.HeadSize = 0
	}
	if e := t.Experts; e != nil && e.Intermediate == t.Intermediate {
		e.Intermediate = f.FFN
	}
	t.Layers, t.Hidden, t.Heads, t.KVHeads, t.Intermediate, t.Vocabulary, t.Positions = f.Layers, f.Hidden, f.Heads, f.KVHeads, f.FFN, f.Vocabulary, f.Positions
	if t.Latent != nil {
		t.KVHeads = t.Heads
	}
}

// plain is an error of package estimate without its prefix.
func plain(err error) error {
	return invalid("%s", strings.ReplaceAll(err.Error(), "estimate: ", ""))
}
