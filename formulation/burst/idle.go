package burst

import (
	"math/bits"
	"slices"

	"jigsaw/formulation/instance"
)

// idle computes which idle time of a foreground is usable by background jobs, and the value of delays.
//
// GPUs that are busy in the same steps form a *class*. For a class, every gap between two steps
// (before step 0, ..., cyclically) belongs to one *run*: the time between two steps in which its GPUs
// are busy. A run of w ns, including the delays of its gaps, is usable, all of it, if it is at least
// as long as a slice.
type idle struct {
	alone, delayable, slice instance.Duration
	classes                 []class
	gaps                    []int // those that differ in the runs they belong to
	steps                   int
}

type class struct {
	gpus int64               // GPUs that background jobs are on
	run  []int               // by gap
	base []instance.Duration // by run, without delays
}

// newIdle reads the steps of a foreground without delays, with background jobs on the GPUs in homes.
func newIdle(steps []Step, alone instance.Duration, r Rules, homes []int) *idle {
	d := &idle{alone: alone, slice: r.Slice, steps: len(steps)}
	high, low := bits.Mul64(uint64(alone), uint64(r.Slowdown-instance.One))
	over, _ := bits.Div64(high, low, uint64(instance.One))
	d.delayable = instance.Duration(over)
	widths := []int{r.GPUs}
	for _, s := range steps {
		widths = append(widths, s.GPUs)
	}
	slices.Sort(widths)
	homes = slices.Clone(homes)
	slices.Sort(homes)
	homes = slices.Compact(homes)
	from := 0
	for _, w := range slices.Compact(widths) {
		first, _ := slices.BinarySearch(homes, from)
		if last, _ := slices.BinarySearch(homes, w); last > first {
			d.classes = append(d.classes, newClass(steps, from, int64(last-first)))
		}
		from = w
	}
	seen := map[string]bool{}
	for k := range steps {
		var key []byte
		for _, c := range d.classes {
			key = append(key, byte(c.run[k]), byte(c.run[k]>>8), byte(c.run[k]>>16))
		}
		if !seen[string(key)] {
			seen[string(key)] = true
			d.gaps = append(d.gaps, k)
		}
	}
	return d
}

// newClass finds the runs of GPU g.
func newClass(steps []Step, g int, gpus int64) class {
	c := class{gpus: gpus, run: make([]int, len(steps))}
	now := 0
	c.base = []instance.Duration{0}
	for k, s := range steps {
		c.run[k] = now
		if s.GPUs <= g {
			c.base[now] += s.End - s.Start
			continue
		}
		now++
		c.base = append(c.base, 0)
	}
	if now == 0 {
		return c
	}
	c.base[0] += c.base[now] // wraps around the period
	c.base = c.base[:now]
	for k := range c.run {
		c.run[k] %= now
	}
	return c
}

// delay chooses the delay of each gap: the better of putting all of it in one gap, and of the small
// lengthenings of runs that make the most time usable. No delay at all is better than one without
// gain.
func (d *idle) delay() []instance.Duration {
	best := make([]instance.Duration, d.steps)
	greedy := slices.Clone(best)
	for rest := d.delayable; rest > 0; {
		// The gap and length with the largest gain per ns.
		gap, length, most := -1, instance.Duration(0), int64(0)
		lengths := d.lengths(greedy)
		for _, k := range d.gaps {
			for i, c := range d.classes {
				need := d.slice - lengths[i][c.run[k]]
				if need <= 0 {
					need = rest
				}
				if need > rest {
					continue
				}
				if worth := d.worth(lengths, k, need); worth > 0 && (gap < 0 || more(worth, int64(need), most, int64(length))) {
					gap, length, most = k, need, worth
				}
			}
		}
		if gap < 0 {
			break
		}
		greedy[gap] += length
		rest -= length
	}
	better := func(delays []instance.Duration) {
		if more(d.use(delays), d.period(delays), d.use(best), d.period(best)) {
			best = slices.Clone(delays)
		}
	}
	better(greedy)
	for _, k := range d.gaps {
		one := make([]instance.Duration, d.steps)
		one[k] = d.delayable
		better(one)
	}
	return best
}

// more reports whether a/b > c/d.
func more(a, b, c, d int64) bool {
	h1, l1 := bits.Mul64(uint64(a), uint64(d))
	h2, l2 := bits.Mul64(uint64(c), uint64(b))
	return h1 > h2 || h1 == h2 && l1 > l2
}

func (d *idle) period(delays []instance.Duration) int64 {
	sum := d.alone
	for _, x := range delays {
		sum += x
	}
	return int64(sum)
}

// lengths returns the lengths of runs with delays, by class.
func (d *idle) lengths(delays []instance.Duration) [][]instance.Duration {
	all := make([][]instance.Duration, len(d.classes))
	for i, c := range d.classes {
		all[i] = slices.Clone(c.base)
		for k, r := range c.run {
			all[i][r] += delays[k]
		}
	}
	return all
}

// useful is the value of a run of this length.
func (d *idle) useful(length instance.Duration) int64 {
	if length < d.slice {
		return 0
	}
	return int64(length)
}

// worth is the GPU-time that a further delay of one gap makes usable.
func (d *idle) worth(lengths [][]instance.Duration, gap int, by instance.Duration) (sum int64) {
	for i, c := range d.classes {
		was := lengths[i][c.run[gap]]
		sum += c.gpus * (d.useful(was+by) - d.useful(was))
	}
	return sum
}

// use is the usable GPU-time in a period.
func (d *idle) use(delays []instance.Duration) (sum int64) {
	for i, lengths := range d.lengths(delays) {
		for _, w := range lengths {
			sum += d.classes[i].gpus * d.useful(w)
		}
	}
	return sum
}
