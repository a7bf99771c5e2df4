package whatif

import (
	"context"
	"fmt"
	"math"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/change"
)

// Remedy is a change of an instance that had no plan, with which one was found.
type Remedy struct {
	Text string
	Spec *instance.Spec
}

// MarshalText writes the change in words.
func (r Remedy) MarshalText() ([]byte, error) { return []byte(r.Text), nil }

// Remedies looks for single changes with which a spec without a plan gets one: those
// of [MemoryShortage] if memory is the reason, else changes of deadlines, failed links, the network and
// GPUs. If ctx ends there are fewer.
func Remedies(ctx context.Context, spec *instance.Spec, models instance.ProfileSource) ([]Remedy, error) {
	s, err := MemoryShortage(ctx, spec, models)
	if err != nil {
		return nil, err
	}
	if s != nil {
		return s.Remedies, nil
	}
	in, err := instance.Compile(spec, models)
	if err != nil || in.Queues() || in.Long() || unplaced(ctx, in) == nil {
		return nil, err
	}
	return enough(ctx, easier(in, spec), models), nil
}

// enough returns, of each kind, the first remedy with which a quick search finds a plan.
func enough(ctx context.Context, list []remedy, models instance.ProfileSource) []Remedy {
	found, known := []Remedy{}, map[string]bool{}
	for _, r := range list {
		if ctx.Err() == nil && !known[r.kind] && planned(ctx, r.spec, models) {
			known[r.kind] = true
			found = append(found, Remedy{r.text, r.spec})
		}
	}
	return found
}

// mostLate is for how many jobs a later deadline, and a plan without the job, is tried.
const mostLate = 6

// easier are changes of an instance that cannot meet its deadlines, or whose parts are cut off from
// each other; those of one kind come from the smallest to the largest.
func easier(in *instance.Instance, spec *instance.Spec) (list []remedy) {
	add := func(kind, text string, changed *instance.Spec) { list = append(list, remedy{kind, text, changed}) }
	job := func(kind string, source int, text string, change func(*instance.JobSpec)) {
		add(kind, fmt.Sprintf("%s for job %q", text, spec.Jobs[source].Name), withJob(spec, source, change))
	}
	if len(spec.Cluster.FailedLinks) > 0 {
		changed := *spec
		changed.Cluster.FailedLinks = nil
		add("links", "failed_links: none", &changed)
	}
	var late []int
	for _, source := range slices.Compact(spec.Sources()) {
		if spec.Jobs[source].Deadline > 0 && len(late) < mostLate {
			late = append(late, source)
		}
	}
	for _, source := range late {
		for _, factor := range []float64{1.1, 1.25, 1.5, 2, 3, 5, 10} {
			deadline := roundUp(float64(spec.Jobs[source].Deadline) * factor)
			job(fmt.Sprint("deadline ", source), source, fmt.Sprintf("deadline: %v", deadline), func(j *instance.JobSpec) { j.Deadline = deadline })
		}
	}
	for _, source := range late {
		if spb := spec.Jobs[source].SPB; spb.Rule != "free" {
			job(fmt.Sprint("spb ", source), source, "spb: {rule: free}", func(j *instance.JobSpec) { j.SPB.Rule = "free" })
		}
	}
	apply := func(kind string, c change.Change) {
		if changed, err := c.Apply(spec, in); err == nil {
			add(kind, c.String(), changed)
		}
	}
	for _, factor := range []float64{2, 4, 10} {
		apply("network", change.Change{Kind: change.Network, Factor: factor})
	}
	for t := range in.Types {
		if n := slices.IndexFunc(in.Nodes, func(n instance.Node) bool { return int(n.Type) == t }); n >= 0 {
			apply(fmt.Sprint("gpu ", t), change.Change{Kind: change.AddGPU, Subject: in.Nodes[n].Name})
		}
	}
	for _, source := range late {
		if len(spec.Jobs) > 1 {
			list = append(list, withoutJob(spec, source))
		}
	}
	return list
}

// withoutJob leaves out an entry of the jobs.
func withoutJob(spec *instance.Spec, source int) remedy {
	disabled := withJob(spec, source, func(j *instance.JobSpec) { j.Disabled = true })
	return remedy{fmt.Sprint("without ", source), fmt.Sprintf("without job %q", spec.Jobs[source].Name), disabled}
}

// withJob changes an entry of the jobs.
func withJob(spec *instance.Spec, source int, change func(*instance.JobSpec)) *instance.Spec {
	changed := *spec
	changed.Jobs = slices.Clone(spec.Jobs)
	change(&changed.Jobs[source])
	return &changed
}

// roundUp is the next time of three digits.
func roundUp(ns float64) instance.Duration {
	step := math.Pow(10, max(3, math.Floor(math.Log10(ns))-2)) // whole microseconds at the least
	return instance.Duration(math.Ceil(ns/step-1e-9) * step)
}
