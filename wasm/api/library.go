package api

import (
	"context"

	"jigsaw"
)

// Version describes the core. Engine is empty if there is none; then EngineMissing
// says why.
type Version struct {
	Version       string `json:"version"`
	Engine        string `json:"engine"`
	EngineMissing string `json:"engine_missing"`
}

// Build describes this build.
func Build() Version {
	v := Version{Version: jigsaw.Version()}
	engine, err := jigsaw.Engine()
	if v.Engine = engine; err != nil {
		v.EngineMissing = err.Error()
	}
	return v
}

func (a *API) version(context.Context, *none) (Version, error) { return Build(), nil }

// ProfileInfo is a profile of the library. Times are in nanoseconds, sizes in bytes.
type ProfileInfo struct {
	Model  string         `json:"model"`
	GPU    string         `json:"gpu"`
	Batch  int            `json:"batch"`
	GPUs   int            `json:"gpus"` // of a worker
	Source *ProfileSource `json:"source"`
	// Estimated says what it was estimated from; empty if it was measured.
	Estimated string      `json:"estimated"`
	Layers    []LayerInfo `json:"layers"`
}

// ProfileSource says where the figures of a profile come from.
type ProfileSource struct {
	Repository string `json:"repository"`
	Commit     string `json:"commit"`
	File       string `json:"file"`
	Licence    string `json:"licence"`
	Note       string `json:"note,omitempty"`
}

// LayerInfo is a layer of a profile.
type LayerInfo struct {
	Name        string `json:"name"`
	ForwardNS   int64  `json:"forward_ns"`
	BackwardNS  int64  `json:"backward_ns"`
	Parameters  int64  `json:"parameters"`
	Activations int64  `json:"activations"`
	Joined      bool   `json:"joined"`
}

func (a *API) profiles(context.Context, *none) ([]ProfileInfo, error) {
	library, err := jigsaw.Profiles()
	if err != nil {
		return nil, err
	}
	var list []ProfileInfo
	for _, p := range library.All() {
		info := ProfileInfo{Model: p.Model, GPU: p.GPU, Batch: p.Batch, GPUs: p.Group(), Source: (*ProfileSource)(p.Source), Estimated: p.Estimated}
		for _, l := range p.Layers {
			info.Layers = append(info.Layers, LayerInfo{
				l.Name, int64(l.Forward), int64(l.Backward), int64(l.Parameters), int64(l.Activations), l.Joined,
			})
		}
		list = append(list, info)
	}
	return list, nil
}

type schemaParams struct {
	Kind string `json:"kind"`
}

func (a *API) schema(_ context.Context, p *schemaParams) (JSON, error) {
	schema, err := jigsaw.Schema(p.Kind)
	if err != nil {
		return nil, invalid("schema: %v", err)
	}
	return schema, nil
}
