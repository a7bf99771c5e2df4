package instancetest

import (
	"math/rand/v2"

	"jigsaw/formulation/instance"
)

// Queueing returns a tiny instance whose jobs queue for memory that holds few of them together, with
// loads of some ticks.
func Queueing(rng *rand.Rand, objective instance.Objective) *instance.Instance {
	spec := RandomSpec(rng, Options{Objective: objective, GPUs: 3, Workers: 2})
	spec.Residence = instance.WhileRunning
	for j := range spec.Jobs {
		spec.Jobs[j].Deadline, spec.Jobs[j].Load = 0, instance.Duration(rng.IntN(3))*1e6
	}
	in := compiled(spec)
	for kind := range spec.Cluster.GPUTypes {
		most := instance.Bytes(0)
		for j := range in.Jobs {
			if costs := in.Jobs[j].On[kind]; costs != nil {
				most = max(most, costs.Persistent+costs.Ephemeral[in.Jobs[j].Full()])
			}
		}
		spec.Cluster.GPUTypes[kind].Memory = max(1, most+most*instance.Bytes(rng.IntN(8))/8)
	}
	return compiled(spec)
}

func compiled(spec *instance.Spec) *instance.Instance {
	in, err := instance.Compile(spec, nil)
	if err != nil {
		panic("instancetest: " + err.Error())
	}
	return in
}
