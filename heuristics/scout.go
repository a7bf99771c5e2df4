package heuristics

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"

	"jigsaw/formulation/instance"
)

// scout searches for residencies: it anneals homes on their estimate, decodes
// what comes out by several rules, and goes on from there or, where that leads
// nowhere, from other homes annealed with other weights.
type scout struct {
	*operations
	rng      *rand.Rand
	reach    *reach
	homes    *homes
	dispatch *dispatcher
	out      *record

	how    homing
	here   value     // of the homes that the scout goes on from
	kept   keptHomes // those
	stale  int       // kicks since it last found something better on this trip
	styles []scoutStyle
	liked  *scoutStyle // the one that was best here
	trip   find        // the best of this trip
	finds  []find      // the best of the trips that are over
	best   find        // of all, since the search last looked
}

// find is a schedule with its value; nil: none yet.
type find struct {
	schedule *instance.Schedule
	value    value
}

// scoutStyle is a way to decode homes, and how often it won.
type scoutStyle struct {
	rule     rule
	patience int
	even     bool
	wins     int
}

const (
	// scoutPatience is for how many kicks without a gain a scout stays.
	scoutPatience = 20
	// scoutHeat is the mean part by which a scout accepts worse schedules.
	scoutHeat = 1e-3
	// kickHeat and endHeat are the highest temperature of annealing homes after
	// a kick, and that at the end, in units of the energy of a GPU whose load is
	// the makespan aimed at.
	kickHeat, endHeat = 0.2, 2e-4
	// scoutStyles is how many ways to decode are tried on homes that look good.
	scoutStyles = 4
)

func newScout(o *operations, rng *rand.Rand, reach *reach) *scout {
	s := &scout{operations: o, rng: rng, reach: reach, dispatch: newDispatcher(o.in, o.layout), out: o.newRecord(len(o.in.Jobs))}
	rules := []rule{evenProgress, longestChain, criticalRatio}
	patience := 2
	if o.in.Objective == instance.WeightedCompletion {
		rules = []rule{smithArea, smithChain, smithLeft}
		patience = 3
	}
	for _, r := range rules {
		for p := range patience {
			s.styles = append(s.styles, scoutStyle{rule: r, patience: p}, scoutStyle{rule: r, patience: p, even: true})
		}
	}
	return s
}

// steps is the number of steps of annealing new homes.
func (s *scout) steps() int { return min(max(20_000, 300*s.slots), 1_500_000) }

// walk explores for about as long as placing the given number of operations
// takes, with at least one candidate.
func (s *scout) walk(ctx context.Context, work int) {
	for ctx.Err() == nil && work > 0 {
		steps := s.steps()
		styles := scoutStyles
		if s.trip.schedule == nil || s.stale >= scoutPatience {
			if s.trip.schedule != nil {
				s.finds = append(s.finds, s.trip)
			}
			s.trip, s.here, s.stale, s.liked = find{value: value{late: never}}, value{late: never}, 0, nil
			if !s.settle() {
				return
			}
			s.homes.anneal(ctx, steps, exp(-4*s.rng.Float64()))
		} else {
			s.homes.restore(&s.kept)
			steps = int(4 * exp(s.rng.Float64()*math.Log(float64(steps)/80)))
			s.homes.anneal(ctx, steps, kickHeat*exp(-4*s.rng.Float64()))
			styles = 2
		}
		s.stale++
		part := -scoutHeat * math.Log(1-s.rng.Float64())
		v, decoded := s.decode(ctx, styles, part)
		// A step of homes takes about as long as eight operations of a sequence,
		// decoding one by events as long as ten.
		work -= 8*steps + 10*decoded*len(s.job) + s.slots
		if v.ahead(s.here) || v.near(s.here, part) {
			s.here = v
			s.homes.keep(&s.kept)
		}
	}
}

// settle begins with new homes under new weights. It reports whether there are any.
func (s *scout) settle() bool {
	s.how = homing{
		counts:  make([][]int, len(s.in.Jobs)),
		near:    []float64{0, 1, 5, 20}[s.rng.IntN(4)],
		company: exp(s.rng.Float64()*math.Log(80)) / 2,
	}
	free := s.rng.IntN(3) == 0
	for _, class := range s.in.Classes() {
		sets := s.sets[class[0]]
		n := 0
		if free {
			n = s.rng.IntN(s.usual[class[0]])
		}
		for _, j := range class {
			s.how.counts[j] = sets[n]
		}
	}
	how := placing{counts: s.how.counts, reach: s.reach}
	p := newPlacer(s.in, how)
	switch s.rng.IntN(3) {
	case 0:
		how.order = p.byArea()
	case 1:
		how.order = p.byChain()
	default:
		how.order = p.byChain()
		for i := range how.order {
			o := min(len(how.order)-1, i+s.rng.IntN(4))
			how.order[i], how.order[o] = how.order[o], how.order[i]
		}
	}
	if s.rng.IntN(4) == 0 {
		how.scatter = true
	}
	where, err := placeHard(s.in, how)
	if err != nil {
		return false
	}
	s.homes = newHomes(s.operations, where, s.how, s.rng)
	return true
}

// decode tries several styles on the homes and returns the best value, and how
// many were tried. Those that end later than here by more than the given part
// are of no use.
func (s *scout) decode(ctx context.Context, styles int, part float64) (best value, decoded int) {
	best = value{late: never}
	var win *scoutStyle
	where := s.homes.placement()
	m := measure(s.in, where, s.how.counts)
	for n := range styles {
		// Those that won more often come more often.
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
		base, slope := m.keys(s.in, style.rule)
		d := &decision{counts: s.how.counts, where: where, base: base, slope: slope, patience: style.patience, even: style.even}
		if s.in.Objective == instance.Makespan && s.here.late == 0 {
			d.latest = instance.Tick(s.here.float() * (1 + part))
		}
		decoded++
		if err := s.dispatch.decode(ctx, d, s.out); errors.Is(err, errHopeless) {
			continue
		} else if err != nil {
			return best, decoded
		}
		v := valueOf(s.in, s.out.completion)
		if v.less(best) {
			best = v
			win = style
		}
		if v.less(s.trip.value) {
			s.trip, s.stale = find{s.out.schedule(s.in, s.layout), v}, 0
			if s.best.schedule == nil || v.less(s.best.value) {
				s.best = s.trip
			}
		}
		if s.best.schedule != nil && !best.near(s.best.value, 0.15) {
			break
		}
	}
	if win == nil {
		return best, decoded
	}
	win.wins++
	if best.ahead(s.here) {
		s.liked = win
	}
	for i := range s.styles {
		s.styles[i].wins -= s.styles[i].wins / 16 // forget
	}
	return best, decoded
}
