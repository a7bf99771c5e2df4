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
	"time"
)

// Plan of a run: which rows, how long each, and where the records go.
type Plan struct {
	Selection
	// Limit on the time of every row; 0 means that of its size.
	Limit time.Duration
	// Out is the file of JSON Lines. Rows that it holds are skipped, unless they failed.
	Out string
	// Again measures rows that Out holds, too.
	Again bool
	// Strict makes failed rows an error, after all rows have been measured.
	Strict bool
	// Log is told of every row.
	Log io.Writer
}

// measurement is one solver on one row.
type measurement struct {
	row    Row
	solver string
	limit  time.Duration
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
		r := &Record{Row: m.row, Solver: m.solver, Limit: m.limit.Seconds(), Commit: Commit(), Machine: ThisMachine(), Started: time.Now().UTC()}
		c, err := Generate(m.row)
		if err == nil {
			if r, err = newRecord(c, m.solver, m.limit); err != nil {
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

// summary of a record in a line of the log.
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

// Run measures JigSaw on the rows, each in a process of its own: executable is
// called with the arguments child, row and limit, and has to write a record
// as [Child] does.
func (p *Plan) Run(ctx context.Context, executable string) error {
	rows, err := p.Rows()
	if err != nil {
		return err
	}
	var measurements []measurement
	for _, row := range rows {
		limit := p.limit(row)
		measurements = append(measurements, measurement{row, JigSaw, limit, func(ctx context.Context, _ *Case, r *Record) error {
			return output(ctx, limit, r, executable, "child", row.String(), limit.String())
		}})
	}
	return p.run(ctx, measurements)
}

// limit on the time of a row.
func (p *Plan) limit(row Row) time.Duration {
	if p.Limit > 0 {
		return p.Limit
	}
	size, err := SizeNamed(row.Size)
	if err != nil {
		return time.Minute
	}
	return size.Limit
}

// Child measures one row in this process and writes its record.
func Child(ctx context.Context, w io.Writer, row Row, limit time.Duration) error {
	c, err := Generate(row)
	if err != nil {
		return err
	}
	r, err := Measure(ctx, c, limit)
	if err != nil {
		return err
	}
	return json.NewEncoder(w).Encode(r)
}

// grace is how much longer than its limit a process may take to read its input
// and to stop, before it is killed.
func grace(limit time.Duration) time.Duration { return 2*time.Minute + limit/2 }

// output runs a command and decodes the JSON object that it writes into v.
func output(ctx context.Context, limit time.Duration, v any, name string, args ...string) error {
	ctx, cancel := context.WithTimeout(ctx, limit+grace(limit))
	defer cancel()
	var out, log bytes.Buffer
	command := exec.CommandContext(ctx, name, args...)
	command.Stdout, command.Stderr, command.WaitDelay = &out, &log, 10*time.Second
	if err := command.Run(); err != nil {
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			err = fmt.Errorf("killed: it did not stop %v after its limit of %v", grace(limit), limit)
		}
		return fmt.Errorf("bench: %s: %w%s", filepath.Base(name), err, tail(log.Bytes()))
	}
	if err := json.Unmarshal(out.Bytes(), v); err != nil {
		return fmt.Errorf("bench: %s wrote no result: %w%s", filepath.Base(name), err, tail(log.Bytes()))
	}
	return nil
}

// tail is the end of a log, to be put behind an error.
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
