package instancetest

import (
	"math/rand/v2"

	"jigsaw/formulation/instance"
)

// Grouped returns a tiny random instance in which workers of some jobs have two GPUs each.
func Grouped(rng *rand.Rand, options Options) *instance.Instance {
	return compiled(GroupedSpec(rng, options))
}

// GroupedSpec returns the spec of [Grouped].
func GroupedSpec(rng *rand.Rand, options Options) *instance.Spec {
	for {
		spec := RandomSpec(rng, options)
		for _, p := range spec.Profiles {
			pair := *p
			pair.GPUs = 2
			spec.Profiles = append(spec.Profiles, &pair)
		}
		for j := range spec.Jobs {
			if job := &spec.Jobs[j]; j == 0 || rng.IntN(2) == 0 {
				job.GPUsPerWorker, job.Workers = 2, (job.Workers+1)/2
				job.SPB.MinFull = min(job.SPB.MinFull, job.Workers)
			}
		}
		if in, err := instance.Compile(spec, nil); err == nil && in.Grouped() {
			return spec
		}
	}
}
