package store

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
)

// Line is a row for output: with the sweep of the study that contains it, and the
// factors of its gain.
type Line struct {
	Sweep string `json:"sweep"`
	Parameters
	Outcome
	Factors
}

// Line returns the row as a line of a sweep.
func (r *Row) Line(sweep string) TimedLine {
	return TimedLine{Line{sweep, r.Parameters, r.Outcome, r.Factors()}, r.Timing}
}

// TimedLine is a line including what differs between equal runs.
type TimedLine struct {
	Line
	Timing
}

// Formats that [Write] knows.
func Formats() []string { return []string{"csv", "jsonl"} }

// Write writes lines, of type [Line] or [TimedLine], in a format.
func Write[L Line | TimedLine](w io.Writer, format string, lines []L) error {
	switch format {
	case "csv":
		return writeCSV(w, lines)
	case "jsonl":
		b := bufio.NewWriter(w)
		encoder := json.NewEncoder(b)
		encoder.SetEscapeHTML(false)
		for i := range lines {
			if err := encoder.Encode(&lines[i]); err != nil {
				return fmt.Errorf("store: %w", err)
			}
		}
		return b.Flush()
	}
	return fmt.Errorf("store: unknown format %q; choose csv or jsonl", format)
}

func writeCSV[L any](w io.Writer, lines []L) error {
	columns := columnsOf(reflect.TypeFor[L]())
	c := csv.NewWriter(w)
	cells := make([]string, len(columns))
	for i, column := range columns {
		cells[i] = column.name
	}
	if err := c.Write(cells); err != nil {
		return fmt.Errorf("store: %w", err)
	}
	for i := range lines {
		for k, column := range columns {
			var err error
			if cells[k], err = column.text(reflect.ValueOf(&lines[i]).Elem()); err != nil {
				return fmt.Errorf("store: %w", err)
			}
		}
		if err := c.Write(cells); err != nil {
			return fmt.Errorf("store: %w", err)
		}
	}
	c.Flush()
	return c.Error()
}
