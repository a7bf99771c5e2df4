package burst

import (
	"fmt"
	"math/big"
	"slices"

	"jigsaw/formulation/instance"
)

// Check says in words what is wrong with a timetable of a plan of the chain; nothing if it is valid.
// It shares no code with [Chain.Fill]: it reads what each layer does from the plan, tests every rule
// itself, and uses no sums that it is given.
func (c *Chain) Check(p Plan, t *Timetable, r Rules, jobs int) (wrong []string) {
	fault := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	if t.Period < 1 || t.Period > far {
		fault("the period is %d ns", t.Period)
		return wrong
	}

	duties, alone := c.duties(p.Widths, r)
	if t.Alone != alone {
		fault("without delays the period is %d ns, not %d", alone, t.Alone)
	}
	limit := new(big.Int).Mul(big.NewInt(int64(alone)), big.NewInt(int64(r.Slowdown)))
	if new(big.Int).Mul(big.NewInt(int64(t.Period)), big.NewInt(int64(instance.One))).Cmp(limit) > 0 {
		fault("a period of %d ns is more than %s of %d ns", t.Period, r.Slowdown, alone)
	}
	if !t.checkSteps(duties, fault) {
		return wrong
	}
	t.checkSlices(r, jobs, fault)
	return wrong
}

// far is beyond all periods; three such times can be summed.
const far = maxGPUTime / 4

// checkSteps reports whether the steps are in order and do all duties; it reports errors to fault.
func (t *Timetable) checkSteps(duties []duty, fault func(format string, args ...any)) bool {
	now := instance.Duration(0)
	for i, s := range t.Steps {
		if s.Start < now || s.End <= s.Start || s.End > t.Period {
			fault("step %d, %s of layer %d, is from %d to %d ns: out of order, empty or outside the period", i, s.Kind, s.First, s.Start, s.End)
			return false
		}
		now = s.End
		done, first := instance.Duration(0), s.First
		for len(duties) > 0 && duties[0].kind == s.Kind && duties[0].gpus == s.GPUs && done < s.End-s.Start {
			if done == 0 {
				first = duties[0].layer
			}
			done += duties[0].takes
			if duties = duties[1:]; done == s.End-s.Start {
				break
			}
		}
		if done != s.End-s.Start || first != s.First {
			fault("step %d, %s from layer %d on %d GPUs, does not do in %d ns what is next", i, s.Kind, s.First, s.GPUs, s.End-s.Start)
			return false
		}
	}
	if len(duties) > 0 {
		fault("%s of layer %d, and what follows, is left out", duties[0].kind, duties[0].layer)
	}
	return true
}

// checkSlices reports errors in slices to fault: they must be long enough, belong to a job on one GPU,
// and be alone on it.
func (t *Timetable) checkSlices(r Rules, jobs int, fault func(format string, args ...any)) {
	home := map[int]int{}
	for i, s := range t.Slices {
		switch {
		case s.Job < 0 || s.Job >= jobs || s.GPU < 0 || s.GPU >= r.GPUs:
			fault("slice %d is of job %d on GPU %d: there are %d jobs and %d GPUs", i, s.Job, s.GPU, jobs, r.GPUs)
			continue
		case s.Start < 0 || s.Start >= t.Period || s.End > far:
			fault("slice %d is from %d to %d ns: it does not start within the period", i, s.Start, s.End)
			continue
		case s.End-s.Start < r.Slice:
			fault("slice %d takes %d ns, less than %d", i, s.End-s.Start, r.Slice)
		case s.End-s.Start > t.Period:
			fault("slice %d takes %d ns, more than a period", i, s.End-s.Start)
		}
		if g, known := home[s.Job]; known && g != s.GPU {
			fault("job %d is on GPUs %d and %d", s.Job, g, s.GPU)
		}
		home[s.Job] = s.GPU
		// Compare over two periods: what starts in one period can meet what starts in the same one, before it
		// and after it.
		meets := func(from, to instance.Duration) bool {
			for _, by := range []instance.Duration{-t.Period, 0, t.Period} {
				if s.Start < to+by && from+by < s.End {
					return true
				}
			}
			return false
		}
		for k, o := range t.Slices[:i] {
			if o.GPU == s.GPU && meets(o.Start, o.End) {
				fault("slices %d and %d are on GPU %d at the same time", k, i, s.GPU)
			}
		}
		for k, o := range t.Steps {
			if s.GPU < o.GPUs && meets(o.Start, o.End) {
				fault("slice %d is on GPU %d during step %d of the foreground, %s", i, s.GPU, k, o.Kind)
			}
		}
	}
}

// duty is what the foreground has to do at a layer.
type duty struct {
	kind  Kind
	layer int
	gpus  int // that many first GPUs are not idle
	takes instance.Duration
}

// duties returns the duties of an iteration, layer by layer, and their total time.
func (c *Chain) duties(widths []int, r Rules) (duties []duty, alone instance.Duration) {
	owe := func(kind Kind, layer, gpus int, takes instance.Duration) {
		alone += takes
		if takes > 0 {
			duties = append(duties, duty{kind, layer, gpus, takes})
		}
	}
	at := func(l int) int { return slices.Index(c.GPUs, widths[l]) }
	arrive := func(l int) {
		if l > 0 {
			owe(Move, l, max(widths[l-1], widths[l]), c.Layers[l].Move[at(l-1)][at(l)])
		}
	}
	for l := range c.Layers {
		arrive(l)
		owe(Forward, l, widths[l], c.Layers[l].Forward[at(l)])
	}
	for l := range c.Layers {
		l = len(c.Layers) - 1 - l
		owe(Backward, l, widths[l], c.Layers[l].Backward[at(l)])
		together := widths[l]
		if !r.Overlap {
			together = r.GPUs
		}
		owe(Sync, l, together, c.Layers[l].Sync[at(l)])
		arrive(l)
	}
	return duties, alone
}
