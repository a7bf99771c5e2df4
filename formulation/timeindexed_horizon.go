package formulation

import (
	"math/big"

	"jigsaw/formulation/instance"
)

// latest returns for each job a tick by which it ends in every schedule whose
// value is at least as good as the one given. Of the makespan that is the value
// itself; of the weighted completion it is what the chains of the others leave:
//
//	C_j <= chain_j + (value - sum w chain) / w_j
func latest(in *instance.Instance, value *big.Rat) []*big.Int {
	ends := make([]*big.Int, len(in.Jobs))
	if in.Objective == instance.Makespan {
		for j := range ends {
			ends[j] = floor(value)
		}
		return ends
	}
	m := newModel(in)
	slack := floor(value)
	for c := range m.demands {
		d := &m.demands[c]
		slack.Sub(slack, new(big.Int).Mul(mul(d.count(), d.job.Weight), d.chain(d.iteration)))
	}
	for c := range m.demands {
		d := &m.demands[c]
		end := floor(new(big.Rat).SetFrac(slack, big.NewInt(d.job.Weight)))
		end.Add(end, d.chain(d.iteration))
		for _, j := range d.jobs {
			ends[j] = end
		}
	}
	return ends
}
