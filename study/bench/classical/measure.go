package classical

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/big"
	"os"
	"path/filepath"
	"slices"
	"time"

	"jigsaw"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
	"jigsaw/study/bench"
)

// Record is the planner's result for one problem. Exclusive, Greedy, Plan and Bound
// are values relative to the best known value; absent if there is none.
type Record struct {
	Family Family `json:"family"`
	Name   string `json:"name"`
	// Status is optimal, feasible, infeasible, limit or [bench.Failed].
	Status    string   `json:"status"`
	Error     string   `json:"error,omitempty"`
	Exclusive *float64 `json:"exclusive,omitempty"`
	Greedy    *float64 `json:"greedy,omitempty"`
	Plan      *float64 `json:"plan,omitempty"`
	Bound     *float64 `json:"bound,omitempty"`
	Certified bool     `json:"certified,omitempty"`

	// Limit on the time, and Wall, the time taken, in seconds.
	Limit float64 `json:"limit"`
	Wall  float64 `json:"wall"`
	Seed  uint64  `json:"seed"`
	bench.Origin
}

// Run says what to measure.
type Run struct {
	// Data is the file of problems; see [Read].
	Data string
	// Families to measure; empty means all.
	Families []Family
	Limit    time.Duration
	Seed     uint64
	// Out is the file of JSON Lines to which records are appended. Rows already in it
	// are skipped, unless they failed or Again is set.
	Out   string
	Again bool
	// Log receives a line for every row.
	Log io.Writer
}

// Run measures the problems one after the other. If the data is absent it only says
// so in the log.
func (r *Run) Run(ctx context.Context) error {
	problems, err := Read(r.Data)
	if errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintf(r.Log, "skipped: there is no %s; the instances are other people's and are not part of the project\n", r.Data)
		return nil
	}
	if err != nil {
		return err
	}
	for _, f := range r.Families {
		if !slices.Contains(Families(), f) {
			return fmt.Errorf("classical: family %q is not known; choose of %q", f, Families())
		}
	}
	held, err := ReadRecords(r.Out)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(r.Out), 0o755); err != nil {
		return err
	}
	for n, p := range problems {
		if len(r.Families) > 0 && !slices.Contains(r.Families, p.Family) {
			continue
		}
		if !r.Again && slices.ContainsFunc(held, func(h Record) bool {
			return h.Family == p.Family && h.Name == p.Name && h.Limit == r.Limit.Seconds() && h.Seed == r.Seed && h.Status != bench.Failed
		}) {
			continue
		}
		record := r.measure(ctx, &p)
		if ctx.Err() != nil {
			return ctx.Err() // the row was cut short, not measured
		}
		if err := bench.Append(r.Out, record); err != nil {
			return err
		}
		fmt.Fprintf(r.Log, "%d/%d %s %s: %s\n", n+1, len(problems), p.Family, p.Name, record.summary())
	}
	return nil
}

// measure plans one problem.
func (r *Run) measure(ctx context.Context, p *Problem) *Record {
	record := &Record{
		Family: p.Family, Name: p.Name, Limit: r.Limit.Seconds(), Seed: r.Seed, Origin: bench.Now(),
	}
	in, err := instance.Compile(p.Spec, nil)
	if err == nil {
		start := time.Now()
		var result *jigsaw.Result
		result, err = jigsaw.Plan(ctx, in, jigsaw.Options{Seed: r.Seed, Time: r.Limit})
		record.Wall = time.Since(start).Seconds()
		if err == nil {
			err = record.fill(p, in, result)
		}
	}
	if err != nil {
		record.Status, record.Error = bench.Failed, err.Error()
	}
	return record
}

// fill copies the result. The error says how it contradicts what is known of the
// problem.
func (r *Record) fill(p *Problem, in *instance.Instance, result *jigsaw.Result) error {
	r.Status, r.Certified = string(result.Status), result.Certified
	ratio := func(v *big.Rat) *float64 {
		if v == nil {
			return nil
		}
		f, _ := new(big.Rat).Quo(v, p.Known).Float64()
		return &f
	}
	r.Exclusive, r.Greedy = ratio(result.Exclusive.Value), ratio(result.Greedy.Value)
	r.Plan, r.Bound = ratio(result.Primal), ratio(result.Dual)
	if s := result.Schedule; s != nil {
		if v := check.Schedule(in, s); len(v) > 0 {
			return fmt.Errorf("classical: the schedule is invalid: %v", v[0])
		}
		if in.Value(s).Cmp(result.Primal) != 0 {
			return errors.New("classical: the schedule has another value than the plan says")
		}
		if p.Optimal && result.Primal.Cmp(p.Known) < 0 {
			return errors.New("classical: the plan is better than the optimum")
		}
	}
	if result.Certified && result.Dual.Cmp(p.Known) > 0 {
		return errors.New("classical: the bound is above the best value known")
	}
	return nil
}

// summary of a record as a line of the log.
func (r *Record) summary() string {
	if r.Error != "" {
		return r.Status + ": " + r.Error
	}
	return fmt.Sprintf("%s, exclusive %s, plan %s, bound %s, %.1f s", r.Status, excess(r.Exclusive), excess(r.Plan), excess(r.Bound), r.Wall)
}

// ReadRecords returns the records of a file of JSON Lines; for each problem,
// limit and seed the last one counts. A file that does not exist contains none.
func ReadRecords(name string) ([]Record, error) {
	type key struct {
		family Family
		name   string
		limit  float64
		seed   uint64
	}
	return bench.ReadLast(func(r *Record) key { return key{r.Family, r.Name, r.Limit, r.Seed} }, name)
}
