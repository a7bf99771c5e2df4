package lpfile

import (
	"bufio"
	"fmt"
	"io"
	"math"

	"jigsaw/solver"
)

// lineWidth is the width at which lines of an LP file are broken; CPLEX reads
// 560 characters.
const lineWidth = 200

// WriteLP writes a program in the LP format of CPLEX. Readers disagree on rows
// with two different bounds, so such a row becomes two, the second with the
// suffix "_up". Rows without bounds are left out.
func WriteLP(w io.Writer, p *solver.Problem) error {
	if err := p.Validate(); err != nil {
		return fmt.Errorf("lpfile: %w", err)
	}
	if p.Cols() == 0 {
		return fmt.Errorf("lpfile: an LP file cannot hold a program without columns; choose MPS")
	}
	f := lpWriter{out: bufio.NewWriter(w)}
	var rows []string
	f.cols, rows = Names(p)
	taken := map[string]bool{}
	for _, name := range rows {
		taken[name] = true
	}

	fmt.Fprintf(f.out, "\\ %s\nMinimize\n", clip(printable(p.Name)))
	var costs []term
	for j, c := range p.Cost {
		if c != 0 {
			costs = append(costs, term{solver.Col(j), c})
		}
	}
	f.sum(objective, costs)
	f.end("")
	fmt.Fprintln(f.out, "Subject To")
	for i, terms := range byRow(p) {
		lower, upper := p.RowLower[i], p.RowUpper[i]
		row := func(name, sign string, bound float64) {
			f.sum(name, terms)
			f.end(" " + sign + " " + number(bound))
		}
		name := rows[i]
		if lower == upper {
			row(name, "=", lower)
			continue
		}
		if !math.IsInf(lower, -1) {
			row(name, ">=", lower)
			for name += "_up"; taken[name]; name += "_" {
			}
		}
		if !math.IsInf(upper, 1) {
			row(name, "<=", upper)
			taken[name] = true
		}
	}
	f.bounds(p)
	f.integers(p)
	fmt.Fprintln(f.out, "End")
	if err := f.out.Flush(); err != nil {
		return fmt.Errorf("lpfile: %w", err)
	}
	return nil
}

// lpWriter breaks lines.
type lpWriter struct {
	out   *bufio.Writer
	cols  []string
	width int
}

func (f *lpWriter) word(s string) {
	if f.width > 0 && f.width+len(s) > lineWidth {
		fmt.Fprint(f.out, "\n  ")
		f.width = 2
	}
	f.width += len(s)
	fmt.Fprint(f.out, s)
}

func (f *lpWriter) end(s string) {
	f.word(s)
	fmt.Fprintln(f.out)
	f.width = 0
}

// term is one coefficient of a row.
type term struct {
	col   solver.Col
	value float64
}

// sum writes a linear form; an empty one as 0 times the first column.
func (f *lpWriter) sum(name string, terms []term) {
	f.word(" " + name + ":")
	if len(terms) == 0 {
		f.word(" 0 " + f.cols[0])
	}
	for _, t := range terms {
		sign := " + "
		if t.value < 0 {
			sign = " - "
		}
		if v := math.Abs(t.value); v != 1 {
			f.word(sign + number(v) + " " + f.cols[t.col])
		} else {
			f.word(sign + f.cols[t.col])
		}
	}
}

func (f *lpWriter) bounds(p *solver.Problem) {
	fmt.Fprintln(f.out, "Bounds")
	for j, name := range f.cols {
		switch lower, upper := p.ColLower[j], p.ColUpper[j]; {
		case lower == upper:
			f.end(" " + name + " = " + number(lower))
		case math.IsInf(lower, -1) && math.IsInf(upper, 1):
			f.end(" " + name + " free")
		case math.IsInf(lower, -1):
			f.end(" -inf <= " + name + " <= " + number(upper))
		case math.IsInf(upper, 1):
			f.end(" " + name + " >= " + number(lower))
		default:
			f.end(" " + number(lower) + " <= " + name + " <= " + number(upper))
		}
	}
}

func (f *lpWriter) integers(p *solver.Problem) {
	some := false
	for j, integer := range p.Integer {
		if !integer {
			continue
		}
		if !some {
			fmt.Fprintln(f.out, "Generals")
			some = true
		}
		f.word(" " + f.cols[j])
	}
	if some {
		f.end("")
	}
}

// byRow returns the terms of every row, by ascending column.
func byRow(p *solver.Problem) [][]term {
	rows := make([][]term, p.Rows())
	for j := range p.Cols() {
		at, values := p.Column(solver.Col(j))
		for k, i := range at {
			rows[i] = append(rows[i], term{solver.Col(j), values[k]})
		}
	}
	return rows
}

// printable keeps what a comment can hold.
func printable(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c < ' ' || c > '~' {
			b[i] = '?'
		}
	}
	return string(b)
}
