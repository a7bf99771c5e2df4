package timeindexed

import (
	"errors"
	"fmt"
	"math/big"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/solver"
)

// Granularity says what the sites of a time-indexed program are.
type Granularity string

// The granularities. The program of single GPUs is exact: its solutions are
// the valid schedules. The others are relaxations of it, in this order.
const (
	// ByGPU has a site for each GPU.
	ByGPU Granularity = "gpu"
	// ByNode has a site for each node, which runs as many tasks at a time as it has
	// GPUs. It leaves out that a worker stays on its GPU, and memory conditions
	// that do not follow from the sum over the node.
	ByNode Granularity = "node"
	// ByPool has a site for each pool of identical GPUs. Synchronisations last as
	// long as the shortest in the job's mode, and take no links.
	ByPool Granularity = "pool"
)

// Granularities lists them, from exact to coarse.
func Granularities() []Granularity { return []Granularity{ByGPU, ByNode, ByPool} }

// DefaultCoefficients is the largest number of coefficients of a time-indexed
// program if its options do not say: about 2 GB while it is built.
const DefaultCoefficients = 20_000_000

// ErrTooLarge is wrapped by the error of a program with more coefficients than its options
// allow.
var ErrTooLarge = errors.New("time-indexed program is too large")

// Options select a program.
type Options struct {
	// Granularity of the sites; empty means ByGPU.
	Granularity Granularity
	// Horizon in ticks: only schedules that end by it are considered. 0 means the
	// horizon that Value implies or, without it, a horizon that some optimal
	// schedule meets; that is far off, and the program large. Not for periodic
	// objectives.
	Horizon instance.Tick
	// Value of a known schedule: only schedules at least as good are considered,
	// which narrows the times of every job. Nil means that none is known. Not for
	// periodic objectives.
	Value *big.Rat
	// Period of the plan in ticks, for periodic objectives. Each period is a
	// program of its own.
	Period instance.Tick
	// Coefficients is the largest number permitted; 0 means DefaultCoefficients.
	Coefficients int
}

// Program is a time-indexed integer program with the meaning of its columns.
type Program struct {
	// Problem is minimised; all its columns are integer, and so is its objective. Rates are
	// negated, and the smallest one is scaled.
	Problem *solver.Problem
	// Options used to build it, with defaults filled in.
	Options Options

	in    *instance.Instance
	jobs  []tiJob
	cols  []tiColumn
	scale int64 // of the smallest normalised rate
}

// New states the program of an instance.
func New(in *instance.Instance, options Options) (*Program, error) {
	b := &tiBuilder{in: in, options: options}
	if err := b.prepare(); err != nil {
		return nil, err
	}
	if b.leastSize(); b.err != nil {
		return nil, b.err
	}
	b.build()
	if b.err != nil {
		return nil, b.err
	}
	q, err := b.problem()
	if err != nil {
		return nil, err
	}
	q.Integer = slices.Repeat([]bool{true}, q.Cols())
	return &Program{Problem: q, Options: b.options, in: in, jobs: b.jobs, cols: b.meaning, scale: b.scale}, nil
}

// tiKind says what a column represents.
type tiKind uint8

const (
	ofElapsed tiKind = iota
	ofLate
	ofLeast
	ofDoes
	ofLive
	ofHome
	ofDepths
	ofGang
	ofTask
	ofSync
)

// tiColumn is the meaning of a column; fields that do not apply are zero. The
// site of a synchronisation is its home and its depth the class of depths.
type tiColumn struct {
	kind      tiKind
	job       instance.JobID
	iteration int
	site      int
	depth     int
	level     instance.RateLevel
	start     instance.Tick
	end       instance.Tick
}

// prepare checks the options and lays out sites and jobs.
func (b *tiBuilder) prepare() error {
	in, o := b.in, &b.options
	if o.Granularity == "" {
		o.Granularity = ByGPU
	}
	if o.Coefficients == 0 {
		o.Coefficients = DefaultCoefficients
	}
	b.scale = 1
	switch {
	case o.Granularity != ByGPU && o.Granularity != ByNode && o.Granularity != ByPool:
		return fmt.Errorf("formulation: granularity %q: choose one of %v", o.Granularity, Granularities())
	case in.Objective.Periodic() && o.Period < 1:
		return fmt.Errorf("formulation: a time-indexed program for %s needs a period of at least a tick", in.Objective)
	case in.Objective.Periodic() && in.MaxPeriod > 0 && o.Period > in.MaxPeriod:
		return fmt.Errorf("formulation: the period of %d ticks exceeds the greatest of %d that the instance allows", o.Period, in.MaxPeriod)
	case in.Objective.Periodic() && o.Horizon != 0:
		return fmt.Errorf("formulation: a plan for %s repeats: give a period instead of a horizon", in.Objective)
	case !in.Objective.Periodic() && o.Period != 0:
		return fmt.Errorf("formulation: a plan for %s runs once: give a horizon instead of a period", in.Objective)
	case in.Objective.Periodic() && o.Value != nil:
		return fmt.Errorf("formulation: a known value says nothing about the times of a plan that repeats")
	case o.Horizon < 0:
		return fmt.Errorf("formulation: the horizon of %d ticks is negative", o.Horizon)
	case len(in.Jobs) == 0:
		return fmt.Errorf("formulation: there are no jobs")
	}
	b.p.Name = in.Name
	b.layout()
	if b.err != nil {
		return b.err
	}
	b.windows()
	return b.err
}
