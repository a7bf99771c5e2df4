package solver

import (
	"context"
	"math"
	"slices"
)

// Scale returns the engine with programs given to it in other units, for programs whose numbers are of very different
// sizes: powers of two, near the larger bound of a column where that is finite, then near the largest coefficient
// of a row, and near the largest cost. Answers are in the units of the program. Its models are no [Ranger].
func Scale(engine Solver) Solver { return scaled{engine} }

type scaled struct{ Solver }

func (s scaled) Caps() Caps {
	c := s.Solver.Caps()
	c.Ranging = false
	return c
}

func (s scaled) Load(p *Problem) (Model, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	m := &scaledModel{mirror: NewMirror(p), rows: make([]float64, p.Rows()), cost: 1}
	q := p.Clone()
	largest := 0.0
	for j := range q.Cost {
		u := near(max(math.Abs(p.ColLower[j]), math.Abs(p.ColUpper[j])))
		m.cols = append(m.cols, u)
		q.ColLower[j], q.ColUpper[j], q.Cost[j] = p.ColLower[j]/u, p.ColUpper[j]/u, p.Cost[j]*u
		largest = max(largest, math.Abs(q.Cost[j]))
		for k := q.Start[j]; k < q.Start[j+1]; k++ {
			q.Value[k] *= u
			m.rows[q.Index[k]] = max(m.rows[q.Index[k]], math.Abs(q.Value[k]))
		}
	}
	m.cost = near(largest)
	for i := range m.rows {
		m.rows[i] = near(m.rows[i])
		q.RowLower[i], q.RowUpper[i] = p.RowLower[i]/m.rows[i], p.RowUpper[i]/m.rows[i]
	}
	for j := range q.Cost {
		q.Cost[j] /= m.cost
	}
	for k, i := range q.Index {
		q.Value[k] /= m.rows[i]
	}
	var err error
	if m.Model, err = s.Solver.Load(q); err != nil {
		return nil, err
	}
	return m, nil
}

// near is the power of two next to a size; 1 where there is none.
func near(size float64) float64 {
	if size == 0 || math.IsInf(size, 0) {
		return 1
	}
	_, exponent := math.Frexp(size)
	return math.Ldexp(1, exponent)
}

// scaledModel is a model of a program in other units. A unit of a column or a row is that many of the program's, and
// one of the costs likewise.
type scaledModel struct {
	Model
	mirror     *Mirror // of the program itself
	cols, rows []float64
	cost       float64
}

func (m *scaledModel) Problem() *Problem { return m.mirror.Problem().Clone() }

func (m *scaledModel) SetColBounds(col Col, lower, upper float64) error {
	if err := m.mirror.SetColBounds(col, lower, upper); err != nil {
		return err
	}
	return m.Model.SetColBounds(col, lower/m.cols[col], upper/m.cols[col])
}

func (m *scaledModel) AddCols(cols ...Column) error {
	if err := m.mirror.AddCols(cols...); err != nil {
		return err
	}
	var list []Column
	for _, c := range cols {
		u := near(max(math.Abs(c.Lower), math.Abs(c.Upper)))
		m.cols = append(m.cols, u)
		c.Lower, c.Upper, c.Cost = c.Lower/u, c.Upper/u, c.Cost*u/m.cost
		c.Entries = slices.Clone(c.Entries)
		for k, e := range c.Entries {
			c.Entries[k].Value = e.Value * u / m.rows[e.Row]
		}
		list = append(list, c)
	}
	return m.Model.AddCols(list...)
}

func (m *scaledModel) Solve(ctx context.Context, limits Limits) (*Solution, error) {
	s, err := m.Model.Solve(ctx, limits)
	if err != nil {
		return s, err
	}
	s.Objective *= m.cost
	for j, u := range m.cols[:len(s.Primal)] {
		s.Primal[j] *= u
	}
	for j, u := range m.cols[:len(s.ReducedCost)] {
		s.ReducedCost[j] *= m.cost / u
	}
	for i, u := range m.rows[:len(s.RowActivity)] {
		s.RowActivity[i] *= u
	}
	for i, u := range m.rows[:len(s.RowDual)] {
		s.RowDual[i] *= m.cost / u
	}
	for k := range s.Ray {
		if s.Status == Infeasible {
			s.Ray[k] /= m.rows[k]
		} else {
			s.Ray[k] *= m.cols[k]
		}
	}
	return s, nil
}
