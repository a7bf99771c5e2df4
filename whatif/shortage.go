package whatif

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax"
	"jigsaw/heuristics"
	"jigsaw/heuristics/queue"
)

// Shortage says that memory is why no plan is found, and what would help.
type Shortage struct {
	// Reasons say in words which jobs need how much on which GPUs, and what these have.
	Reasons []string `json:"reasons"`
	// Mend has changes that would help.
	Mend
}

// MemoryShortage looks for a plan with a fraction of the work that a plan takes. If it finds
// one only on GPUs of unlimited memory, it says what is short. nil if memory is not the reason.
// models are where the spec's jobs find their profiles, as jigsaw.Models. When ctx ends there
// are fewer remedies.
func MemoryShortage(ctx context.Context, spec *instance.Spec, models instance.ProfileSource) (*Shortage, error) {
	in, err := instance.Compile(spec, models)
	if err != nil {
		return nil, err
	}
	failed := unplaced(ctx, in)
	if failed == nil || ctx.Err() != nil || !planned(ctx, withMemory(spec, unlimited), models) {
		return nil, nil
	}
	s := &Shortage{}
	var bad []int // entries of jobs that fit on no GPU
	of := spec.Sources()
	for _, source := range slices.Compact(slices.Clone(of)) {
		if reason := unfit(in, spec, of, source); reason != "" {
			bad, s.Reasons = append(bad, source), append(s.Reasons, reason)
		}
	}
	change := func(source int) []remedy { return remedies(in, spec, models, source) }
	if len(bad) > 1 {
		s.Mend = *each(ctx, models, bad, change)
		return s, nil
	}
	var none *heuristics.NoPlan
	switch {
	case len(bad) == 1:
	case in.Queues(): // what does not fit now, waits
		return nil, nil
	case errors.As(failed, &none):
		s.Reasons, bad = crowded(in, spec, int(none.Job)), []int{of[none.Job]}
	default: // the sum of all is too much, and none is at fault more than others
		at := heaviest(in)
		s.Reasons, bad = crowded(in, spec, at), []int{of[at]}
	}
	s.Remedies = enough(ctx, change(bad[0]), models, nil)
	return s, nil
}

// unlimited is more memory than all jobs together need.
const unlimited = instance.Bytes(1) << 50

// withMemory is the spec with so much memory on every GPU.
func withMemory(spec *instance.Spec, memory instance.Bytes) *instance.Spec {
	changed := *spec
	changed.Cluster.GPUTypes = slices.Clone(spec.Cluster.GPUTypes)
	for t := range changed.Cluster.GPUTypes {
		changed.Cluster.GPUTypes[t].Memory = memory
	}
	return &changed
}

func planned(ctx context.Context, spec *instance.Spec, models instance.ProfileSource) bool {
	in, err := instance.Compile(spec, models)
	return err == nil && unplaced(ctx, in) == nil
}

// unplaced says why a quick search finds no plan; nil if it finds one.
func unplaced(ctx context.Context, in *instance.Instance) error {
	if reasons := relax.Infeasible(in.Roomy()); len(reasons) > 0 {
		return errors.New(reasons[0])
	}
	if in.Queues() || in.Long() {
		quick := queue.Search{Rounds: queuesTried, Stop: func(*big.Rat) bool { return true }}
		_, _, err := quick.Orders(ctx, in, rand.New(rand.NewPCG(0, 1)))
		return err
	}
	_, err := heuristics.Config{Quick: true}.Greedy(ctx, in, rand.New(rand.NewPCG(0, 1)))
	return err
}

// queuesTried is the number of orders of jobs tried for a plan of hours that meets all deadlines.
const queuesTried = 40

// needs are the bytes of a full-depth worker that has a GPU of a type to itself.
func needs(c *instance.Costs, j *instance.Job) instance.Bytes {
	return c.Persistent + c.Ephemeral[j.Full()]
}

// unfit says on which GPU the full-depth worker of an entry of the jobs comes closest to having room, where it
// has none on any; "" where it has. of are the entries of all jobs, see [instance.Spec.Sources].
func unfit(in *instance.Instance, spec *instance.Spec, of []int, source int) string {
	at, _ := slices.BinarySearch(of, source)
	j := &in.Jobs[at]
	best, over := -1, instance.Bytes(0)
	for t, c := range j.On {
		if c == nil {
			continue
		}
		more := needs(c, j) - in.Types[t].Memory
		if more <= 0 {
			return ""
		}
		if best < 0 || more < over {
			best, over = t, more
		}
	}
	c, t := j.On[best], in.Types[best]
	return fmt.Sprintf("job %q: a full-depth worker needs %v on a %s, %v of it for parameters (%s) and %v for a pass; the GPU has %v, %v too little",
		j.Name, needs(c, j), t.Name, c.Persistent, optimizer(spec, source), c.Ephemeral[j.Full()], t.Memory, over)
}

func optimizer(spec *instance.Spec, source int) string {
	if name := spec.Jobs[source].Optimizer; name != "" {
		return name
	}
	return "momentum"
}

// heaviest is the job that keeps most in memory.
func heaviest(in *instance.Instance) (at int) {
	most := instance.Bytes(-1)
	for j := range in.Jobs {
		if kept := resident(&in.Jobs[j]); kept > most {
			at, most = j, kept
		}
	}
	return at
}

// resident is what all workers of a job keep, at the least.
func resident(j *instance.Job) instance.Bytes {
	least := instance.Bytes(-1)
	for _, c := range j.On {
		if c != nil && (least < 0 || c.Persistent < least) {
			least = c.Persistent
		}
	}
	return max(0, least) * instance.Bytes(j.Workers)
}

// crowded says what jobs need that fit each by itself, but not together.
func crowded(in *instance.Instance, spec *instance.Spec, at int) (reasons []string) {
	j := &in.Jobs[at]
	for t, c := range j.On {
		if c != nil {
			reasons = append(reasons, fmt.Sprintf("job %q finds no room beside the others: each of its %d workers needs up to %v on a %s, %v of it at all times (%s); the GPU has %v for all that live there",
				j.Name, j.Workers, needs(c, j), in.Types[t].Name, c.Persistent, optimizer(spec, spec.Sources()[at]), in.Types[t].Memory))
		}
	}
	kept, memory := instance.Bytes(0), instance.Bytes(0)
	for i := range in.Jobs {
		kept += resident(&in.Jobs[i])
	}
	for _, g := range in.GPUs {
		memory += in.Types[g.Type].Memory
	}
	return append(reasons, fmt.Sprintf("all %d jobs keep at least %v of parameters on GPUs that have %v in all, beside which every pass needs its own", len(in.Jobs), kept, memory))
}

// remedy is a change that may help.
type remedy struct {
	kind, text string
	spec       *instance.Spec
}

// remedies are changes of a job, or of memory; those of one kind come from the smallest to the largest.
func remedies(in *instance.Instance, spec *instance.Spec, models instance.ProfileSource, source int) (list []remedy) {
	old := &spec.Jobs[source]
	try := func(kind, value string, change func(*instance.JobSpec)) {
		list = append(list, remedy{kind, fmt.Sprintf("%s: %s for job %q", kind, value, old.Name), withJob(spec, source, change)})
	}
	cheaper := []string{"momentum", "sgd"}
	switch optimizer(spec, source) {
	case "momentum":
		cheaper = cheaper[1:]
	case "sgd":
		cheaper = nil
	}
	for _, name := range cheaper {
		try("optimizer", name, func(j *instance.JobSpec) { j.Optimizer = name })
	}
	if old.SPB.Rule == "full" {
		try("spb", "{rule: ladder}", func(j *instance.JobSpec) { j.SPB.Rule = "ladder" })
	}
	if old.SPB.Rule != "free" {
		try("spb", "{rule: free}", func(j *instance.JobSpec) { j.SPB.Rule = "free" })
	}
	for _, batch := range smaller(in, spec, models, source) {
		try("batch", fmt.Sprint(batch), func(j *instance.JobSpec) { j.Batch = batch })
	}
	if !old.Checkpointing { // where the profile tells what it takes
		try("checkpointing", "true", func(j *instance.JobSpec) { j.Checkpointing = true })
	}
	kinds := []string{"zero1", "zero2", "zero3"}
	for _, kind := range kinds[slices.Index(kinds, old.Sharding)+1:] {
		if old.Workers > 1 {
			try("sharding", kind, func(j *instance.JobSpec) { j.Sharding = kind })
		}
	}
	for k := 2 * max(1, old.GPUsPerWorker); k <= 8; k *= 2 {
		try("gpus_per_worker", fmt.Sprint(k), func(j *instance.JobSpec) { j.GPUsPerWorker = k })
	}
	for _, k := range slices.Compact([]int{old.Workers - 1, old.Workers * 3 / 4, old.Workers / 2, 1}) {
		if k >= 1 && k < old.Workers && k >= old.SPB.MinFull {
			try("workers", fmt.Sprint(k), func(j *instance.JobSpec) { j.Workers = k })
		}
	}
	for t, g := range spec.Cluster.GPUTypes {
		for _, percent := range []instance.Bytes{125, 150, 200} {
			changed := *spec
			changed.Cluster.GPUTypes = slices.Clone(spec.Cluster.GPUTypes)
			changed.Cluster.GPUTypes[t].Memory = g.Memory / 100 * percent
			list = append(list, remedy{"memory of " + g.Name, fmt.Sprintf("%s GPUs of %v", g.Name, changed.Cluster.GPUTypes[t].Memory), &changed})
		}
	}
	return append(list, withoutJob(spec, source))
}

// smaller lists the batch sizes below the job's that its model has profiles at, from large to small.
func smaller(in *instance.Instance, spec *instance.Spec, models instance.ProfileSource, source int) (sizes []int) {
	j := slices.Index(spec.Sources(), source)
	for _, p := range models.Profiles(spec.Jobs[source].Model) {
		if p.Batch < in.Jobs[j].Batch && p.Group() == in.Jobs[j].Group() {
			sizes = append(sizes, p.Batch)
		}
	}
	slices.Sort(sizes)
	slices.Reverse(sizes)
	return slices.Compact(sizes)
}
