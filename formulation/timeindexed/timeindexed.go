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
	// ByNode has a site for each node, which runs as many tasks at a time as it
	// has GPUs. That a worker stays on its GPU is left out, and of memory what
	// does not follow from the sum over the node.
	ByNode Granularity = "node"
	// ByPool has a site for each pool of identical GPUs. Synchronisations last
	// as long as the shortest in the job's way of living, and take no links.
	ByPool Granularity = "pool"
)

// Granularities lists them, from exact to coarse.
func Granularities() []Granularity { return []Granularity{ByGPU, ByNode, ByPool} }

// DefaultCoefficients is how many coefficients a time-indexed program may have
// where its options do not say: about 2 GB while it is built.
const DefaultCoefficients = 20_000_000

// ErrTooLarge is within the error of a program with more coefficients than its options allow.
var ErrTooLarge = errors.New("time-indexed program is too large")

// Options choose a program.
type Options struct {
	// Granularity of the sites; empty means ByGPU.
	Granularity Granularity
	// Horizon: only schedules that end by it are looked for, in ticks. 0 means
	// what Value implies and, without it, a horizon that some optimal schedule
	// keeps; that is far off, and the program large. Not for periodic objectives.
	Horizon instance.Tick
	// Value, of a known schedule: only those at least as good are looked for,
	// which narrows the times of every job. Nil means that none is known. Not for
	// periodic objectives.
	Value *big.Rat
	// Period of the plan in ticks, for periodic objectives. Each period is a
	// program of its own.
	Period instance.Tick
	// Coefficients is how many there may be; 0 means DefaultCoefficients.
	Coefficients int
}

// Program is a time-indexed integer program with what its columns mean.
type Program struct {
	// Problem is minimised; all its columns are integer, and so is its objective. Rates are
	// negated, and the smallest one is scaled.
	Problem *solver.Problem
	// Options that it was built with, defaults filled in.
	Options Options

	in    *instance.Instance
	jobs  []tiJob
	cols  []tiColumn
	scale int64 // of the smallest normalised rate
}

// New states the problem of package instance as an integer program
// over ticks.
//
// # Sets and parameters
//
//	j in J          jobs; k workers, R iterations, r release, w weight
//	i               iterations: 1..R; per period, as many as could fit
//	g in S          sites: GPUs, nodes or pools; room c_g: 1, its GPUs
//	d               allowed depths; p_jg(d) ticks of a task
//	h in H_j        homes of a job with several workers: sets of nodes that its
//	                limits and working links admit; for pools, ways of living
//	M in M_j        multisets of depths that the job's rule allows, in classes
//	                whose synchronisations last the same in all homes
//	tau_h(c, n)     ticks of a synchronisation of class c at rate level n; of
//	                levels that last the same only the slowest is kept
//	T               ticks 0..horizon-1, or 0..P-1: then times count modulo P
//
// # Variables, all integer
//
//	live[j,g]       workers of j on g, at most min(k, c_g)
//	home[j,h]       1 if j lives in h
//	does[j,i]       1 if j does iteration i in each period; a prefix
//	x[j,i,g,d,s]    tasks of depth d that start on g at s
//	z[j,i,h,c,n,s]  1 if the synchronisation starts at s
//	depths[j,i,M]   1 if the iteration has these depths; where classes differ
//	gang[j,i,s]     1 if all tasks start at s; of gang jobs
//	late[t]         1 if the schedule ends after t; of the makespan
//	least           the smallest normalised rate, scaled to integers
//
// # Objective
//
// Makespan: min B + sum late[t] over the ticks t from the chain and area bound
// B on. Weighted completion: min sum of w_j times the end of the last
// synchronisation (or, of a lone worker, task). Throughput: max sum w_j does.
// Max-min: max least. Rates are negated.
//
// # Constraints, numbered as in the code
//
//	 (1) sum_g live = k                       periodic: = k does[1]
//	 (2) sum_h home = 1                       periodic: = does[1]
//	 (3) live[g] <= sum over h with g of home x the most workers there,
//	     and at least one worker on each node of the home
//	 (4) sum_{d,s} x[i,g] = live[g]           periodic, i > 1: <=, and
//	     sum_{g,d,s} x[i] = k does[i]
//	 (5) numbers of tasks by depth: those of the rule, or of depths[M]
//	 (6) sum z[i,h] = home[h]                 periodic, i > 1: <=, and
//	     sum z[i] = does[i]; sum of z in a class = sum of its depths[M]
//	 (7) x[i,g] in progress or to come after t, and z[i] begun by t, exclude
//	     one another: c sum z + sum x <= c with c = min(k, c_g)
//	 (8) z[i] not ended by t, and x[i+1,g] begun by t, likewise; lone workers:
//	     tasks of i and i+1
//	 (9) tasks in progress on g at t <= c_g (late[t] c_g from B on)
//	(10) bit/s on a link at t <= capacity
//	(11) persistent bytes of the residents + ephemeral bytes of iteration i of
//	     j <= memory, on a GPU or summed over the site
//	(12) tasks that start at s = k gang[s]
//	(13) late[t] >= last synchronisations not ended by t; late falls with t
//	(14) does falls with i; iteration 1 begun by t and a synchronisation not
//	     ended by t + P exclude one another
//	(15) least <= scaled rate of each job
//	(16) GPUs of a node are alike: job 0 fills them in order
//	(17) identical jobs are in order of their ends, or of their iterations
//
// Releases, deadlines, the horizon, a known value and the shortest iterations
// before and after limit the starts. In a periodic plan a job begins within the first
// period, and the first job, by rotation, ends within it.
//
// Rows (7), (8) and (14) sum over starts. With further columns that count what
// has begun and ended by each tick the program has far fewer coefficients, but
// an engine takes several times as long for it.
//
// Reference: J. P. Sousa and L. A. Wolsey, A time indexed formulation of
// non-preemptive single machine scheduling problems, Mathematical Programming
// 54 (1992).
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

// tiKind is what a column stands for.
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
