package fluid

import (
	"math/big"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax"
	"jigsaw/formulation/relax/linear"
)

// Prove evaluates prices and records what they prove in the bound.
func (f *Program) Prove(b *relax.Proven, prices []*big.Int, denominator *big.Int, refuted bool) error {
	sum, err := f.Linear.Evaluate(prices, denominator, !refuted)
	if err != nil {
		return err
	}
	b.Certified = true
	if refuted {
		if sum.Sign() <= 0 {
			b.Certified = false
			return relax.ErrPrices
		}
		b.Infeasible = f.reasons(prices)
		return nil
	}
	b.Exact = f.Value(new(big.Rat).SetFrac(sum, denominator))
	b.Value = relax.Integral(f.Model.Instance, b.Exact)
	return nil
}

// Value converts an objective of the program into one of the instance.
func (f *Program) Value(objective *big.Rat) *big.Rat {
	v := new(big.Rat).Quo(objective, new(big.Rat).SetInt(f.Scale))
	if f.Model.Instance.Objective.Periodic() {
		v.Neg(v)
	}
	return v
}

// Program builds the program. One shape represents the classes whose jobs are
// identical in all rows. While there are few classes each is a shape of its own,
// so that nothing is lost.
type Program struct {
	Detail
	Model  *relax.Model
	Linear linear.Program
	// Scale divides the objective: rates are counted per period ticks.
	Scale  *big.Int
	Period int64

	time   int // column of the makespan; -1 for other objectives
	Least  int // column of the smallest rate; -1 for other objectives
	Rates  *Rates
	tight  []int       // pools whose memory rows may bind
	Groups []LinkGroup // with rows (9) to (11)
	Shapes []Shape
}

// Detail is how much a fluid program distinguishes.
type Detail struct {
	Columns        int  // of the weighted completion, about; see [Program.buildCompletion]
	ClassesApart   int  // classes up to which each is a shape of its own
	CoResidentSets int  // sets of jobs that share a GPU and have columns of their own, at most
	Split          bool // rates have columns and limits also where the period is not given; see [Rates]
}

// UsualDetail is the detail of fluid certificates.
func UsualDetail(columns int) Detail {
	return Detail{Columns: columns, ClassesApart: FewClasses, CoResidentSets: MostCoResidentSets}
}

// New states the program of an instance.
func New(m *relax.Model, d Detail) *Program {
	f := &Program{Detail: d, Model: m, Scale: big.NewInt(1), time: -1, Least: -1, Linear: linear.Program{Name: "fluid"}}
	switch {
	case m.Instance.Objective.Periodic():
		return NewRates(m, d, 0, nil)
	case m.Instance.Objective == instance.WeightedCompletion:
		f.buildCompletion()
	default:
		f.buildMakespan()
	}
	return f
}

// NewRates states the program of rates, for a period of the given ticks if that is not 0; see
// [Program.buildRates].
func NewRates(m *relax.Model, d Detail, period int64, limits []relax.Interval) *Program {
	f := &Program{Detail: d, Model: m, Scale: big.NewInt(1), time: -1, Least: -1, Linear: linear.Program{Name: "rates"}}
	f.buildRates(period, limits)
	return f
}
