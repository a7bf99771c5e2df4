package lpfile

import (
	"bufio"
	"fmt"
	"io"
	"math"

	"jigsaw/solver"
)

// WriteMPS writes a program as a free MPS file. Bounds of integer columns are
// always written, because readers disagree on their defaults. Rows without
// bounds become further rows of type N, which some solvers drop.
func WriteMPS(w io.Writer, p *solver.Problem) error {
	if err := p.Validate(); err != nil {
		return fmt.Errorf("lpfile: %w", err)
	}
	out := bufio.NewWriter(w)
	cols, rows := Names(p)
	title := p.Name
	if !validName(title) {
		title = "program"
	}
	fmt.Fprintf(out, "NAME %s FREE\nROWS\n N %s\n", title, objective)
	kinds := make([]rowKind, len(rows))
	for i, name := range rows {
		kinds[i] = kindOf(p.RowLower[i], p.RowUpper[i])
		fmt.Fprintf(out, " %c %s\n", kinds[i].letter, name)
	}
	fmt.Fprintln(out, "COLUMNS")
	integer, markers := false, 0
	mark := func(begins bool) {
		if begins != integer {
			fmt.Fprintf(out, " MARKER%d 'MARKER' '%s'\n", markers, map[bool]string{true: "INTORG", false: "INTEND"}[begins])
			integer = begins
			markers++
		}
	}
	for j, name := range cols {
		mark(p.Integer != nil && p.Integer[j])
		at, values := p.Column(solver.Col(j))
		if p.Cost[j] != 0 || len(at) == 0 { // a column has to be mentioned
			fmt.Fprintf(out, " %s %s %s\n", name, objective, number(p.Cost[j]))
		}
		for k, i := range at {
			fmt.Fprintf(out, " %s %s %s\n", name, rows[i], number(values[k]))
		}
	}
	mark(false)
	fmt.Fprintln(out, "RHS")
	for i, name := range rows {
		if kinds[i].rhs != 0 {
			fmt.Fprintf(out, " RHS %s %s\n", name, number(kinds[i].rhs))
		}
	}
	fmt.Fprintln(out, "RANGES")
	for i, name := range rows {
		if kinds[i].ranged {
			fmt.Fprintf(out, " RANGE %s %s\n", name, number(p.RowUpper[i]-p.RowLower[i]))
		}
	}
	fmt.Fprintln(out, "BOUNDS")
	for j, name := range cols {
		writeBounds(out, name, p.ColLower[j], p.ColUpper[j], p.Integer != nil && p.Integer[j])
	}
	fmt.Fprintln(out, "ENDATA")
	if err := out.Flush(); err != nil {
		return fmt.Errorf("lpfile: %w", err)
	}
	return nil
}

// rowKind is a row in MPS form: its letter, right-hand side, and whether a
// range gives the other bound.
type rowKind struct {
	letter byte
	rhs    float64
	ranged bool
}

func kindOf(lower, upper float64) rowKind {
	switch {
	case lower == upper:
		return rowKind{'E', lower, false}
	case math.IsInf(lower, -1) && math.IsInf(upper, 1):
		return rowKind{'N', 0, false}
	case math.IsInf(lower, -1):
		return rowKind{'L', upper, false}
	case math.IsInf(upper, 1):
		return rowKind{'G', lower, false}
	case lower+(upper-lower) != upper && upper-(upper-lower) == lower:
		return rowKind{'L', upper, true} // the side that stays exact when rounded
	}
	return rowKind{'G', lower, true}
}

func writeBounds(out *bufio.Writer, name string, lower, upper float64, integer bool) {
	bound := func(kind string, v float64) { fmt.Fprintf(out, " %s BOUND %s %s\n", kind, name, number(v)) }
	switch {
	case lower == upper:
		bound("FX", lower)
		return
	case math.IsInf(lower, -1) && math.IsInf(upper, 1):
		fmt.Fprintf(out, " FR BOUND %s\n", name)
		return
	case math.IsInf(lower, -1):
		fmt.Fprintf(out, " MI BOUND %s\n", name)
	case lower != 0 || upper < 0:
		bound("LO", lower)
	}
	switch {
	case !math.IsInf(upper, 1):
		bound("UP", upper)
	case integer:
		fmt.Fprintf(out, " PL BOUND %s\n", name)
	}
}
