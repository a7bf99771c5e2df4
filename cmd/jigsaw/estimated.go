package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/profiles/estimate"
)

// estimated makes the profiles that --estimate asks for: of a model of the instance, from a
// config.json or a convolutional net's name, at each of its jobs' batch sizes (1 where a job has none),
// for each of the cluster's GPU types that the table of GPUs knows.
func (o *inputs) estimated(spec *instance.Spec, std streams) (all []*instance.Profile, err error) {
	for _, text := range o.estimates {
		model, what, found := strings.Cut(text, "=")
		if !found || model == "" || what == "" {
			return nil, usage(fmt.Errorf("--estimate %q: write MODEL=config.json, or MODEL=resnet152, where MODEL is what jobs call it", text))
		}
		fields := strings.Split(what, ",")
		options := estimate.Options{Model: model}
		if slices.Contains(estimate.Nets(), fields[0]) {
			options.Net = fields[0]
		} else if options.Transformer, err = readConfig(fields[0], std); err != nil {
			return nil, err
		}
		for _, field := range fields[1:] {
			if err := estimateOption(&options, field); err != nil {
				return nil, err
			}
		}
		batches := map[int]bool{}
		for i := range spec.Jobs {
			if j := &spec.Jobs[i]; j.Model == model && !j.Disabled {
				batches[max(1, j.Batch)] = true
			}
		}
		if len(batches) == 0 {
			return nil, usage(fmt.Errorf("--estimate %s: no job of the instance runs the model %q", text, model))
		}
		gpus, _ := estimate.Known(spec)
		if len(gpus) == 0 {
			return nil, usage(fmt.Errorf("--estimate %s: the figures of none of the cluster's GPU types are known; known are %s; another type can say profiled_as: [{gpu: a100}]",
				text, strings.Join(gpuNames(), ", ")))
		}
		if options.Precision == "" { // one for all: a job may live on several types
			options.Precision = estimate.Common(gpus)
		}
		for _, gpu := range gpus {
			for _, batch := range slices.Sorted(maps.Keys(batches)) {
				options.GPU, options.Batch = gpu, batch
				p, summary, err := estimate.Profile(options)
				if err != nil {
					return nil, usage(fmt.Errorf("--estimate %s: %w", text, bare{err}))
				}
				std.note("%s on %s: %s", p.Model, p.GPU, summaryLine(summary))
				all = append(all, p)
			}
		}
	}
	return all, nil
}

// estimateOption reads one of the options behind the config, like sequence=4096.
func estimateOption(o *estimate.Options, text string) error {
	bad := func() error {
		return usage(fmt.Errorf("--estimate: %q is no option; write sequence=4096, precision=bf16, attention=eager, mfu=40%% or checkpointing", text))
	}
	key, value, _ := strings.Cut(text, "=")
	switch key {
	case "sequence":
		n, err := strconv.Atoi(value)
		if err != nil || n < 1 {
			return bad()
		}
		o.Sequence = n
	case "precision":
		o.Precision = estimate.Precision(value)
	case "attention":
		return attention(value, o)
	case "mfu":
		var f fraction
		if err := f.Set(value); err != nil {
			return usage(fmt.Errorf("--estimate: mfu: %w", err))
		}
		o.MFU = instance.Ratio(float64(f) * float64(instance.One))
	case "checkpointing":
		if value != "" && value != "true" {
			return bad()
		}
		o.Checkpointing = true
	default:
		return bad()
	}
	return nil
}
