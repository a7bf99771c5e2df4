package clp

import (
	"errors"
	"fmt"
	"runtime"

	"jigsaw/solver"
)

// model is a live model. The mirror is authoritative for the data, and basis for
// the basis; CLP's copy is updated before it solves.
type model struct {
	table   table
	handle  handle
	cleanup runtime.Cleanup // deletes CLP's model if Close was forgotten
	closed  bool
	isSide  bool // a side program: it has an optimum, so any other claim is wrong

	mirror *solver.Mirror
	basis  *solver.Basis // of the last solve or SetBasis; may be shorter than the model; nil before

	// What CLP's copy does not have yet.
	colBounds, basisChanged bool

	// What is known about the basis: it determines the algorithm that can continue
	// from there.
	primalFeasible, dualFeasible bool
}

// newModel copies a validated problem.
func newModel(t table, p *solver.Problem) *model {
	m := &model{table: t, mirror: solver.NewMirror(p)}
	m.load()
	return m
}

// portableRows is the number of rows up to which equal programs give bit-identical
// results on every machine. If CLP has LAPACK it passes it the dense end of a
// factorization: which LAPACK that is depends on the machine, and a browser has
// none. Avoiding it has no measurable cost up to this size, and costs nearly half
// of the speed at 1,500 rows.
const portableRows = 1000

// load gives CLP a fresh copy of the mirror.
func (m *model) load() {
	p := m.mirror.Problem()
	h := m.table.newModel()
	m.table.setLogLevel(h, 0)
	if p.Rows() <= portableRows {
		m.table.makePortable(h)
	}
	m.table.loadProblem(h, int32(p.Cols()), int32(p.Rows()), starts(p), indices(p.Index), p.Value,
		toCoin(p.ColLower), toCoin(p.ColUpper), p.Cost, toCoin(p.RowLower), toCoin(p.RowUpper))
	m.handle = h
	m.cleanup = runtime.AddCleanup(m, m.table.deleteModel, h)
	m.colBounds, m.basisChanged = false, true
}

// unload frees CLP's copy.
func (m *model) unload() {
	m.cleanup.Stop()
	m.table.deleteModel(m.handle)
	m.handle = 0
}

func starts(p *solver.Problem) []int32 {
	out := make([]int32, p.Cols()+1)
	for j := range p.Cols() {
		out[j+1] = int32(p.Start[j+1])
	}
	return out
}

func indices(rows []solver.Row) []int32 {
	out := make([]int32, len(rows))
	for k, i := range rows {
		out[k] = int32(i)
	}
	return out
}

// errClosed is the error of every use after Close.
var errClosed = errors.New("clp: the model is closed")

// Problem returns a copy of the current program.
func (m *model) Problem() *solver.Problem { return m.mirror.Problem().Clone() }

// AddCols appends columns, all or none.
func (m *model) AddCols(cols ...solver.Column) (err error) {
	defer trapped(&err)
	if m.closed {
		return errClosed
	}
	if err := m.mirror.AddCols(cols...); err != nil {
		return fmt.Errorf("clp: add columns: %w", err)
	}
	if len(cols) == 0 {
		return nil
	}
	var lower, upper, cost, values []float64
	var rows []int32
	start := make([]int32, 1, len(cols)+1)
	for _, c := range cols {
		lower = append(lower, c.Lower)
		upper = append(upper, c.Upper)
		cost = append(cost, c.Cost)
		for _, e := range c.Entries {
			rows = append(rows, int32(e.Row))
			values = append(values, e.Value)
		}
		start = append(start, int32(len(rows)))
		// A column that cannot be zero moves the others.
		m.primalFeasible = m.primalFeasible && c.Lower <= 0 && c.Upper >= 0
	}
	m.table.addColumns(m.handle, toCoin(lower), toCoin(upper), cost, start, rows, values)
	m.dualFeasible = false
	m.basisChanged = true
	runtime.KeepAlive(m)
	return nil
}

// SetColBounds replaces the two bounds of a column.
func (m *model) SetColBounds(col solver.Col, lower, upper float64) error {
	if m.closed {
		return errClosed
	}
	if err := m.mirror.SetColBounds(col, lower, upper); err != nil {
		return fmt.Errorf("clp: bounds of column %d: %w", col, err)
	}
	m.colBounds, m.basisChanged = true, true
	m.primalFeasible = false
	return nil
}

// Basis returns a copy of the current basis, or nil before there is one.
func (m *model) Basis() *solver.Basis { return m.basis.Clone() }

// SetBasis makes the next solve start from the given basis.
func (m *model) SetBasis(b *solver.Basis) error {
	if m.closed {
		return errClosed
	}
	full, err := b.Complete(m.mirror.Problem())
	if err != nil {
		return fmt.Errorf("clp: set basis: %w", err)
	}
	m.basis = full
	m.basisChanged = true
	m.primalFeasible, m.dualFeasible = false, false
	return nil
}

// Close frees the model.
func (m *model) Close() error {
	if !m.closed {
		m.closed = true
		m.unload()
	}
	return nil
}

// flush updates CLP's copy.
func (m *model) flush() error {
	p := m.mirror.Problem()
	if m.colBounds {
		m.table.chgColumnLower(m.handle, toCoin(p.ColLower))
		m.table.chgColumnUpper(m.handle, toCoin(p.ColUpper))
	}
	if m.basisChanged {
		// Complete also moves variables at a bound that no longer exists.
		full, err := m.basis.Complete(p)
		if err != nil {
			return fmt.Errorf("clp: basis: %w", err)
		}
		m.basis = full
		m.table.copyinStatus(m.handle, codes(full))
	}
	m.colBounds, m.basisChanged = false, false
	return nil
}

// fetchBasis reads the basis at which CLP stopped.
func (m *model) fetchBasis() {
	p := m.mirror.Problem()
	status := make([]byte, p.Cols()+p.Rows())
	m.table.statusArray(m.handle, status)
	m.basis = basisOf(status, p.Cols())
}
