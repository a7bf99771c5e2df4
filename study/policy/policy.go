package policy

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"jigsaw/solver"
	"jigsaw/study/replay"
)

// Options of the policies. The zero value is useful.
type Options struct {
	// Share is the largest number of jobs that share GPUs; 0 means 4.
	Share int
	// Seed of all randomness.
	Seed uint64
	// Thresholds between the queues of las in GPU-seconds, ascending; nil means
	// 3250 and 7200.
	Thresholds []float64
	// Solver of linear programs, for the policies of Gavel.
	Solver solver.Solver
}

const defaultShare = 4

// Names lists the policies.
func Names() []string {
	names := make([]string, 0, len(all))
	for _, p := range all {
		names = append(names, p.name)
	}
	return names
}

// Available lists the policies that can be made with these options, and those that
// cannot because they need a linear programming engine.
func Available(o Options) (names, without []string) {
	for _, p := range all {
		if p.lp && o.Solver == nil {
			without = append(without, p.name)
		} else {
			names = append(names, p.name)
		}
	}
	return names, without
}

// entry is a policy and its constructor.
type entry struct {
	name string
	make func(context.Context, string, Options) (replay.Policy, error)
	lp   bool // it solves linear programs
}

var all = []entry{
	{name: "fifo", make: newFIFO},
	{name: "srtf", make: newShortest},
	{name: "srsf", make: newShortest},
	{name: "las", make: newLAS},
	{name: "gavel-max-min", make: newGavel, lp: true},
	{name: "gavel-ftf", make: newGavel, lp: true},
	{name: "gavel-makespan", make: newGavel, lp: true},
	{name: "muri-s", make: newMuri},
	{name: "muri-l", make: newMuri},
	{name: "jigsaw", make: newJigSaw},
	{name: "jigsaw-planned", make: newJigSaw},
}

// New makes a policy for one replay. ctx ends the plans and programs that it
// computes.
func New(ctx context.Context, name string, o Options) (replay.Policy, error) {
	if o.Share == 0 {
		o.Share = defaultShare
	}
	if o.Share < 1 || o.Share > defaultShare {
		return nil, fmt.Errorf("policy: %d jobs to a group; choose 1 to %d", o.Share, defaultShare)
	}
	if o.Thresholds == nil {
		o.Thresholds = []float64{3250, 7200} // as in Muri's testbed
	}
	if !slices.IsSorted(o.Thresholds) {
		return nil, fmt.Errorf("policy: the thresholds %v of las do not ascend", o.Thresholds)
	}
	for _, p := range all {
		if p.name == name {
			return p.make(ctx, name, o)
		}
	}
	return nil, fmt.Errorf("policy: there is no policy %q; choose among %s", name, strings.Join(Names(), ", "))
}
