package horizon

import (
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics/state"
)

// searching improves the patterns of a simulation by the finite search, each in the part of the time that it is of the plan.
type searching struct {
	ctx  context.Context // its time; the simulation goes on after it
	rng  *rand.Rand
	gpus int
	end  instance.Tick // about that of the plan
}

const (
	// lastPart is the part of the time for a last simulation whose patterns are searched, patternsPart that of it for patterns, and leastSearch the
	// least time for one of them. With more than mostSearched jobs the time is better spent on other plans.
	lastPart, patternsPart, leastSearch, mostSearched = 0.2, 0.8, float64(5 * time.Millisecond), 100
	// Without a clock patterns that are at least searchedPart of the plan are searched, each for so many rounds.
	searchedPart, searchRounds = 0.01, 2
)

// searchPart is the part of the time for a last simulation whose patterns are searched; 0: there is none.
func searchPart(in *instance.Instance) float64 {
	if in.Objective == instance.Makespan && len(in.Jobs) <= mostSearched {
		return lastPart
	}
	return 0
}

// searching returns the search for the patterns of a last simulation, of a plan like one that ends then, and what ends it.
func (s *sharing) searching(ctx context.Context, rng *rand.Rand, end instance.Tick) (*searching, context.CancelFunc) {
	within, cancel := state.Portion(ctx, patternsPart)
	return &searching{within, rng, len(s.in.GPUs), end}, cancel
}

// improve searches for a better pattern, and reports whether it did.
func (s *searching) improve(c *sharers) bool {
	part := float64(c.end-c.start) * float64(len(c.gpus)) / (float64(max(1, s.end-c.start)) * float64(s.gpus))
	if slices.Contains(c.pattern.Iterations, 0) { // the search is for jobs that do something
		return false
	}
	rounds := 0
	switch deadline, limited := s.ctx.Deadline(); {
	case limited && float64(time.Until(deadline))*part < leastSearch:
		return false
	case !limited && part < searchedPart:
		return false
	case !limited:
		rounds = searchRounds
	}
	within, cancel := state.Portion(s.ctx, min(1, part))
	defer cancel()
	p := *c.pattern // of the same iterations
	if p.Search(within, s.rng, rounds, false) != nil || p.Period >= c.pattern.Period {
		return false
	}
	c.pattern = &p
	return true
}
