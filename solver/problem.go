package solver

import "slices"

// Row is the index of a row of a [Problem], from 0.
type Row int

// Col is the index of a column of a [Problem], from 0.
type Col int

// Entry is one coefficient of a column.
type Entry struct {
	Row   Row
	Value float64
}

// Column is a column to be added to a program.
type Column struct {
	Name         string // may be empty
	Cost         float64
	Lower, Upper float64 // bounds of the variable, infinities allowed
	Entries      []Entry // at most one per row
}

// Problem is a linear program as plain data: min c'x, rowLower <= Ax <=
// rowUpper, colLower <= x <= colUpper. Anyone may build, print, compare or write
// it; no engine keeps a reference to it. The zero value is the empty program.
//
// The matrix is column-major: the coefficients of column j are Value[k] in row
// Index[k] for Start[j] <= k < Start[j+1], in any order of rows.
type Problem struct {
	Name string

	Cost, ColLower, ColUpper []float64 // by Col; length n
	RowLower, RowUpper       []float64 // by Row; length m

	Start []int     // by Col; length n+1, or nil when n = 0
	Index []Row     // length Start[n]
	Value []float64 // length Start[n]

	Integer []bool // by Col; nil when every column is continuous

	ColNames, RowNames []string // by Col and by Row; nil, or full length
}

// Rows returns the number of rows.
func (p *Problem) Rows() int { return len(p.RowLower) }

// Cols returns the number of columns.
func (p *Problem) Cols() int { return len(p.Cost) }

// AddRow appends an empty row and returns its index. Coefficients come with the
// columns added later. Nothing is checked here: [Problem.Validate] reports all
// errors at once.
func (p *Problem) AddRow(name string, lower, upper float64) Row {
	row := Row(p.Rows())
	p.RowNames = appendName(p.RowNames, name, p.Rows())
	p.RowLower = append(p.RowLower, lower)
	p.RowUpper = append(p.RowUpper, upper)
	return row
}

// AddCol appends a continuous column and returns its index. The entries are
// copied.
func (p *Problem) AddCol(name string, cost, lower, upper float64, entries ...Entry) Col {
	col := Col(p.Cols())
	if len(p.Start) == 0 {
		p.Start = append(p.Start, 0)
	}
	for _, e := range entries {
		p.Index = append(p.Index, e.Row)
		p.Value = append(p.Value, e.Value)
	}
	p.Start = append(p.Start, len(p.Index))
	p.ColNames = appendName(p.ColNames, name, p.Cols())
	if p.Integer != nil {
		p.Integer = append(p.Integer, false)
	}
	p.Cost = append(p.Cost, cost)
	p.ColLower = append(p.ColLower, lower)
	p.ColUpper = append(p.ColUpper, upper)
	return col
}

// Column returns the entries of a column. The two slices share the memory of the
// problem.
func (p *Problem) Column(col Col) (rows []Row, values []float64) {
	from, to := p.Start[col], p.Start[col+1]
	return p.Index[from:to], p.Value[from:to]
}

// Clone returns a deep copy.
func (p *Problem) Clone() *Problem {
	return &Problem{
		Name:     p.Name,
		Cost:     slices.Clone(p.Cost),
		ColLower: slices.Clone(p.ColLower),
		ColUpper: slices.Clone(p.ColUpper),
		RowLower: slices.Clone(p.RowLower),
		RowUpper: slices.Clone(p.RowUpper),
		Start:    slices.Clone(p.Start),
		Index:    slices.Clone(p.Index),
		Value:    slices.Clone(p.Value),
		Integer:  slices.Clone(p.Integer),
		ColNames: slices.Clone(p.ColNames),
		RowNames: slices.Clone(p.RowNames),
	}
}

// appendName keeps names nil until the first one is given, then at full length.
func appendName(names []string, name string, count int) []string {
	if names == nil && name == "" {
		return nil
	}
	for len(names) < count {
		names = append(names, "")
	}
	return append(names, name)
}
