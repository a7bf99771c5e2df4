package trace

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/codec"
)

// layout describes a CSV format.
type layout struct {
	// need are the required columns.
	need []string
	// job fills a job from a row.
	job func(*row, *Job)
}

// columns of the CSV formats.
var columns = map[Format]layout{
	Muri: {
		[]string{"job_id", "num_gpu", "submit_time", "iterations", "model_name", "batch_size", "duration", "iteration_time", "resource_time_0", "resource_time_1", "resource_time_2"},
		muriJob,
	},
	Tiresias: {[]string{"job_id", "num_gpu", "submit_time", "iterations", "model_name", "duration"}, tiresiasJob},
	Philly:   {[]string{"timestamp", "duration", "num_gpus"}, phillyJob},
	Pollux:   {[]string{"name", "time", "application", "num_replicas", "batch_size"}, polluxJob},
	Helios:   {[]string{"job_id", "gpu_num", "submit_time", "duration"}, heliosJob},
}

// row is a row of a CSV file, with access to fields by name.
type row struct {
	*reader
	csv    *csv.Reader
	index  map[string]int
	fields []string
	before int // problems before this row
}

// sound reports whether the row has had no problem so far.
func (r *row) sound() bool { return r.found == r.before }

// csv reads all rows.
func (r *reader) csv(in io.Reader, l layout) {
	b := bufio.NewReaderSize(in, sniff)
	head, _ := b.Peek(sniff) // errors recur below
	first, _, _ := bytes.Cut(head, []byte("\n"))
	c := csv.NewReader(b)
	c.ReuseRecord, c.Comma = true, comma(first)
	header, err := c.Read()
	if err == io.EOF {
		r.problem(1, 1, "the file is empty; it begins with the column names %s", strings.Join(l.need, ","))
		return
	}
	if err != nil {
		r.broken(err)
		return
	}
	row := row{reader: r, csv: c, index: map[string]int{}}
	for k, name := range header {
		name = columnName(name)
		if _, twice := row.index[name]; twice {
			_, column := c.FieldPos(k)
			r.problem(1, column, "there are two columns %q; keep one", instance.Clip(name))
		}
		row.index[name] = k
	}
	for _, name := range l.need {
		if _, ok := row.index[name]; !ok {
			r.problem(1, 1, "the column %q is missing; the %s format has the columns %s", name, r.trace.Format, strings.Join(l.need, ","))
		}
	}
	if len(r.problems) > 0 {
		return
	}
	for !r.full() {
		row.fields, err = c.Read()
		if err == io.EOF {
			return
		}
		if err != nil {
			if r.broken(err); !errors.Is(err, csv.ErrFieldCount) {
				return
			}
			continue
		}
		line, _ := c.FieldPos(0)
		job := Job{line: line, Weight: 1}
		row.before = r.found
		l.job(&row, &job)
		if row.sound() {
			r.add(job, row.at("job_id", "name"))
		}
	}
}

// broken reports that a file is not CSV from here on.
func (r *reader) broken(err error) {
	var parse *csv.ParseError
	if errors.As(err, &parse) {
		message := parse.Err.Error()
		if errors.Is(err, csv.ErrFieldCount) {
			message = "the line has more or fewer fields than the first line has names"
		}
		r.problem(parse.Line, max(1, parse.Column), "%s", message)
		return
	}
	r.problem(0, 0, "%v", err)
}

// at returns the column in the line at which the first existing one of these
// fields begins.
func (r *row) at(names ...string) int {
	for _, name := range names {
		if k, ok := r.index[name]; ok {
			_, column := r.csv.FieldPos(k)
			return column
		}
	}
	return 1
}

// wrong reports a problem in a field.
func (r *row) wrong(name, format string, args ...any) {
	line, column := r.csv.FieldPos(r.index[name])
	r.problem(line, column, "%s: %s", name, fmt.Sprintf(format, args...))
}

// text returns a field; "" for a column that does not exist.
func (r *row) text(name string) string {
	if k, ok := r.index[name]; ok {
		return strings.TrimSpace(r.fields[k])
	}
	return ""
}

// longest is the longest time of a trace in seconds, a hundred years: larger
// numbers are in another unit.
const longest = 100 * 365 * 24 * 3600

// number reads a finite number not below a minimum, or returns what is wrong
// with it.
func number(s string, least float64) (float64, string) {
	v, err := strconv.ParseFloat(s, 64)
	switch {
	case err != nil || math.IsNaN(v) || math.IsInf(v, 0):
		return 0, fmt.Sprintf("%q is not a number", instance.Clip(s))
	case v < least && least == 0:
		return 0, fmt.Sprintf("%s is negative", instance.Clip(s))
	case v < least:
		return 0, fmt.Sprintf("%s is less than %v", instance.Clip(s), least)
	}
	return v, ""
}

// seconds returns a field that is a time, in units of the given number of
// seconds.
func (r *row) seconds(name string, unit float64) float64 {
	v, message := number(r.text(name), 0)
	if message != "" {
		r.wrong(name, "%s; the %s format counts in %s", message, r.trace.Format, unitName(unit))
		return 0
	}
	v *= unit
	if v > longest {
		r.wrong(name, "%s is more than a hundred years; the %s format counts in %s", instance.Clip(r.text(name)), r.trace.Format, unitName(unit))
		return 0
	}
	return v
}

func unitName(unit float64) string {
	if unit == 1 {
		return "seconds"
	}
	return "milliseconds"
}

// whole returns a field that is a whole number from 1 to most.
func (r *row) whole(name string, most int64) int64 {
	v, message := wholeNumber(r.text(name), most)
	if message != "" {
		r.wrong(name, "%s", message)
	}
	return v
}

func wholeNumber(s string, most int64) (int64, string) {
	// Tables with empty cells in a column often have "4.0" in the others.
	if whole, frac, point := strings.Cut(s, "."); point && frac != "" && strings.Trim(frac, "0") == "" {
		s = whole
	}
	v, err := strconv.ParseInt(s, 10, 64)
	switch {
	case err != nil:
		return 0, fmt.Sprintf("%q is not a whole number", instance.Clip(s))
	case v < 1 || v > most:
		return 0, fmt.Sprintf("%d is not from 1 to %d", v, most)
	}
	return v, ""
}

// Limits of the numbers of a job.
const (
	mostGPUs       = 1 << 20
	mostIterations = 1 << 50
	mostBatch      = 1 << 24
)

// gpus fills the number of GPUs.
func (r *row) gpus(name string, j *Job) {
	j.GPUs = int(r.whole(name, mostGPUs))
	j.gpusAt = r.at(name)
}

// model fills the model.
func (r *row) model(name string, j *Job) {
	j.Model, j.modelAt = r.text(name), r.at(name)
	if j.Model == "" {
		r.wrong(name, "the job names no model")
	}
}

// date returns a field that is a date, in seconds after the first of January 1970.
func (r *row) date(name string) float64 {
	text := r.text(name)
	t, ok := parseDate(text)
	if !ok {
		r.wrong(name, "%q is not a date like 2017-10-09 07:01:55", instance.Clip(text))
		return 0
	}
	return float64(t.UnixMilli()) / 1000
}

func parseDate(text string) (time.Time, bool) {
	t, err := codec.ParseTime(text)
	if err != nil {
		t, err = time.Parse(time.DateOnly, text)
	}
	return t, err == nil
}
