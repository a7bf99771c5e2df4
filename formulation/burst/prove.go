package burst

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"

	"jigsaw/formulation/instance"
)

// atMost bounds what background jobs can get of a foreground's GPUs. It shares no code with what makes timetables.
//
// GPUs that are idle at the same times form a *class*. With a total delay of x, a class by itself gains most by
// lengthening to a slice the longest of the runs of idle time that are too short, as many as x permits, since a longer
// run needs less and gives more; all of x is then usable, if anything is. Between the delays at which one more run
// becomes usable, use/period is monotone in x, so its maximum is at one of these, at 0 or at the limit.
type atMost struct {
	alone   instance.Duration
	delays  []instance.Duration // that may be best
	classes []usable
}

// usable are the GPUs from one, up to another, of a class.
type usable struct {
	from, to int
	use      []instance.Duration // usable time of one GPU in a period, by delay
}

func (c *Chain) atMost(widths []int, r Rules) *atMost {
	duties, alone := c.duties(widths, r)
	over := new(big.Int).Mul(big.NewInt(int64(alone)), big.NewInt(int64(r.Slowdown-instance.One)))
	limit := instance.Duration(over.Div(over, big.NewInt(int64(instance.One))).Int64())
	b := &atMost{alone: alone, delays: []instance.Duration{0, limit}}
	var runs [][]instance.Duration // by class, the longest first
	ends := []int{r.GPUs}
	for _, d := range duties {
		ends = append(ends, d.gpus)
	}
	slices.Sort(ends)
	from := 0
	for _, to := range slices.Compact(ends) {
		idle := []instance.Duration{0}
		for _, d := range duties {
			if last := len(idle) - 1; d.gpus <= from {
				idle[last] += d.takes
			} else if idle[last] > 0 || last == 0 {
				idle = append(idle, 0)
			}
		}
		if last := len(idle) - 1; last > 0 { // wraps around the period
			idle[0] += idle[last]
			idle = idle[:last]
		}
		slices.SortFunc(idle, func(a, b instance.Duration) int { return cmp.Compare(b, a) })
		at := instance.Duration(0)
		for _, w := range idle {
			if at += max(0, r.Slice-w); at > limit {
				break
			}
			b.delays = append(b.delays, at)
		}
		b.classes, runs, from = append(b.classes, usable{from: from, to: to}), append(runs, idle), to
	}
	slices.Sort(b.delays)
	b.delays = slices.Compact(b.delays)
	for i := range b.classes {
		for _, x := range b.delays {
			use, left := instance.Duration(0), x
			for k, w := range runs[i] {
				if left -= max(0, r.Slice-w); left < 0 {
					break
				}
				if use += w; k == 0 {
					use += x
				}
			}
			b.classes[i].use = append(b.classes[i].use, use)
		}
	}
	return b
}

// of is the most that jobs on some of the GPUs get together; gpus returns their number among the GPUs from one up to
// another.
func (b *atMost) of(gpus func(from, to int) int) *big.Rat {
	best := new(big.Rat)
	for k, x := range b.delays {
		sum := new(big.Int)
		for _, c := range b.classes {
			sum.Add(sum, new(big.Int).Mul(big.NewInt(int64(c.use[k])), big.NewInt(int64(gpus(c.from, c.to)))))
		}
		if v := new(big.Rat).SetFrac(sum, big.NewInt(int64(b.alone+x))); v.Cmp(best) > 0 {
			best = v
		}
	}
	return best
}

// Prove returns the most that background jobs get together, in GPUs' worth of time, if the layers of each
// burst-parallel job have these numbers of GPUs, by job and layer. Of the GPUs of a burst-parallel job the last
// are idle whenever those before them are, so that n jobs, or more jobs on n GPUs, get at most what they get on
// the last n; on a GPU that no burst-parallel job uses, they get all of it. The best distribution of the jobs
// is found by dynamic programming.
func Prove(in *instance.Bursts, chains []*Chain, stages [][]int) (*big.Rat, error) {
	if len(stages) != len(in.Foreground) {
		return nil, fmt.Errorf("burst: stages of %d burst-parallel jobs; the instance has %d", len(stages), len(in.Foreground))
	}
	free := len(in.GPUs)
	best := []*big.Rat{new(big.Rat)} // by number of GPUs with background jobs
	for i := range in.Foreground {
		job, r := &in.Foreground[i], rules(in, &in.Foreground[i])
		if wrong := chains[i].checkWidths(stages[i], job.Amplification); len(wrong) > 0 {
			return nil, fmt.Errorf("burst: the stages of %q: %s", job.Name, wrong[0])
		}
		if err := r.check(chains[i].Evaluate(stages[i])); err != nil {
			return nil, err
		}
		free -= job.GPUs
		most := chains[i].atMost(stages[i], r)
		next := slices.Clone(best)
		for n := 1; n <= min(job.GPUs, len(in.Jobs)); n++ {
			here := most.of(func(from, to int) int { return max(0, to-max(from, job.GPUs-n)) })
			for k := 0; k < len(best) && k+n <= len(in.Jobs); k++ {
				sum := new(big.Rat).Add(best[k], here)
				switch {
				case k+n == len(next):
					next = append(next, sum)
				case sum.Cmp(next[k+n]) > 0:
					next[k+n] = sum
				}
			}
		}
		best = next
	}
	bound := new(big.Rat)
	for k, v := range best {
		whole := big.NewRat(int64(min(free, len(in.Jobs)-k)), 1)
		if sum := whole.Add(whole, v); sum.Cmp(bound) > 0 {
			bound = sum
		}
	}
	return bound, nil
}
