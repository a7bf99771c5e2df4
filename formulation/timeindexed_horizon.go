package formulation

import (
	"math/big"

	"jigsaw/formulation/instance"
)

// HorizonOf returns a tick by which every schedule ends whose value is at least
// as good as the one given, for TimeIndexedOptions.Horizon. Of the weighted
// completion each job j gets what the chains of the others leave:
// C_j <= chain_j + (value - sum w chain) / w_j. It is 0, which says nothing,
// for periodic objectives and for horizons beyond any machine.
func HorizonOf(in *instance.Instance, value *big.Rat) instance.Tick {
	if in.Objective.Periodic() {
		return 0
	}
	latest := floor(value)
	if in.Objective == instance.WeightedCompletion {
		m := newModel(in)
		slack := new(big.Int).Set(latest)
		for c := range m.demands {
			d := &m.demands[c]
			slack.Sub(slack, new(big.Int).Mul(mul(d.count(), d.job.Weight), d.chain(d.iteration)))
		}
		latest = new(big.Int)
		for c := range m.demands {
			d := &m.demands[c]
			end := floor(new(big.Rat).SetFrac(slack, big.NewInt(d.job.Weight)))
			if end.Add(end, d.chain(d.iteration)); end.Cmp(latest) > 0 {
				latest = end
			}
		}
	}
	if !latest.IsInt64() || latest.Int64() > 1<<50 {
		return 0
	}
	return instance.Tick(latest.Int64())
}
