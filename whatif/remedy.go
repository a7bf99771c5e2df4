package whatif

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/change"
	"jigsaw/formulation/relax"
)

// Remedy is a change of an instance that had no plan, with which one was found.
type Remedy struct {
	Text string
	Spec *instance.Spec
}

// MarshalText writes the change in words.
func (r Remedy) MarshalText() ([]byte, error) { return []byte(r.Text), nil }

// Mend is what would give a spec without a plan one.
type Mend struct {
	// Remedies are changes. With each alone a plan was found or, if Jobs is not 0, one without the other of these jobs.
	Remedies []Remedy `json:"remedies"`
	// Jobs is the number of entries of the jobs that have no plan even without all others, if there are several: each needs
	// a change. Otherwise it is 0.
	Jobs int `json:"jobs_at_fault,omitempty"`
}

// Remedies looks for changes with which a spec without a plan gets one: those
// of [MemoryShortage] if memory is the reason, else changes of deadlines, failed links, the network and
// GPUs. If ctx ends there are fewer.
func Remedies(ctx context.Context, spec *instance.Spec, models instance.ProfileSource) (*Mend, error) {
	s, err := MemoryShortage(ctx, spec, models)
	if err != nil {
		return nil, err
	}
	if s != nil {
		return &s.Mend, nil
	}
	in, err := instance.Compile(spec, models)
	if err != nil || unplaced(ctx, in) == nil {
		return &Mend{Remedies: []Remedy{}}, err
	}
	of := spec.Sources()
	if bad := hopeless(ctx, in, of); len(bad) > 1 {
		return each(ctx, models, bad, func(source int) []remedy {
			if unfit(in, spec, of, source) != "" {
				return remedies(in, spec, models, source)
			}
			return easier(in, spec, []int{source})
		}), nil
	}
	return &Mend{Remedies: enough(ctx, easier(in, spec, due(in, spec)), models, nil)}, nil
}

// hopeless are the entries, of those of all jobs, of the ones that have no plan even without all others; only some of them if ctx
// ends.
func hopeless(ctx context.Context, in *instance.Instance, of []int) (sources []int) {
	for _, class := range in.Classes() {
		if ctx.Err() == nil && relax.Infeasible(in.Part(class[:1], in.AllNodes(), nil).Roomy()) != nil {
			for _, j := range class {
				sources = append(sources, of[j])
			}
		}
	}
	slices.Sort(sources)
	return slices.Compact(sources)
}

// each looks for changes of every one of several jobs that have no plan by themselves, without the others of them.
func each(ctx context.Context, models instance.ProfileSource, sources []int, changes func(source int) []remedy) *Mend {
	m := &Mend{Remedies: []Remedy{}, Jobs: len(sources)}
	for n, source := range sources[:min(len(sources), mostMended)] {
		others := slices.Delete(slices.Clone(sources), n, n+1)
		m.Remedies = append(m.Remedies, enough(ctx, changes(source), models, others)...)
	}
	return m
}

// mostMended is for how many jobs that have no plan by themselves changes are tried.
const mostMended = 6

// enough returns, of each kind, the first remedy with which a quick search finds a plan, without some entries of the jobs.
func enough(ctx context.Context, list []remedy, models instance.ProfileSource, others []int) []Remedy {
	found, known := []Remedy{}, map[string]bool{}
	for _, r := range list {
		if ctx.Err() != nil || known[r.kind] {
			continue
		}
		tried := *r.spec
		tried.Jobs = slices.Clone(tried.Jobs)
		for _, source := range others {
			tried.Jobs[source].Disabled = true
		}
		if planned(ctx, &tried, models) {
			known[r.kind] = true
			found = append(found, Remedy{r.text, r.spec})
		}
	}
	return found
}

// mostLate is for how many jobs a later deadline, and a plan without the job, is tried.
const mostLate = 6

// due are the entries of the jobs with deadlines, those with the least time to spare first.
func due(in *instance.Instance, spec *instance.Spec) (sources []int) {
	spare := map[int]instance.Tick{}
	for j, source := range spec.Sources() {
		job := &in.Jobs[j]
		if job.Deadline == 0 {
			continue
		}
		if _, known := spare[source]; !known {
			sources = append(sources, source)
			spare[source] = job.Deadline - job.Release - job.Load - instance.Tick(job.Iterations)*job.FastestFull()
		}
	}
	slices.SortStableFunc(sources, func(a, b int) int { return cmp.Compare(spare[a], spare[b]) })
	return sources[:min(len(sources), mostLate)]
}

// easier are changes of an instance in which these jobs cannot meet their deadlines, or whose parts are cut off from
// each other; those of one kind come from the smallest to the largest.
func easier(in *instance.Instance, spec *instance.Spec, late []int) (list []remedy) {
	add := func(kind, text string, changed *instance.Spec) { list = append(list, remedy{kind, text, changed}) }
	job := func(kind string, source int, text string, change func(*instance.JobSpec)) {
		add(kind, fmt.Sprintf("%s for job %q", text, spec.Jobs[source].Name), withJob(spec, source, change))
	}
	if len(spec.Cluster.FailedLinks) > 0 {
		changed := *spec
		changed.Cluster.FailedLinks = nil
		add("links", "failed_links: none", &changed)
	}
	for _, source := range late {
		for _, factor := range []float64{1.1, 1.25, 1.5, 2, 3, 5, 10, 20, 50, 100} {
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
