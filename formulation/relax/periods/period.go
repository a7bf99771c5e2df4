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
	// Longest is the longest period, in ticks. It is 0 if one program is about plans of any period,
	// since periods are not bounded or too many.
	Longest int64
}

// New returns the programs of periods of an instance, nil if it has none that are
// small enough.
func New(m *relax.Model, sets int) *Programs {
	if m.Instance.Objective == instance.Makespan {
		m = repeated(m)
	}
	if m == nil || !m.Instance.Objective.Periodic() || !slices.Contains(CoResidentSets, sets) {
		return nil
	}
	models := []*relax.Model{m.Split(), m} // identical jobs are distinguished if there is room for that
	if len(models[0].Classes) == len(m.Classes) {
		models = models[1:]
	}
	for _, longest := range slices.Compact([]int64{int64(m.Instance.MaxPeriod), 0}) {
		for _, m := range models {
			s := &Programs{m, sets, longest}
			f := s.Program(longest, nil)
			if size := int64(len(f.Linear.Cols)) * max(1, longest); size > 0 && size <= mostPeriodSize && (longest > 0 || f.Rates != nil) {
				return s
			}
		}
	}
	return nil
}

// Periods lists those that have a program of their own, in ticks; 0 stands for any.
func (s *Programs) Periods() []int64 {
	if s.Longest == 0 {
		return []int64{0}
	}
	list := make([]int64, s.Longest)
	for i := range list {
		list[i] = int64(i + 1)
	}
	return list
}

// Program is the fluid program of the plans of one period, or of any.
type Program struct {
	*fluid.Program
	of     *Programs
	ticks  int64   // 0: any
	Rights []int64 // of rows (31), over the links of their groups
}

// Program states the fluid program of plans with a period of the given ticks, 0 for any,
// with limits on jobs; nil for none. All its columns are integer except the smallest rate
// or, for plans of any period, only numbers of GPUs.
func (s *Programs) Program(ticks int64, limits []relax.Interval) *Program {
	d := fluid.Detail{ClassesApart: fluid.FewClasses, CoResidentSets: s.CoResidentSets, Split: true}
	return &Program{Program: fluid.NewRates(s.Model, d, ticks, limits), of: s, ticks: ticks}
}

// Whole reports whether the program is about the plans of one period, in which iterations are whole numbers.
func (f *Program) Whole() bool { return f.ticks > 0 }

// Split returns the parts of a node in which a column is at most, or at least, at; ok is false if it cannot be
// split there. Parts of plans of any period share the rate at. They may also be split at 0 iterations of a job in one
// of its modes: it does not live there in the first part, and nowhere else in the second.
func (f *Program) Split(n *Narrowing, col int, at, lower, upper int64) (parts [2]*Narrowing, ok bool) {
	next := at + 1
	switch {
	case at < lower || at >= upper || col == f.Least:
		return parts, false
	case f.Whole() || f.Rates.CountsGPUs(col):
	case slices.Contains(f.Rates.Cols, col):
		next = at
	default:
		elsewhere, ok := f.Elsewhere(col)
		if !ok || at > 0 {
			return parts, false
		}
		parts = [2]*Narrowing{{Parent: n, Col: col}, n}
		for _, other := range elsewhere {
			parts[1] = &Narrowing{Parent: parts[1], Col: other}
		}
		return parts, true
	}
	return [2]*Narrowing{{Parent: n, Col: col, Upper: at}, {Parent: n, Col: col, Lower: next, Upper: upper}}, true
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
	return f.of.Program(f.ticks, limits), lower, upper
}

// attainable returns the largest value not above v that a plan of the period can
// have: rates are whole numbers of iterations in a period.
func (f *Program) attainable(v *big.Rat) *big.Rat {
	if !f.Whole() {
		return v
	}
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
