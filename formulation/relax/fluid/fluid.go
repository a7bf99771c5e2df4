package fluid

import (
	"errors"
	"math/big"

	"jigsaw/formulation/relax"
	"jigsaw/formulation/relax/linear"
)

// Prove checks the prices of a certificate and enters what they prove into the bound.
func Prove(m *relax.Model, b *relax.Proven, c *relax.Certificate) error {
	if !m.Instance.Objective.Periodic() {
		return errors.New("formulation: a fluid certificate is about plans that repeat")
	}
	return New(m, UsualDetail).Prove(b, c.Prices, c.Denominator)
}

// Prove evaluates prices and enters what they prove into the bound.
func (f *Program) Prove(b *relax.Proven, prices []*big.Int, denominator *big.Int) error {
	sum, err := f.Linear.Evaluate(prices, denominator)
	if err != nil {
		return err
	}
	b.Certified, b.Value = true, f.Value(new(big.Rat).SetFrac(sum, denominator))
	b.Exact = b.Value
	return nil
}

// Value turns an objective of the program into one of the instance.
func (f *Program) Value(objective *big.Rat) *big.Rat {
	v := new(big.Rat).Quo(objective, new(big.Rat).SetInt(f.Scale))
	return v.Neg(v)
}

// Program is the program of the package comment. One shape stands for the classes whose jobs
// differ in nothing that the rows see: while there are few classes each is a shape of
// its own, so that nothing is lost.
type Program struct {
	Detail
	Model  *relax.Model
	Linear linear.Program
	// Scale divides the objective: rates are counted per Period ticks.
	Scale  *big.Int
	Period int64
	Note   string

	Least  int // column of the smallest rate; -1 for other objectives
	Rates  *Rates
	tight  []int       // pools whose memory rows may bind
	Groups []LinkGroup // with rows (9) to (11)
	Shapes []Shape
}

// Detail is how much a fluid program tells apart.
type Detail struct {
	ClassesApart   int // classes up to which each is a shape of its own
	CoResidentSets int // sets of jobs that share a GPU and have columns of their own, at most
}

// UsualDetail is that of fluid certificates.
var UsualDetail = Detail{FewClasses, MostCoResidentSets}

// New states the program of the plans of any period.
func New(m *relax.Model, d Detail) *Program { return NewPeriod(m, d, 0, nil) }

// NewPeriod states the program of plans with a period of so many ticks, and of jobs whose
// iterations in it are within limits, by shape; nil for none.
func NewPeriod(m *relax.Model, d Detail, period int64, limits []relax.Interval) *Program {
	f := &Program{Detail: d, Model: m, Scale: big.NewInt(1), Least: -1, Linear: linear.Program{Name: "rates"}}
	f.build(period, limits)
	return f
}
