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

// maxLine is the longest line a reader takes, in bytes.
const maxLine = 1 << 20

// ReadMPS reads an MPS file, free or fixed. A program that is maximised
// (OBJSENSE) comes back negated, for there is only minimisation. Without bounds
// a column is between 0 and infinity, integer or not; an upper bound below 0
// takes the lower bound 0 away, as with most readers.
func ReadMPS(r io.Reader) (*solver.Problem, error) {
	m := mpsReader{rows: map[string]int{}, cols: map[string]int{}, objective: -1}
	in := bufio.NewScanner(r)
	in.Buffer(nil, maxLine)
	for in.Scan() && !m.ended {
		m.line++
		if err := m.read(in.Text()); err != nil {
			return nil, fmt.Errorf("lpfile: line %d: %w", m.line, err)
		}
	}
	if err := in.Err(); err != nil {
		return nil, fmt.Errorf("lpfile: line %d: %w", m.line+1, err)
	}
	if !m.ended {
		return nil, fmt.Errorf("lpfile: line %d: the file ends without ENDATA", m.line+1)
	}
	p := m.problem()
	if err := p.Validate(); err != nil {
		return nil, fmt.Errorf("lpfile: %w", err)
	}
	return p, nil
}

// mpsRow is a row as read: its type and numbers.
type mpsRow struct {
	name   string
	letter byte
	rhs    float64
	width  float64 // of the range; NaN for none
}

// mpsCol is a column as read.
type mpsCol struct {
	name         string
	cost         float64
	integer      bool
	lower, upper float64
	bounded      bool // a lower bound was given
	entries      []solver.Entry
}

type mpsReader struct {
	line      int
	section   string
	name      string
	maximise  bool
	integer   bool
	ended     bool
	objective int // -1 before the first row of type N; rows[objective] is not a row of the program
	list      []mpsRow
	mentioned []int          // by row: 1 + the last column that has an entry there
	rows      map[string]int // index in list
	columns   []mpsCol
	cols      map[string]int
}

var errFields = errors.New("wrong number of fields")

// read takes one line.
func (m *mpsReader) read(line string) error {
	fields := strings.Fields(line)
	if len(fields) == 0 || line[0] == '*' {
		return nil
	}
	if line[0] != ' ' && line[0] != '\t' {
		return m.head(fields)
	}
	switch m.section {
	case "ROWS":
		return m.row(fields)
	case "COLUMNS":
		return m.column(fields)
	case "RHS":
		return m.numbers(fields, "RHS", func(row int, v float64) error {
			m.list[row].rhs = v
			return nil
		})
	case "RANGES":
		return m.numbers(fields, "RANGES", func(row int, v float64) error {
			if m.list[row].letter == 'N' {
				return fmt.Errorf("row %q is free and takes no range", m.list[row].name)
			}
			m.list[row].width = v
			return nil
		})
	case "BOUNDS":
		return m.bound(fields)
	case "OBJSENSE":
		return m.sense(fields[0])
	}
	return fmt.Errorf("data before a section: %q", clip(line))
}

// head begins a section.
func (m *mpsReader) head(fields []string) error {
	switch m.section = strings.ToUpper(fields[0]); m.section {
	case "NAME":
		if len(fields) > 1 {
			m.name = fields[1]
		}
	case "OBJSENSE":
		if len(fields) > 1 {
			return m.sense(fields[1])
		}
	case "ROWS", "COLUMNS", "RHS", "RANGES", "BOUNDS":
	case "ENDATA":
		m.ended = true
	default:
		return fmt.Errorf("section %q is unknown", clip(fields[0]))
	}
	return nil
}

func (m *mpsReader) sense(word string) error {
	switch strings.ToUpper(word) {
	case "MAX", "MAXIMIZE":
		m.maximise = true
	case "MIN", "MINIMIZE":
		m.maximise = false
	default:
		return fmt.Errorf("%q is neither MIN nor MAX", clip(word))
	}
	return nil
}

func (m *mpsReader) row(fields []string) error {
	if len(fields) != 2 {
		return errFields
	}
	letter := strings.ToUpper(fields[0])
	if len(letter) != 1 || !strings.Contains("NELG", letter) {
		return fmt.Errorf("row type %q is none of N, E, L, G", clip(fields[0]))
	}
	if _, ok := m.rows[fields[1]]; ok {
		return fmt.Errorf("row %q is there twice", clip(fields[1]))
	}
	m.rows[fields[1]] = len(m.list)
	if letter == "N" && m.objective < 0 {
		m.objective = len(m.list)
	}
	m.list = append(m.list, mpsRow{fields[1], letter[0], 0, math.NaN()})
	m.mentioned = append(m.mentioned, 0)
	return nil
}

func (m *mpsReader) column(fields []string) error {
	if len(fields) == 3 && strings.Trim(fields[1], "'") == "MARKER" {
		switch strings.Trim(fields[2], "'") {
		case "INTORG":
			m.integer = true
		case "INTEND":
			m.integer = false
		default:
			return fmt.Errorf("marker %q is neither INTORG nor INTEND", clip(fields[2]))
		}
		return nil
	}
	if len(fields) != 3 && len(fields) != 5 {
		return errFields
	}
	j, ok := m.cols[fields[0]]
	if !ok {
		j = len(m.columns)
		m.cols[fields[0]] = j
		m.columns = append(m.columns, mpsCol{name: fields[0], integer: m.integer, upper: math.Inf(1)})
	} else if j != len(m.columns)-1 {
		return fmt.Errorf("column %q is in two places", clip(fields[0]))
	}
	c := &m.columns[j]
	return m.pairs(fields[1:], func(row int, v float64) error {
		if m.mentioned[row] == j+1 {
			return fmt.Errorf("column %q is twice in row %q", clip(c.name), clip(m.list[row].name))
		}
		m.mentioned[row] = j + 1
		if row == m.objective {
			c.cost = v
		} else {
			c.entries = append(c.entries, solver.Entry{Row: solver.Row(row), Value: v})
		}
		return nil
	})
}

// numbers reads a line of RHS or RANGES, whose first field, the name of the
// set, may be missing.
func (m *mpsReader) numbers(fields []string, section string, set func(row int, v float64) error) error {
	if len(fields)%2 == 1 {
		fields = fields[1:]
	}
	if len(fields) != 2 && len(fields) != 4 {
		return errFields
	}
	return m.pairs(fields, func(row int, v float64) error {
		if row == m.objective {
			return fmt.Errorf("the objective cannot have a constant in %s", section)
		}
		return set(row, v)
	})
}

// pairs reads names of rows with numbers.
func (m *mpsReader) pairs(fields []string, set func(row int, v float64) error) error {
	for ; len(fields) >= 2; fields = fields[2:] {
		row, ok := m.rows[fields[0]]
		if !ok {
			return fmt.Errorf("row %q is unknown", clip(fields[0]))
		}
		v, err := parse(fields[1])
		if err != nil {
			return err
		}
		if err := set(row, v); err != nil {
			return err
		}
	}
	return nil
}

func (m *mpsReader) bound(fields []string) error {
	kind := strings.ToUpper(fields[0])
	bare := kind == "FR" || kind == "MI" || kind == "PL" || kind == "BV"
	rest := fields[1:]
	var name string
	var value float64
	switch {
	case bare && len(rest) == 1:
		name = rest[0]
	case bare && (len(rest) == 2 || len(rest) == 3):
		name = rest[1]
	case !bare && (len(rest) == 2 || len(rest) == 3):
		name = rest[len(rest)-2]
		var err error
		if value, err = parseBound(rest[len(rest)-1]); err != nil {
			return err
		}
	default:
		return errFields
	}
	j, ok := m.cols[name]
	if !ok {
		return fmt.Errorf("column %q is unknown", clip(name))
	}
	c := &m.columns[j]
	switch kind {
	case "UP", "UI":
		c.upper = value
		if value < 0 && !c.bounded {
			c.lower = math.Inf(-1)
		}
	case "LO", "LI":
		c.lower, c.bounded = value, true
	case "FX":
		c.lower, c.upper, c.bounded = value, value, true
	case "FR":
		c.lower, c.upper, c.bounded = math.Inf(-1), math.Inf(1), true
	case "MI":
		c.lower, c.bounded = math.Inf(-1), true
	case "PL":
		c.upper = math.Inf(1)
	case "BV":
		c.lower, c.upper, c.integer, c.bounded = 0, 1, true, true
	default:
		return fmt.Errorf("bound type %q is unknown", clip(fields[0]))
	}
	if kind == "UI" || kind == "LI" {
		c.integer = true
	}
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

// parseBound reads a number; what solvers take for infinite is.
func parseBound(field string) (float64, error) {
	switch lower(field) {
	case "inf", "+inf", "infinity", "+infinity":
		return math.Inf(1), nil
	case "-inf", "-infinity":
		return math.Inf(-1), nil
	}
	v, err := parse(field)
	if math.Abs(v) >= solver.Huge {
		v = math.Inf(int(math.Copysign(1, v)))
	}
	return v, err
}

func clip(s string) string {
	const most = 60
	if len(s) > most {
		return s[:most] + "..."
	}
	return s
}

// problem puts together what was read.
func (m *mpsReader) problem() *solver.Problem {
	p := &solver.Problem{Name: m.name}
	index := make([]solver.Row, len(m.list)) // of the program
	for i := range m.list {
		if i == m.objective {
			continue
		}
		lower, upper := m.list[i].bounds()
		index[i] = p.AddRow(m.list[i].name, lower, upper)
	}
	for j := range m.columns {
		c := &m.columns[j]
		for k := range c.entries {
			c.entries[k].Row = index[c.entries[k].Row]
		}
		cost := c.cost
		if m.maximise {
			cost = -cost
		}
		col := p.AddCol(c.name, cost, c.lower, c.upper, c.entries...)
		if c.integer {
			p.SetInteger(col)
		}
	}
	return p
}

// bounds of a row by its type, right-hand side and range.
func (r *mpsRow) bounds() (lower, upper float64) {
	lower, upper = math.Inf(-1), math.Inf(1)
	width := math.Abs(r.width)
	switch {
	case r.letter == 'N':
	case r.letter == 'E' && r.width >= 0:
		lower, upper = r.rhs, r.rhs+width
	case r.letter == 'E' && r.width < 0:
		lower, upper = r.rhs-width, r.rhs
	case r.letter == 'E':
		lower, upper = r.rhs, r.rhs
	case r.letter == 'L':
		if upper = r.rhs; !math.IsNaN(width) {
			lower = r.rhs - width
		}
	default:
		if lower = r.rhs; !math.IsNaN(width) {
			upper = r.rhs + width
		}
	}
	return lower, upper
}
