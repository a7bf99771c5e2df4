package cli

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/profiles/estimate"
)

// estimated makes the profiles requested by --estimate: of a model of the instance, from a config.json or a
// convolutional net's name, at each batch size of its jobs (1 if a job has none; for moldable and
// burst-parallel jobs those that a worker or a GPU may have), for each of the cluster's GPU types in the table
// of GPUs.
func (o *InstanceFlags) estimated(spec *instance.Spec, std Streams) (all []*instance.Profile, err error) {
	for _, text := range o.estimates {
		model, what, found := strings.Cut(text, "=")
		if !found || model == "" || what == "" {
			return nil, Usage(fmt.Errorf("--estimate %q: write MODEL=config.json, or MODEL=resnet152, where MODEL is what jobs call it", text))
		}
		fields := strings.Split(what, ",")
		options := estimate.Options{Model: model}
		if slices.Contains(estimate.Nets(), fields[0]) {
			options.Net = fields[0]
		} else if options.Transformer, err = ReadConfig(fields[0], std); err != nil {
			return nil, err
		}
		for _, field := range fields[1:] {
			if err := estimateOption(&options, field); err != nil {
				return nil, err
			}
		}
		batches := map[[2]int]bool{} // and GPUs of a worker
		for i := range spec.Jobs {
			if j := &spec.Jobs[i]; j.Model == model && !j.Disabled {
				for _, n := range sharers(j) {
					if n > 0 && j.Batch%n == 0 {
						batches[[2]int{max(1, j.Batch/n), max(1, j.GPUsPerWorker)}] = true
					}
				}
			}
		}
		if len(batches) == 0 {
			return nil, Usage(fmt.Errorf("--estimate %s: no job of the instance runs the model %q", text, model))
		}
		gpus, _ := estimate.Known(spec)
		if len(gpus) == 0 {
			return nil, Usage(fmt.Errorf("--estimate %s: no figures are known for the cluster's GPU types; known are %s; for another type write profiled_as: [{gpu: a100}]",
				text, strings.Join(GPUNames(), ", ")))
		}
		if options.Precision == "" { // the same for all: a job may live on several types
			options.Precision = estimate.Common(gpus)
		}
		for _, gpu := range gpus {
			for _, batch := range slices.SortedFunc(maps.Keys(batches), func(a, b [2]int) int { return slices.Compare(a[:], b[:]) }) {
				options.GPU, options.Batch, options.GPUs = gpu, batch[0], batch[1]
				p, summary, err := estimate.Profile(options)
				if err != nil {
					return nil, Usage(fmt.Errorf("--estimate %s: %w", text, Unprefixed(err)))
				}
				std.Note("%s on %s: %s", p.Model, GPUs(p.GPUs, p.GPU), SummaryLine(summary))
				all = append(all, p)
			}
		}
	}
	return all, nil
}

// Estimates reports whether --estimate is given for a model.
func (o *InstanceFlags) Estimates(model string) bool {
	return slices.ContainsFunc(o.estimates, func(text string) bool { return strings.HasPrefix(text, model+"=") })
}

// sharers are the numbers of workers, or of GPUs of a layer, among which a job's batch may be divided.
func sharers(j *instance.JobSpec) (list []int) {
	if len(j.Moldable) > 0 {
		return j.Moldable
	}
	for n := 1; n <= max(1, j.GPUs); n *= 2 {
		list = append(list, n)
	}
	return list
}

// estimateOption parses one of the options after the config, like sequence=4096.
func estimateOption(o *estimate.Options, text string) error {
	bad := func() error {
		return Usage(fmt.Errorf("--estimate: %q is not an option; write sequence=4096, precision=bf16, attention=eager, mfu=40%% or checkpointing", text))
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
		return Attention(value, o)
	case "mfu":
		var f Fraction
		if err := f.Set(value); err != nil {
			return Usage(fmt.Errorf("--estimate: mfu: %w", err))
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

// Attention parses the flag of that name.
func Attention(name string, o *estimate.Options) error {
	switch name {
	case "fused", "":
	case "eager":
		o.Eager = true
	default:
		return Usage(fmt.Errorf("--attention %q: choose fused or eager", name))
	}
	return nil
}

// GPUNames are the GPUs that profiles can be estimated for.
func GPUNames() []string {
	gpus := estimate.GPUs()
	return named(gpus, func(g *estimate.GPU) string { return g.Name })
}

// ReadConfig reads the config.json of a Hugging Face model.
func ReadConfig(name string, std Streams) (*estimate.Transformer, error) {
	r, err := OpenFile(name, std)
	if err != nil {
		return nil, Usage(err)
	}
	defer r.Close()
	t, err := estimate.ReadConfig(r)
	if err != nil {
		return nil, Usage(fmt.Errorf("%s: %w", name, Unprefixed(err)))
	}
	return t, nil
}

// GPUs names the GPUs of a worker.
func GPUs(n int, of string) string {
	if n <= 1 {
		return of
	}
	return fmt.Sprintf("%d x %s", n, of)
}

// SummaryLine summarises an estimate.
func SummaryLine(s *estimate.Summary) string {
	samples := fmt.Sprintf("batch %d", s.Batch)
	if s.Tokens > 0 {
		samples += fmt.Sprintf(" x %d tokens", s.Tokens/s.Batch)
	}
	parameters := grouped(s.Parameters) + " parameters"
	if s.Active < s.Parameters {
		parameters += fmt.Sprintf(" (%s for each token)", grouped(s.Active))
	}
	return fmt.Sprintf("estimated at %s: %s, forward %s, backward %s, activations %.2f GiB, workspace %.2f GiB, MFU %.0f%%",
		samples, parameters, Milliseconds(s.Forward), Milliseconds(s.Backward), gib(s.Activations), gib(s.Workspace), 100*s.MFU)
}

func gib(b instance.Bytes) float64 { return float64(b) / (1 << 30) }

// grouped writes a number with commas between its thousands.
func grouped(n int64) string {
	digits := fmt.Sprint(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// Milliseconds formats a duration for display.
func Milliseconds(d instance.Duration) string {
	return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond))
}
