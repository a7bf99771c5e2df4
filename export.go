package jigsaw

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/big"
	"math/rand/v2"
	"strings"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
	"jigsaw/formulation/timeindexed"
	"jigsaw/heuristics"
	"jigsaw/solver/eventloop"
	"jigsaw/solver/lpfile"
)

// ExportOptions choose a time-indexed program; see [timeindexed.New].
type ExportOptions struct {
	// Granularity of the sites: gpu (exact), node or pool; empty means gpu.
	Granularity timeindexed.Granularity
	// Horizon in ticks, for objectives that run once. 0 leaves out what is worse
	// than a greedy plan; where the greedy planner finds none the horizon is far
	// off.
	Horizon instance.Tick
	// Period in ticks, for periodic objectives; they need one.
	Period instance.Tick
	// Coefficients is how many the program may have; 0 means
	// [timeindexed.DefaultCoefficients].
	Coefficients int
}

// The granularities of [ExportOptions].
const (
	ByGPU  = timeindexed.ByGPU
	ByNode = timeindexed.ByNode
	ByPool = timeindexed.ByPool
)

// ErrTooLarge is within the error of [Export] where the program has more coefficients
// than its options allow; a longer tick_us helps.
var ErrTooLarge = timeindexed.ErrTooLarge

// ExportFormats lists the formats of [Export].
func ExportFormats() []string { return []string{"mps", "lp"} }

// Exported describes a program that was written.
type Exported struct {
	Rows, Cols, Entries int
	// Horizon or Period of the program, in ticks.
	Horizon, Period instance.Tick
}

// Export writes the time-indexed integer program of an instance in a format
// that other solvers read: mps (free) or lp (CPLEX). Their solutions come back
// through [ImportSolution]. The objective is minimised: ticks, weight-ticks,
// or weighted iterations per period, negated.
func Export(ctx context.Context, in *instance.Instance, w io.Writer, format string, opt ExportOptions) (*Exported, error) {
	write := lpfile.WriteMPS
	switch format {
	case "mps":
	case "lp":
		write = lpfile.WriteLP
	default:
		return nil, fmt.Errorf("jigsaw: format %q: choose %s", format, strings.Join(ExportFormats(), " or "))
	}
	program, err := timeIndexed(ctx, in, opt)
	if err != nil {
		return nil, err
	}
	p := program.Problem
	if err := write(w, p); err != nil {
		return nil, err
	}
	return &Exported{
		Rows: p.Rows(), Cols: p.Cols(), Entries: len(p.Index),
		Horizon: program.Options.Horizon, Period: program.Options.Period,
	}, nil
}

// ImportSolution reads what CBC, HiGHS, SCIP or Gurobi wrote about a program of
// [Export], with the same options, and returns it as a schedule that the
// checker found valid. Of programs by node and pool, relaxations, there is none.
func ImportSolution(ctx context.Context, in *instance.Instance, r io.Reader, opt ExportOptions) (*instance.Schedule, error) {
	solution, err := lpfile.ReadSolution(r)
	if err != nil {
		return nil, err
	}
	if len(solution.Values) == 0 {
		return nil, fmt.Errorf("jigsaw: the solution file of %s holds no solution; its status is %q", solution.Solver, solution.Status)
	}
	program, err := timeIndexed(ctx, in, opt)
	if err != nil {
		return nil, err
	}
	x, err := solution.Vector(program.Problem)
	if err != nil {
		return nil, fmt.Errorf("%w; export and import need the same instance and options", err)
	}
	return program.Schedule(x)
}

// ExportSize returns a number of rows, columns and coefficients that the program of
// [Export] has at the least, in far less time than it takes to make it. The error is
// [ErrTooLarge] where that is too many.
func ExportSize(in *instance.Instance, opt ExportOptions) (least float64, err error) {
	return timeindexed.Size(in, opt.timeIndexed())
}

func (opt *ExportOptions) timeIndexed() timeindexed.Options {
	return timeindexed.Options{Granularity: opt.Granularity, Horizon: opt.Horizon, Period: opt.Period, Coefficients: opt.Coefficients}
}

func timeIndexed(ctx context.Context, in *instance.Instance, opt ExportOptions) (*timeindexed.Program, error) {
	ctx = eventloop.Context(ctx)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := beyond(in, "the time-indexed program"); err != nil {
		return nil, err
	}
	if in.Grouped() && (opt.Granularity == "" || opt.Granularity == ByGPU) {
		return nil, errors.New("jigsaw: the time-indexed program by GPU is not exact where workers have several GPUs each (gpus_per_worker); by node or pool it is a relaxation")
	}
	if _, err := ExportSize(in, opt); err != nil {
		return nil, err // before the time of a greedy plan
	}
	o := opt.timeIndexed()
	if !in.Objective.Periodic() && opt.Horizon == 0 {
		o.Value = greedyValue(ctx, in)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	return timeindexed.New(in, o)
}

// greedyValue is the value of a greedy plan, the same in every call; nil where
// there is none.
func greedyValue(ctx context.Context, in *instance.Instance) *big.Rat {
	s, err := heuristics.Greedy(ctx, in, rand.New(rand.NewPCG(0, 1)))
	if err != nil || len(check.Schedule(in, s)) > 0 {
		return nil
	}
	return in.Value(s)
}
