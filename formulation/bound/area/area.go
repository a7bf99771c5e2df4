package area

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"

	"jigsaw/formulation/bound"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax"
)

// Chain returns the bound proven by every job's own iterations, as if it were alone on the
// cluster.
func Chain(in *instance.Instance) bound.Bound { return chainBound(relax.New(in)) }

func chainBound(m *relax.Model) bound.Bound {
	value, critical := m.Chain()
	b := bound.Bound{Proven: relax.Proven{Kind: relax.ChainBound, Certified: true, Value: value}}
	switch {
	case critical >= 0:
		b.Binding = []bound.Binding{chainBinding(m, critical)}
	case m.Instance.Objective.Periodic() && m.WholePeriods():
		b.Binding = []bound.Binding{ownIterations(fmt.Sprintf(", whole numbers of which have to fit into periods of at most %.4g ms", millis(m.Instance, m.Instance.MaxPeriod)))}
	default:
		b.Binding = []bound.Binding{ownIterations("")}
	}
	return b
}

// ownIterations says that no job waits for another. but is an additional condition.
func ownIterations(but string) bound.Binding {
	return bound.Binding{Resource: "job", Subject: "the jobs' own iterations",
		Text: "the jobs' own iterations limit the plan" + but + ": more GPUs will not help"}
}

// chainBinding says that a job's own iterations limit the plan.
func chainBinding(m *relax.Model, class int) bound.Binding {
	d := &m.Classes[class]
	name := m.ClassName(class)
	return bound.Binding{Resource: "job", Subject: name, Effect: 0,
		Text: fmt.Sprintf("the iterations of %s limit the plan, at %.4g ms each, %.4g ms of it synchronisation: more GPUs will not help",
			name, millis(m.Instance, d.Iteration), millis(m.Instance, d.Sync))}
}

func millis(in *instance.Instance, t instance.Tick) float64 {
	return float64(t) * float64(in.TickUS) / 1000
}

// Bound returns the bound that the total work proves. A quick search chooses the loads and,
// for makespan, the heads and tails or, for weighted completion, the multipliers, that make
// it strongest.
func Bound(in *instance.Instance) bound.Bound {
	m := relax.New(in)
	s := &areaSearch{m: m, loads: m.AreaLoads(), best: chainBound(m)}
	s.best.Kind = relax.AreaBound
	s.components = len(s.loads) - len(m.Components())
	switch {
	case in.Objective == instance.WeightedCompletion:
		s.completion()
	case in.Objective.Periodic():
		s.rates()
	default:
		s.best.Binding = nil
		s.makespan()
	}
	s.best.Value = nil
	if err := m.ProveArea(&s.best.Proven, s.terms); err != nil {
		s.best.Certified = false // and no value
	}
	s.best.Certificate = &relax.Certificate{Kind: relax.AreaBound, Denominator: big.NewInt(1), Prices: []*big.Int{}, Loads: s.terms}
	return s.best
}

// areaSearch looks for the terms of an area certificate.
type areaSearch struct {
	m          *relax.Model
	loads      []relax.Load
	components int // index of the first load of a group of GPU types that share no class
	terms      []relax.LoadTerms
	best       bound.Bound
}

// keep makes these terms, and the bindings they imply, the best.
func (s *areaSearch) keep(terms ...relax.LoadTerms) {
	s.terms, s.best.Binding = terms, nil
	for _, t := range terms {
		s.best.Binding = append(s.best.Binding, binding(&s.loads[t.Load]))
	}
}

func binding(l *relax.Load) bound.Binding {
	return bound.Binding{Resource: l.Resource, Subject: l.Subject,
		Text: fmt.Sprintf("%s %s the plan: all of the work has to pass there", l.Subject, bound.Verb(l.Subject))}
}

func (s *areaSearch) makespan() {
	best := s.m.CrowdedNICs()
	if best.Sign() > 0 {
		s.best.Binding = []bound.Binding{{Resource: "nic", Subject: "the NICs", Text: "the NICs limit the plan: some node has the NIC of several jobs"}}
	}
	for i := range s.loads[:s.components] {
		l := &s.loads[i]
		var heads, tails []int64
		longest := int64(0)
		for _, item := range l.Items {
			d := &s.m.Classes[item.Class]
			heads, tails = append(heads, item.Head), append(tails, item.Tail)
			if c := d.Chain(d.Iteration); c.IsInt64() {
				longest = max(longest, c.Int64())
			}
		}
		// Heads and tails beyond those of whole jobs, within long chains.
		least := slices.Min(heads)
		for i := int64(1); i < 8 && longest < 1<<58; i++ {
			heads, tails = append(heads, least+longest/8*i), append(tails, longest/8*i)
		}
		heads, tails = instance.Quantiles(heads, 24), instance.Quantiles(tails, 24)
		for _, h := range heads {
			for _, q := range tails {
				end, work := s.m.ConfinedEnd(l, h, q)
				if !work {
					break // longer tails confine less
				}
				if end.Cmp(best) > 0 {
					best = end
					s.keep(relax.LoadTerms{Load: i, Head: h, Tail: q})
				}
			}
		}
	}
}

// completion tries all GPUs, and the links of each kind.
func (s *areaSearch) completion() {
	sum, most := new(big.Rat), new(big.Rat)
	var gpus []relax.LoadTerms
	for i := s.components; i < len(s.loads); i++ {
		if t, more := s.multipliers(i); more.Sign() > 0 {
			gpus = append(gpus, t)
			sum.Add(sum, more)
		}
	}
	if gpus != nil {
		most = sum
		s.keep(gpus...)
	}
	for i := range s.loads[:s.components] {
		if s.loads[i].Resource == "gpu" {
			continue
		}
		if t, more := s.multipliers(i); more.Cmp(most) > 0 {
			most = more
			s.keep(t)
		}
	}
}

// completionSteps bounds the steps of the subgradient method.
const completionSteps = 16

// multipliers looks for multipliers that delay the jobs of a load the most.
func (s *areaSearch) multipliers(load int) (t relax.LoadTerms, most *big.Rat) {
	t, most = relax.LoadTerms{Load: load}, new(big.Rat)
	machine, ok := s.m.NewMachine(&s.loads[load])
	if !ok {
		return t, most // numbers exceed the machine's range: keep the chains
	}
	v := slices.Repeat([]int64{relax.MultiplierScale}, len(s.loads[load].Items))
	for step := range completionSteps {
		ends, moved := machine.Ends(v), false
		if more := machine.Delay(ends, v); more.Cmp(most) > 0 {
			t.Multipliers, most = slices.Clone(v), more
		}
		for i := range v {
			excess := 0.0                    // relative excess of (1) over the chain
			if machine.Chain[i].Sign() > 0 { // otherwise no schedule exists, and any value will do
				excess, _ = new(big.Rat).Quo(new(big.Rat).Sub(ends[i], machine.Chain[i]), machine.Chain[i]).Float64()
			}
			move := int64(excess * 4 * relax.MultiplierScale / float64(step+1))
			if move == 0 && excess != 0 {
				move = int64(cmp.Compare(excess, 0))
			}
			next := min(relax.MultiplierScale, max(0, v[i]+move))
			moved = moved || next != v[i]
			v[i] = next
		}
		if !moved {
			break
		}
	}
	return t, most
}

// rates finds the load that limits a periodic objective the most; for throughput also all GPUs
// together.
func (s *areaSearch) rates() {
	best, _ := s.m.Chain()
	try := func(binds bound.Binding, terms ...relax.LoadTerms) {
		p := relax.Proven{}
		if s.m.ProveArea(&p, terms) == nil && p.Value.Cmp(best) < 0 {
			best = p.Value
			s.keep(terms...)
			s.best.Binding = []bound.Binding{binds}
		}
	}
	try(bound.Binding{Resource: "gpu", Subject: "the GPU with the most jobs",
		Text: "there are more workers than GPUs, and the jobs on the GPU with most of them limit each other"})
	if s.m.Instance.Objective == instance.Throughput {
		var gpus []relax.LoadTerms
		last := -1
		for i := s.components; i < len(s.loads); i++ {
			gpus = append(gpus, relax.LoadTerms{Load: i})
			if _, full := s.m.Knapsack(&s.loads[i]); full {
				last = i
			}
		}
		if last >= 0 {
			try(binding(&s.loads[last]), gpus...)
		}
	}
	for i := range s.loads[:s.components] {
		try(binding(&s.loads[i]), relax.LoadTerms{Load: i})
	}
}
