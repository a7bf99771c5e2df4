package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"jigsaw"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/codec"
)

// CPSAT is the name of OR-tools' constraint solver among the peers. The others
// are integer programming codes on JigSaw's time-indexed programs, named
// <code>-<granularity>.
const CPSAT = "cpsat"

// PeerSolvers lists the peers that are measured by default.
func PeerSolvers() []string {
	return []string{CPSAT, "highs-node", "highs-pool", "scip-node", "scip-pool", "cbc-node", "cbc-pool"}
}

// Peers is a run of other solvers.
type Peers struct {
	Plan
	// Solvers to measure, of [PeerSolvers], or with granularity gpu.
	Solvers []string
	// JigSaw, Python, Scripts: JigSaw is our command, which writes the models;
	// Python has the solvers; Scripts contains cpsat.py and mip.py.
	JigSaw, Python, Scripts string
	// Work is a folder for models and solutions. They are deleted when done.
	Work string
}

// Run measures the solvers on the rows, one after the other on all cores. Rows
// of periodic objectives are left out: each period would be a separate program.
func (p *Peers) Run(ctx context.Context) error {
	rows, err := p.Rows()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(p.Work, 0o755); err != nil {
		return err
	}
	var measurements []measurement
	for _, row := range rows {
		if row.Objective.Periodic() {
			continue
		}
		limit := p.way(row).Limit
		for _, solver := range p.Solvers {
			measure := func(ctx context.Context, c *Case, r *Record) error { return p.program(ctx, c, r, limit) }
			if solver == CPSAT {
				measure = func(ctx context.Context, c *Case, r *Record) error { return p.cpsat(ctx, c, r, limit) }
			} else if code, _, ok := strings.Cut(solver, "-"); !ok || code == "" {
				return fmt.Errorf("bench: unknown solver %q; choose of %v", solver, PeerSolvers())
			}
			measurements = append(measurements, measurement{row, solver, Way{Limit: limit}, measure})
		}
	}
	return p.run(ctx, measurements)
}

// answer is the output of the Python scripts. Numbers are null if unknown.
type answer struct {
	Status     string   `json:"status"`
	Primal     *float64 `json:"primal"`
	Dual       *float64 `json:"dual"`
	Wall       float64  `json:"wall"`
	PeakMemory int64    `json:"peak_memory"`
	Nodes      *int64   `json:"nodes"`
	Version    string   `json:"version"`
	// Series of [seconds, primal or null, dual or null], if the solver reports it.
	Series [][3]*float64 `json:"series"`
}

// greedy is the list schedule with which CP-SAT starts. The models of the other
// codes already exclude solutions worse than it.
func greedy(ctx context.Context, c *Case) (*instance.Schedule, error) {
	// Any plan is within such a gap: nothing is improved.
	result, err := jigsaw.Plan(ctx, c.Instance, jigsaw.Options{Seed: c.Seed, Gap: 1e9, NoLP: true})
	if err != nil {
		return nil, err
	}
	if result.Greedy.Schedule == nil {
		return nil, fmt.Errorf("bench: no list schedule: %s", result.Greedy.Reason)
	}
	return result.Greedy.Schedule, nil
}

// program measures an integer programming code.
func (p *Peers) program(ctx context.Context, c *Case, r *Record, limit time.Duration) error {
	code, granularity, _ := strings.Cut(r.Solver, "-")
	r.Relaxed = granularity != "gpu"
	input, model := filepath.Join(p.Work, c.String()+".json"), filepath.Join(p.Work, c.String()+"-"+granularity+".mps")
	defer os.Remove(input)
	defer os.Remove(model)
	if err := writeSpec(input, c.Spec, codec.EncodeJSON); err != nil {
		return err
	}
	start := time.Now()
	export := exec.CommandContext(ctx, p.JigSaw, "export", input, "--granularity", granularity, "--file", model)
	if out, err := export.CombinedOutput(); err != nil {
		return fmt.Errorf("bench: jigsaw export: %w%s", err, tail(out))
	}
	r.Model = time.Since(start).Seconds()
	var a answer
	if _, err := output(ctx, limit, &a, p.Python, filepath.Join(p.Scripts, "mip.py"), "--solver", code, "--model", model,
		"--limit", seconds3(limit), "--threads", strconv.Itoa(r.Machine.Cores)); err != nil {
		return err
	}
	return r.answer(c, &a, nil)
}

// cpsat measures OR-tools' CP-SAT. Its schedule has to pass the checker.
func (p *Peers) cpsat(ctx context.Context, c *Case, r *Record, limit time.Duration) error {
	hint, err := greedy(ctx, c)
	if err != nil {
		return err
	}
	data, err := newProgramData(c.Instance, hint)
	if err != nil {
		return err
	}
	text, err := json.Marshal(data)
	if err != nil {
		return err
	}
	input, solution := filepath.Join(p.Work, c.String()+"-cpsat.json"), filepath.Join(p.Work, c.String()+"-schedule.json")
	defer os.Remove(input)
	defer os.Remove(solution)
	if err := os.WriteFile(input, text, 0o644); err != nil {
		return err
	}
	var a answer
	if _, err := output(ctx, limit, &a, p.Python, filepath.Join(p.Scripts, "cpsat.py"), "--data", input, "--solution", solution,
		"--limit", seconds3(limit), "--threads", strconv.Itoa(r.Machine.Cores)); err != nil {
		return err
	}
	found, err := os.ReadFile(solution)
	if errors.Is(err, os.ErrNotExist) {
		return r.answer(c, &a, nil)
	} else if err != nil {
		return err
	}
	schedule, err := codec.DecodeSchedule(c.Instance, bytes.NewReader(found))
	if err != nil {
		return err
	}
	return r.answer(c, &a, schedule)
}

// seconds3 is a limit for a script.
func seconds3(limit time.Duration) string { return strconv.FormatFloat(limit.Seconds(), 'f', 3, 64) }

// answer copies a peer's answer. A schedule, if there is one, is checked.
func (r *Record) answer(c *Case, a *answer, s *instance.Schedule) error {
	r.Status, r.Wall, r.PeakMemory, r.Nodes, r.Version = a.Status, a.Wall, a.PeakMemory, a.Nodes, a.Version
	r.Primal, r.Dual = a.Primal, a.Dual
	gap := func(primal, dual *float64) float64 {
		if primal == nil || dual == nil {
			return math.Inf(1)
		}
		return math.Abs(*primal-*dual) / max(math.Abs(*primal), 1e-9)
	}
	if g := gap(a.Primal, a.Dual); !math.IsInf(g, 0) {
		r.Gap = &g
	}
	for _, to := range []struct {
		gap  float64
		time **float64
	}{{0.05, &r.TimeTo5}, {0.02, &r.TimeTo2}, {0.01, &r.TimeTo1}} {
		for _, point := range a.Series {
			if gap(point[1], point[2]) <= to.gap {
				*to.time = point[0]
				break
			}
		}
		if *to.time == nil && r.Gap != nil && *r.Gap <= to.gap {
			*to.time = &r.Wall
		}
	}
	if r.Status == "optimal" {
		r.proven(r.Wall)
	}
	if s == nil {
		return nil
	}
	// Floating point need not be exact, only correct to the integer.
	primal := c.Instance.Value(s)
	if v := jigsaw.Number(primal); r.Primal == nil || math.Abs(*v-*r.Primal) > 0.5 {
		return fmt.Errorf("bench: the schedule's value is %s, which is not what the solver says", primal.RatString())
	}
	dual := new(big.Rat)
	if r.Dual == nil || dual.SetFloat64(math.Round(*r.Dual)) == nil {
		dual = nil
	}
	return c.contradiction(s, primal, dual)
}
