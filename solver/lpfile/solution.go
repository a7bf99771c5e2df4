package lpfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"jigsaw/solver"
)

// maxLine is the longest line that is read, in bytes.
const maxLine = 1 << 20

var errFields = errors.New("wrong number of fields")

// Solution is what another solver wrote.
type Solution struct {
	// Solver that wrote the file: "CBC", "HiGHS", "SCIP" or "Gurobi".
	Solver string
	// Status in the solver's own words; empty if the file has none.
	Status string
	// Values of columns by name. Columns that are missing are zero.
	Values map[string]float64
}

// Vector returns the values by column of a program that was written with
// [Names]. A name that the program does not have is an error.
func (s *Solution) Vector(p *solver.Problem) ([]float64, error) {
	cols, _ := Names(p)
	x := make([]float64, len(cols))
	found := 0
	for j, name := range cols {
		v, ok := s.Values[name]
		if ok {
			found++
		}
		x[j] = v
	}
	if found == len(s.Values) {
		return x, nil
	}
	known := make(map[string]bool, len(cols))
	for _, name := range cols {
		known[name] = true
	}
	first := ""
	for name := range s.Values {
		if !known[name] && (first == "" || name < first) {
			first = name
		}
	}
	return nil, fmt.Errorf("lpfile: the program has no column %q: the solution is of another program", clip(first))
}

// ReadSolution reads a solution file of CBC, HiGHS, SCIP or Gurobi, which it
// distinguishes by their first line.
func ReadSolution(r io.Reader) (*Solution, error) {
	f := solutionReader{s: Solution{Values: map[string]float64{}}, columns: -1}
	in := bufio.NewScanner(r)
	in.Buffer(nil, maxLine)
	for in.Scan() {
		f.line++
		text := strings.TrimSpace(in.Text())
		if text == "" {
			continue
		}
		if f.read == nil {
			if f.read = f.recognise(text); f.read == nil {
				return nil, fmt.Errorf("lpfile: line %d: %q does not begin a solution file of CBC, HiGHS, SCIP or Gurobi", f.line, clip(text))
			}
			continue
		}
		if err := f.read(text); err != nil {
			return nil, fmt.Errorf("lpfile: line %d: %w", f.line, err)
		}
	}
	if err := in.Err(); err != nil {
		return nil, fmt.Errorf("lpfile: line %d: %w", f.line+1, err)
	}
	switch {
	case f.read == nil:
		return nil, fmt.Errorf("lpfile: the solution file is empty")
	case f.columns > 0:
		return nil, fmt.Errorf("lpfile: line %d: the file ends before %d columns that it announces", f.line+1, f.columns)
	}
	return &f.s, nil
}

type solutionReader struct {
	line int
	s    Solution
	read func(line string) error
	// columns of a HiGHS file still to be read; -1 outside their section.
	columns int
}

// recognise identifies the solver by the first line, and returns the function
// that reads the other lines.
func (f *solutionReader) recognise(line string) func(string) error {
	status, rest, _ := strings.Cut(line, ":")
	switch {
	case line == "Model status":
		f.s.Solver = "HiGHS"
		return f.highs
	case status == "solution status":
		f.s.Solver, f.s.Status = "SCIP", strings.TrimSpace(rest)
		return f.scip
	case strings.HasPrefix(line, "#"):
		f.s.Solver = "Gurobi"
		return f.gurobi
	case strings.Contains(line, "objective value") || strings.HasPrefix(line, "Infeasible") || strings.HasPrefix(line, "Unbounded"):
		f.s.Solver = "CBC"
		f.s.Status, _, _ = strings.Cut(line, " - ")
		return f.cbc
	}
	return nil
}

// cbc reads "[**] index name value reduced-cost".
func (f *solutionReader) cbc(line string) error {
	fields := strings.Fields(line)
	if fields[0] == "**" { // out of bounds, by CBC's own tolerance
		fields = fields[1:]
	}
	if len(fields) < 3 {
		return errFields
	}
	if _, err := strconv.Atoi(fields[0]); err != nil {
		return fmt.Errorf("%q is not the index of a column", clip(fields[0]))
	}
	return f.value(fields[1], fields[2])
}

// highs reads the status, and "name value" in the section of the columns.
func (f *solutionReader) highs(line string) error {
	fields := strings.Fields(line)
	switch {
	case f.s.Status == "":
		f.s.Status = line
	case f.columns > 0:
		if len(fields) != 2 {
			return errFields
		}
		f.columns--
		return f.value(fields[0], fields[1])
	case len(fields) == 3 && fields[0] == "#" && fields[1] == "Columns" && f.columns < 0:
		n, err := strconv.Atoi(fields[2])
		if err != nil || n < 0 {
			return fmt.Errorf("%q is not a number of columns", clip(fields[2]))
		}
		f.columns = n // those of the dual values come later, and are not read
	}
	return nil
}

// scip reads "name value (obj:cost)".
func (f *solutionReader) scip(line string) error {
	if strings.HasPrefix(line, "objective value:") || line == "no solution available" {
		return nil
	}
	fields := strings.Fields(line)
	if len(fields) < 2 {
		return errFields
	}
	return f.value(fields[0], fields[1])
}

// gurobi reads "name value" and comments.
func (f *solutionReader) gurobi(line string) error {
	if strings.HasPrefix(line, "#") {
		return nil
	}
	fields := strings.Fields(line)
	if len(fields) != 2 {
		return errFields
	}
	return f.value(fields[0], fields[1])
}

func (f *solutionReader) value(name, field string) error {
	if _, ok := f.s.Values[name]; ok {
		return fmt.Errorf("column %q is there twice", clip(name))
	}
	v, err := parse(field)
	if err != nil {
		return err
	}
	f.s.Values[name] = v
	return nil
}

// parse reads a finite number.
func parse(field string) (float64, error) {
	v, err := strconv.ParseFloat(field, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) || strings.ContainsAny(field, "_xXpP") {
		return 0, fmt.Errorf("%q is not a number", clip(field))
	}
	return v, nil
}

func clip(s string) string {
	const most = 60
	if len(s) > most {
		return s[:most] + "..."
	}
	return s
}
