package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"jigsaw/method"
)

// Plan of a run: which rows, the time for each, and where the records go.
type Plan struct {
	Selection
	Way
	// Out is the file of JSON Lines. Rows already in it are skipped, unless they failed.
	Out string
	// Again also measures rows that are in Out.
	Again bool
	// Strict makes failed rows an error, after all rows have been measured.
	Strict bool
	// Log receives a line for every row.
	Log io.Writer
}

// Way of planning a row.
type Way struct {
	// Limit on the time; in a [Plan] 0 means that of the row's size.
	Limit time.Duration
	// Work, unless 0, is the effort of plans that do a fixed amount of work, however long
	// that takes: the result does not depend on the machine and its load.
	Work int
	// Without lists the methods of the planner that are switched off.
	Without method.Set
}

// ParseWay parses the limit, the work and the methods left out from a child's
// arguments.
func ParseWay(args []string) (w Way, err error) {
	if w.Limit, err = time.ParseDuration(args[0]); err != nil {
		return w, fmt.Errorf("bench: limit: %w", err)
	}
	if w.Work, err = strconv.Atoi(args[1]); err != nil {
		return w, fmt.Errorf("bench: work: %w", err)
	}
	w.Without, err = method.Parse(strings.FieldsFunc(args[2], func(r rune) bool { return r == ',' }))
	return w, err
}

// measurement is one solver on one row.
type measurement struct {
	row    Row
	solver string
	way    Way
	// measure returns a record; errors become records of failures.
	measure func(context.Context, *Case, *Record) error
}

// run makes the measurements one after the other, and appends their records.
// Only files that cannot be written and a cancelled context stop it.
func (p *Plan) run(ctx context.Context, measurements []measurement) error {
	if err := os.MkdirAll(filepath.Dir(p.Out), 0o755); err != nil {
		return err
	}
	held, err := Read(p.Out)
	if err != nil {
		return err
	}
	done := map[key]bool{}
	for i := range held {
		done[held[i].key()] = held[i].Status != Failed && !p.Again
	}
	failed := 0
	for n, m := range measurements {
		r := &Record{Row: m.row, Solver: m.solver, Limit: m.way.Limit.Seconds(), Work: m.way.Work, Without: m.way.Without.String(), Origin: Now()}
		c, err := Generate(m.row)
		if err == nil {
			if r, err = newRecord(c, m.solver, m.way); err != nil {
				return err
			}
			if done[r.key()] {
				continue
			}
			err = m.measure(ctx, c, r)
		}
		if ctx.Err() != nil {
			return ctx.Err() // the row was cut short, not measured
		}
		if err != nil {
			r.Status, r.Error = Failed, err.Error()
		}
		if r.Status == Failed {
			failed++
		}
		if err := Append(p.Out, r); err != nil {
			return err
		}
		fmt.Fprintf(p.Log, "%d/%d %v %s: %s\n", n+1, len(measurements), m.row, m.solver, r.summary())
	}
	if failed > 0 && p.Strict {
		return fmt.Errorf("bench: %d of %d rows failed", failed, len(measurements))
	}
	return nil
}

// summary of a record as a line of the log.
func (r *Record) summary() string {
	if r.Error != "" {
		return r.Status + ": " + r.Error
	}
	text := r.Status
	if r.Gap != nil {
		text += fmt.Sprintf(", gap %.2f %%", 100**r.Gap)
	}
	return text + fmt.Sprintf(", %.1f s, %s", r.Wall, bytesText(r.PeakMemory))
}

// Run measures JigSaw on the rows, each in a separate process: executable is called with
// the arguments child, row, limit, work and methods left out, and has to write a record as
// [Child] does.
func (p *Plan) Run(ctx context.Context, executable string) error {
	rows, err := p.Rows()
	if err != nil {
		return err
	}
	var measurements []measurement
	for _, row := range rows {
		way := p.way(row)
		measurements = append(measurements, measurement{row, JigSaw, way, func(ctx context.Context, _ *Case, r *Record) error {
			took, err := output(ctx, way.Limit, r, executable, "child", row.String(), way.Limit.String(), strconv.Itoa(way.Work), way.Without.String())
			r.CPU = took.Seconds()
			return err
		}})
	}
	return p.run(ctx, measurements)
}

// way of planning a row: a limit on the time, unless the work is fixed.
func (p *Plan) way(row Row) Way {
	w := p.Way
	if w.Work > 0 {
		w.Limit = 0
	} else if w.Limit == 0 {
		w.Limit = time.Minute
		if size, err := SizeNamed(row.Size); err == nil {
			w.Limit = size.Limit
		}
	}
	return w
}

// Child measures one row in this process and writes its record.
func Child(ctx context.Context, w io.Writer, row Row, way Way) error {
	c, err := Generate(row)
	if err != nil {
		return err
	}
	r, err := Measure(ctx, c, way)
	if err != nil {
		return err
	}
	return json.NewEncoder(w).Encode(r)
}

// grace is how much longer than its limit a process may take to read its input
// and to stop, before it is killed.
func grace(limit time.Duration) time.Duration { return 2*time.Minute + limit/2 }

// output runs a command, decodes the JSON object that it writes into v, and returns the
// processor time that it took. A limit of 0 means none.
func output(ctx context.Context, limit time.Duration, v any, name string, args ...string) (took time.Duration, err error) {
	if limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit+grace(limit))
		defer cancel()
	}
	var out, log bytes.Buffer
	command := exec.CommandContext(ctx, name, args...)
	command.Stdout, command.Stderr, command.WaitDelay = &out, &log, 10*time.Second
	if err := command.Run(); err != nil {
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			err = fmt.Errorf("killed: it did not stop %v after its limit of %v", grace(limit), limit)
		}
		return 0, fmt.Errorf("bench: %s: %w%s", filepath.Base(name), err, tail(log.Bytes()))
	}
	took = command.ProcessState.UserTime() + command.ProcessState.SystemTime()
	if err := json.Unmarshal(out.Bytes(), v); err != nil {
		return took, fmt.Errorf("bench: %s wrote no result: %w%s", filepath.Base(name), err, tail(log.Bytes()))
	}
	return took, nil
}

// tail is the end of a log, to be appended to an error.
func tail(log []byte) string {
	log = bytes.TrimSpace(log)
	if len(log) == 0 {
		return ""
	}
	const most = 300
	if len(log) > most {
		log = log[len(log)-most:]
	}
	return ": " + string(log)
}
