package periods

import (
	"errors"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax"
	"jigsaw/formulation/relax/exact"
	"jigsaw/formulation/relax/fluid"
	"math/big"
	"slices"
)

// mostPeriodSize bounds the number of periods times the columns of one program.
const mostPeriodSize = 1 << 16

// CoResidentSets are the numbers of co-resident sets that may have variables of their
// own in the program of a period; larger is stronger and slower.
var CoResidentSets = []int{60, 150, fluid.MostCoResidentSets}

// Programs are the programs of all periods of an instance.
type Programs struct {
	Model          *relax.Model
	CoResidentSets int // one of [CoResidentSets]
}

// New returns the programs of periods of an instance, nil if it has none that are
// small enough.
func New(m *relax.Model, sets int) *Programs {
	if !m.Instance.Objective.Periodic() || m.Instance.MaxPeriod <= 0 || !slices.Contains(CoResidentSets, sets) {
		return nil
	}
	if s := m.Split(); len(s.Classes) > len(m.Classes) {
		// Identical jobs are distinguished if there is room for that.
		if one := New(s, sets); one != nil {
			return one
		}
	}
	s := &Programs{m, sets}
	if f := s.Program(int64(m.Instance.MaxPeriod), nil); len(f.Linear.Cols) == 0 || int64(len(f.Linear.Cols)) > mostPeriodSize/int64(m.Instance.MaxPeriod) {
		return nil
	}
	return s
}

// Program is the fluid program of the plans of one period.
type Program struct {
	*fluid.Program
	of     *Programs
	Rights []int64 // of rows (31), over the links of their groups
}

// Program states the fluid program of plans with a period of the given ticks,
// with limits on jobs; nil for none. All its columns are integer except the
// smallest rate.
func (s *Programs) Program(ticks int64, limits []relax.Interval) *Program {
	f := fluid.NewRates(s.Model, fluid.Detail{ClassesApart: fluid.FewClasses, CoResidentSets: s.CoResidentSets}, ticks, limits)
	return &Program{Program: f, of: s}
}

// Within returns the program of a node, whose rows depend on the limits of rates, and the
// bounds of its columns; its cuts are not added. f is the program of the whole period. The
// rows of a node begin with those of its parent.
func (f *Program) Within(n *Narrowing) (at *Program, lower, upper []int64) {
	lower, upper = f.bounds(n)
	if n == nil || f.Rates == nil && n.Cuts() == nil {
		return f, lower, upper
	}
	var limits []relax.Interval
	if f.Rates != nil {
		limits = f.Rates.Within(lower, upper)
	}
	return f.of.Program(f.Period, limits), lower, upper
}

// attainable returns the largest value not above v that a plan of the period can
// have: rates are whole numbers of iterations in a period.
func (f *Program) attainable(v *big.Rat) *big.Rat {
	down := func(unit *big.Rat) *big.Rat {
		n := new(big.Rat).Quo(v, unit)
		whole := new(big.Int).Div(n.Num(), n.Denom())
		return n.Mul(unit, n.SetInt(whole))
	}
	if f.Model.Instance.Objective == instance.Throughput {
		return down(big.NewRat(1, f.Period))
	}
	best := new(big.Rat)
	for i := range f.Shapes {
		for _, c := range f.Shapes[i].Classes {
			job := f.Model.Classes[c].Job
			unit := new(big.Rat).SetFrac(big.NewInt(int64(job.FastestFull())), exact.Mul(job.Weight, f.Period))
			if at := down(unit); at.Cmp(best) > 0 {
				best = at
			}
		}
	}
	return best
}

// Narrowing is a change of the bounds of a column, or a cut, on top of those of
// its parent.
type Narrowing struct {
	Parent       *Narrowing
	Col          int
	Lower, Upper int64
	Cut          *Cut
}

// Cuts lists the cuts of a node, first cut first.
func (n *Narrowing) Cuts() (list []*Cut) {
	for ; n != nil; n = n.Parent {
		if n.Cut != nil {
			list = append(list, n.Cut)
		}
	}
	slices.Reverse(list)
	return list
}

// Leaf holds prices of a program's rows, and what they prove. Empty says that they
// prove that there is no plan, GPUs that the program is a [GPUProgram].
type Leaf struct {
	Prices      []int64
	Denominator int64
	Value       *big.Int // over the denominator
	Empty, GPUs bool
	Rights      []int64 // of cuts, in the program for which the prices were made
}

// bounds returns those of the columns in a node.
func (f *Program) bounds(n *Narrowing) (lower, upper []int64) {
	lower, upper = make([]int64, len(f.Linear.Cols)), make([]int64, len(f.Linear.Cols))
	for j := range upper {
		upper[j] = f.Linear.Cols[j].Upper
	}
	for ; n != nil; n = n.Parent {
		if n.Cut != nil {
			continue
		}
		lower[n.Col], upper[n.Col] = max(lower[n.Col], n.Lower), min(upper[n.Col], n.Upper)
	}
	return lower, upper
}

// errNotEmpty reports prices that should have proven that there is no plan.
var errNotEmpty = errors.New("formulation: the prices do not prove that there is no plan")

// Proven returns an upper limit on the value of plans within the bounds, nil if
// there is no plan, and records what the prices prove, over their denominator.
// The last rows may have no prices.
func (f *Program) Proven(proof *Leaf, lower, upper []int64) (*big.Rat, error) {
	if proof.GPUs {
		return f.ProvenGPUs(proof)
	}
	prices, denominator := make([]*big.Int, max(len(proof.Prices), len(f.Linear.Rows))), big.NewInt(proof.Denominator)
	for i := range prices {
		prices[i] = new(big.Int)
		if i < len(proof.Prices) {
			prices[i].SetInt64(proof.Prices[i])
		}
	}
	sum, err := f.Linear.EvaluateWithin(prices, denominator, !proof.Empty, lower, upper)
	if err != nil {
		return nil, err
	}
	proof.Value = sum
	switch {
	case !proof.Empty:
		return f.attainable(f.Value(new(big.Rat).SetFrac(sum, denominator))), nil
	case sum.Sign() <= 0:
		return nil, errNotEmpty
	}
	return nil, nil
}
