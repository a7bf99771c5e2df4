package sequence

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics/list"
	"jigsaw/heuristics/multiset"
	"jigsaw/heuristics/placement"
	"jigsaw/heuristics/state"
)

// residencySearch searches for residencies: it anneals residencies on their estimate, decodes
// the results by several rules, and continues from there or, if that leads nowhere, from
// other residencies annealed with other weights.
type residencySearch struct {
	*state.Operations
	rng      *rand.Rand
	reach    *placement.Reach
	annealer *placement.Annealer
	dispatch *list.Dispatcher
	out      *list.Record

	how    placement.AnnealOptions
	here   state.Value        // value of the residencies from which the search continues
	kept   placement.Snapshot // those residencies
	stale  int                // kicks since the last gain on this trip
	styles []decoding
	liked  *decoding         // the best style here
	sync   []int             // jobs that synchronise, if there is a choice of rate levels
	slow   []uint8           // per job: the fastest rate level that it may use on this trip, an index
	trip   state.Incumbent   // the best of this trip
	finds  []state.Incumbent // the best of finished trips
	best   state.Incumbent   // of all, since the last exchange of results
	owed   int               // work done beyond the requested amount
}

// decoding is a style of decoding residencies, and how often it won.
type decoding struct {
	rule     list.Rule
	patience int
	even     bool
	wins     int
}

const (
	// residencyPatience is the number of kicks without a gain for which a residency
	// search stays.
	residencyPatience = 20
	// residencyHeat is the mean relative amount by which a residency search accepts worse
	// schedules.
	residencyHeat = 1e-3
	// mostSlowed is the largest number of jobs that a trip begins to slow down.
	mostSlowed = 16
	// fewDecodings is the number of styles tried on residencies that look good.
	fewDecodings = 4
)

func newResidencySearch(o *state.Operations, rng *rand.Rand, reach *placement.Reach) *residencySearch {
	s := &residencySearch{Operations: o, rng: rng, reach: reach, dispatch: list.NewDispatcher(o.In, o.Layout), out: list.NewRecord(o.Layout, len(o.In.Jobs))}
	s.slow = make([]uint8, len(o.In.Jobs))
	for j := range o.In.Jobs {
		if len(o.In.RateLevels) > 1 && o.In.Jobs[j].HasSync() {
			s.sync = append(s.sync, j)
		}
	}
	rules := []list.Rule{list.EvenProgress, list.LongestChain, list.CriticalRatio}
	patience := 2
	if o.In.Objective == instance.WeightedCompletion {
		rules = []list.Rule{list.SmithArea, list.SmithChain, list.SmithLeft}
		patience = 3
	}
	for _, r := range rules {
		for p := range patience {
			s.styles = append(s.styles, decoding{rule: r, patience: p}, decoding{rule: r, patience: p, even: true})
		}
	}
	return s
}

// steps is the number of annealing steps for new residencies.
func (s *residencySearch) steps() int { return min(max(5_000, 300*s.Slots), 1_500_000) }

// walk explores for about as long as placing the given number of operations takes.
func (s *residencySearch) walk(ctx context.Context, work int) {
	for s.owed -= work; s.owed < 0 && ctx.Err() == nil; {
		steps := s.steps()
		styles := fewDecodings
		begins := s.trip.Schedule == nil || s.stale >= residencyPatience
		if begins {
			if s.trip.Schedule != nil {
				s.finds = append(s.finds, s.trip)
			}
			s.trip, s.here, s.stale, s.liked = state.Incumbent{Value: state.Value{Late: state.Never}}, state.Value{Late: state.Never}, 0, nil
			if !s.settle(ctx) {
				return
			}
			s.annealer.Anneal(ctx, steps, state.Exp(-4*s.rng.Float64()))
		} else {
			s.annealer.Restore(&s.kept)
			steps = int(4 * state.Exp(s.rng.Float64()*math.Log(float64(steps)/80)))
			s.annealer.Anneal(ctx, steps, placement.KickHeat*state.Exp(-4*s.rng.Float64()))
			styles = 2
		}
		s.stale++
		part := state.Allowance(s.rng, residencyHeat)
		v, decoded := s.decode(ctx, styles, part)
		// A step of residencies takes about as long as eight operations of a sequence,
		// decoding one operation by events as long as ten.
		s.owed += 8*steps + 10*decoded*len(s.Job) + s.Slots
		if v.Ahead(s.here) || v.Near(s.here, part) {
			s.here = v
			s.annealer.Keep(&s.kept)
		}
		if begins {
			s.slowDown(ctx)
		}
	}
}

// slowDown tries other rate levels for a few jobs, one after the other, on the residencies at hand. A long
// synchronisation at full speed delays every short iteration that needs the same link.
func (s *residencySearch) slowDown(ctx context.Context) {
	for range min(len(s.sync), mostSlowed) {
		j := s.sync[s.rng.IntN(len(s.sync))]
		before := s.slow[j]
		s.slow[j] = uint8(s.rng.IntN(len(s.In.RateLevels)))
		v, decoded := s.decode(ctx, 1, 0)
		s.owed += 10 * decoded * len(s.Job)
		if v.Ahead(s.here) {
			s.here = v
		} else {
			s.slow[j] = before
		}
	}
}

// settle starts from new residencies under new weights. It reports whether there are any.
func (s *residencySearch) settle(ctx context.Context) bool {
	s.how = placement.AnnealOptions{
		Counts:      make([][]int, len(s.In.Jobs)),
		Near:        []float64{0, 1, 5, 20}[s.rng.IntN(4)],
		CoResidence: state.Exp(s.rng.Float64()*math.Log(80)) / 2,
	}
	free := s.rng.IntN(3) == 0
	for _, class := range s.In.Classes() {
		job := &s.In.Jobs[class[0]]
		sets := multiset.Choices(job, state.FastestType(s.In, job))
		n := 0
		if free {
			n = s.rng.IntN(len(sets))
		}
		for _, j := range class {
			s.how.Counts[j] = sets[n]
		}
	}
	clear(s.slow)
	how := placement.Options{Counts: s.how.Counts, Reach: s.reach}
	p := placement.NewPlacer(s.In, how)
	switch s.rng.IntN(3) {
	case 0:
		how.Order = p.ByArea()
	case 1:
		how.Order = p.ByChain()
	default:
		how.Order = p.ByChain()
		for i := range how.Order {
			o := min(len(how.Order)-1, i+s.rng.IntN(4))
			how.Order[i], how.Order[o] = how.Order[o], how.Order[i]
		}
	}
	if s.rng.IntN(4) == 0 {
		how.Scatter = true
	}
	where, counts, err := placement.Place(ctx, s.In, how)
	if err != nil {
		return false
	}
	s.how.Counts = counts
	s.annealer = placement.NewAnnealer(s.In, s.Layout, where, s.how, s.rng)
	return true
}

// decode tries several styles on the residencies and returns the best value, and the
// number tried. Schedules that end later than here by more than the given fraction
// are useless.
func (s *residencySearch) decode(ctx context.Context, styles int, part float64) (best state.Value, decoded int) {
	best = state.Value{Late: state.Never}
	var win *decoding
	where := s.annealer.Placement()
	m := list.Measure(s.In, where, s.how.Counts)
	for n := range styles {
		// Styles that won more often are drawn more often.
		style := s.liked
		draws := -1.0
		for i := range s.styles {
			if n == 0 && style != nil {
				break // the one that was good here goes first
			}
			if x := s.rng.Float64() * float64(1+s.styles[i].wins); x > draws {
				style, draws = &s.styles[i], x
			}
		}
		base, slope := m.Keys(s.In, style.rule)
		d := &list.Decision{Counts: s.how.Counts, Where: where, Base: base, Slope: slope, Patience: style.patience, Even: style.even, Slow: s.slow}
		if s.In.Objective == instance.Makespan && s.here.Late == 0 {
			d.Latest = instance.Tick(s.here.Float() * (1 + part))
		}
		decoded++
		if err := s.dispatch.Decode(ctx, d, s.out); errors.Is(err, list.ErrHopeless) {
			continue
		} else if err != nil {
			return best, decoded
		}
		v := state.ValueOf(s.In, s.out.Completion)
		if v.Less(best) {
			best = v
			win = style
		}
		if v.Less(s.trip.Value) {
			s.trip, s.stale = state.Incumbent{Schedule: s.out.Schedule(s.In, s.Layout), Value: v}, 0
			if s.best.Schedule == nil || v.Less(s.best.Value) {
				s.best = s.trip
			}
		}
		if s.best.Schedule != nil && !best.Near(s.best.Value, 0.15) {
			break
		}
	}
	if win == nil {
		return best, decoded
	}
	win.wins++
	if best.Ahead(s.here) {
		s.liked = win
	}
	for i := range s.styles {
		s.styles[i].wins -= s.styles[i].wins / 16 // decay
	}
	return best, decoded
}
