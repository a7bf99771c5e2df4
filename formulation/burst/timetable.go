package burst

import (
	"errors"
	"fmt"
	"math/big"
	"math/bits"
	"slices"

	"jigsaw/formulation/instance"
)

// Timetable is one period of a burst-parallel job, the foreground, and of what runs on its GPUs
// meanwhile. It repeats forever. Times are from the start of the period.
type Timetable struct {
	// Period of the foreground, and its length without delays.
	Period instance.Duration `json:"period"`
	Alone  instance.Duration `json:"period_alone"`
	// Steps of the foreground in order, all within the period. Time between two of them is delay.
	Steps []Step `json:"steps"`
	// Windows of idle GPUs that are long enough for a slice.
	Windows []Window `json:"windows"`
	// Slices of the background jobs in them.
	Slices []Slice `json:"slices"`
}

// Kind is what a [Step] does.
type Kind string

// Kinds of steps.
const (
	Forward  Kind = "forward"
	Backward Kind = "backward"
	Sync     Kind = "all-reduce"
	Move     Kind = "move"
)

// Step is a run of layers that all do the same operation on the same GPUs.
type Step struct {
	Kind Kind `json:"kind"`
	// First and Last of its layers; in backward steps, First is the larger.
	First int `json:"first"`
	Last  int `json:"last"`
	// GPUs: that many of the job's GPUs, from the first, are not idle.
	GPUs  int               `json:"gpus"`
	Start instance.Duration `json:"start"`
	End   instance.Duration `json:"end"`
}

// Window is an idle interval of a GPU. It starts within the period, and may end in the next one.
type Window struct {
	GPU   int               `json:"gpu"`
	Start instance.Duration `json:"start"`
	End   instance.Duration `json:"end"`
}

// Slice is an uninterrupted run of a background job. It starts within the period, and may end in
// the next one.
type Slice struct {
	// Job by number, from 0.
	Job int `json:"job"`
	Window
}

// Rules of a timetable.
type Rules struct {
	// GPUs of the foreground: background jobs may also run on those that no layer uses.
	GPUs int `json:"gpus"`
	// Slice is the least uninterrupted run of a background job.
	Slice instance.Duration `json:"slice"`
	// Slowdown limits the ratio of the period to that without delays, from 1 to [MaxSlowdown].
	Slowdown instance.Ratio `json:"slowdown_limit"`
	// Overlap lets background jobs run during an all-reduce, on GPUs that take no part in it.
	Overlap bool `json:"overlap"`
}

// MaxSlowdown is the largest limit of [Rules].
const MaxSlowdown = instance.MaxSlowdown

func (r Rules) check(p Plan) error {
	widest := 0
	for _, g := range p.Widths {
		widest = max(widest, g)
	}
	switch {
	case r.GPUs < widest || r.GPUs > MaxGPUs:
		return fmt.Errorf("burst: %d GPUs; the plan needs %d, and the most is %d", r.GPUs, widest, MaxGPUs)
	case r.Slice < 1:
		return errors.New("burst: slices need a length above 0")
	case r.Slowdown < instance.One || r.Slowdown > MaxSlowdown:
		return fmt.Errorf("burst: a slowdown of %s; choose 1 to %s", r.Slowdown, MaxSlowdown)
	case p.Time < 1:
		return errors.New("burst: the foreground takes no time at all")
	}
	if high, low := bits.Mul64(uint64(p.Time), uint64(r.GPUs)*uint64(MaxSlowdown/instance.One)); high > 0 || low > maxGPUTime {
		return errTooLong
	}
	return nil
}

// steps lays the plan out from time 0 without delays.
func (c *Chain) steps(p Plan, r Rules) []Step {
	var steps []Step
	now := instance.Duration(0)
	add := func(kind Kind, l, gpus int, takes instance.Duration) {
		if kind == Sync && !r.Overlap {
			gpus = r.GPUs
		}
		if takes == 0 {
			return
		}
		now += takes
		if n := len(steps); n > 0 && steps[n-1].Kind == kind && steps[n-1].GPUs == gpus {
			steps[n-1].Last, steps[n-1].End = l, now
			return
		}
		steps = append(steps, Step{kind, l, l, gpus, now - takes, now})
	}
	move := func(l int) {
		if l > 0 {
			f, g := p.Widths[l-1], p.Widths[l]
			add(Move, l, max(f, g), c.Layers[l].Move[c.index(f)][c.index(g)])
		}
	}
	for l, g := range p.Widths {
		move(l)
		add(Forward, l, g, c.Layers[l].Forward[c.index(g)])
	}
	for l := len(p.Widths) - 1; l >= 0; l-- {
		g := p.Widths[l]
		add(Backward, l, g, c.Layers[l].Backward[c.index(g)])
		add(Sync, l, g, c.Layers[l].Sync[c.index(g)])
		move(l)
	}
	return steps
}

// Deal assigns each background job to one of the GPUs. The last ones idle most, so they are used
// first.
func Deal(jobs, gpus int) []int {
	homes := make([]int, jobs)
	for j := range homes {
		homes[j] = gpus - 1 - j%gpus
	}
	return homes
}

// Fill makes the timetable of a plan of the chain with background jobs, each on its GPU in homes, or on none of
// these, -1. It delays steps of the foreground, within the limit, if that gives the background jobs the largest
// share of a period. bound is the most that any timetable of that plan gives jobs on these GPUs together, in
// GPUs' worth of time.
func (c *Chain) Fill(p Plan, r Rules, homes []int) (t *Timetable, bound *big.Rat, err error) {
	if err := r.check(p); err != nil {
		return nil, nil, err
	}
	steps := c.steps(p, r)
	idle := newIdle(steps, p.Time, r, homes)
	delays := idle.delay()
	t = &Timetable{Alone: p.Time, Steps: steps}
	shift := instance.Duration(0)
	for k := range steps {
		shift += delays[k]
		steps[k].Start += shift
		steps[k].End += shift
	}
	t.Period = p.Time + shift
	t.fill(r, homes)
	homes = slices.Clone(homes)
	slices.Sort(homes)
	homes = slices.Compact(homes)
	return t, c.atMost(p.Widths, r).of(func(from, to int) int {
		first, _ := slices.BinarySearch(homes, from)
		last, _ := slices.BinarySearch(homes, to)
		return last - first
	}), nil
}

// fill finds the windows, and assigns them to jobs.
func (t *Timetable) fill(r Rules, homes []int) {
	for g := r.GPUs - 1; g >= 0; g-- {
		var here []int // jobs
		for j, home := range homes {
			if home == g {
				here = append(here, j)
			}
		}
		got := make([]instance.Duration, len(here))
		for _, w := range t.windows(g, r.Slice) {
			t.Windows = append(t.Windows, w)
			// As many of the jobs as there is room for, those with the least so far, in equal parts.
			n := instance.Duration(min(int64(len(here)), int64((w.End-w.Start)/r.Slice)))
			taken := make([]bool, len(here))
			for i, at := instance.Duration(0), w.Start; i < n; i++ {
				least := -1
				for k := range here {
					if !taken[k] && (least < 0 || got[k] < got[least]) {
						least = k
					}
				}
				end := w.Start + (w.End-w.Start)/n*(i+1)
				if i == n-1 {
					end = w.End
				}
				taken[least] = true
				got[least] += end - at
				start := at % t.Period
				t.Slices = append(t.Slices, Slice{here[least], Window{g, start, start + end - at}})
				at = end
			}
		}
	}
}

// windows of a GPU that are long enough, in the order in which they start.
func (t *Timetable) windows(g int, least instance.Duration) (list []Window) {
	free, first := instance.Duration(-1), instance.Duration(-1) // when the GPU became idle, and when it was first busy
	for _, s := range t.Steps {
		if s.GPUs <= g {
			continue
		}
		if first < 0 {
			first = s.Start
		} else if s.Start-free >= least {
			list = append(list, Window{g, free, s.Start})
		}
		free = s.End
	}
	switch {
	case first < 0:
		if t.Period >= least {
			list = []Window{{g, 0, t.Period}}
		}
	case t.Period-free+first >= least && free == t.Period:
		list = append([]Window{{g, 0, first}}, list...)
	case t.Period-free+first >= least:
		list = append(list, Window{g, free, t.Period + first})
	}
	return list
}

// Rates returns the rate of each background job on its GPU, relative to running alone: the
// fraction of a period in which it runs.
func (t *Timetable) Rates(jobs int) []*big.Rat {
	sums := make([]instance.Duration, jobs)
	for _, s := range t.Slices {
		sums[s.Job] += s.End - s.Start
	}
	rates := make([]*big.Rat, jobs)
	for j, sum := range sums {
		rates[j] = big.NewRat(int64(sum), int64(t.Period))
	}
	return rates
}
