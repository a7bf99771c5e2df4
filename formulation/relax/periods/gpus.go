package periods

import (
	"math/big"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax"
	"jigsaw/formulation/relax/exact"
	"jigsaw/formulation/relax/fluid"
)

// GPUProgram models what single GPUs hold in a period of P ticks. A worker of a job with x
// iterations in the period lives on one GPU and has x tasks there, of any depths. With
// contents n of GPUs (multisets of workers with their tasks) and with
//
//	share[c,m,x]  jobs of class c that live in mode m with x iterations, l_m x <= P
//	gpus[n]       GPUs with content n
//
// every plan is a solution of
//
//	max sum w_c x share[c,m,x]
//	(32) sum_{m,x} share[c,m,x] <= jobs
//	(33) sum_n (workers of c with x tasks in n) gpus[n] = k sum_m share[c,m,x]
//	(34) sum_n (what the SPB rule counts in tasks of c with x in n) gpus[n] >= what it asks of x iterations sum_m share[c,m,x]
//	(35) sum_n gpus[n] <= GPUs of pool p, over contents there
//	(36) links as in (9) to (11)
//
// in which the tasks of a content have at most P ticks together, and interlock: they
// satisfy (26) with each of their workers in the role of A. The fluid program mixes a job's
// tasks at different rates on different GPUs, and cuts tasks to fill gaps; here that is
// impossible.
//
// Prices y >= 0 of (33) to (36) bound the value by
//
//	sum_c jobs max_{m,x} (w x - (33) and (34) at y - (36) at y) + sum_p GPUs y_p + sum_links capacity y
//
// where y_p is at least the value of any content of pool p at the prices of (33) and (34).
type GPUProgram struct {
	F       *Program
	Pools   []GPUPool
	Classes []GPUClass
	Prices  int // number of prices: of groups of links, pools, then classes and iterations
}

// GPUPool is a pool in which some job can live.
type GPUPool struct {
	GPUs  int64
	Holds []*GPUWorker // by class; nil if it cannot live there
}

// GPUWorker is a worker of a class on a GPU of a pool.
type GPUWorker struct {
	Lengths []int64 // ticks of its tasks, by depth; exact.Never if there is no such task
	Gaps    []fluid.Gap
}

// GPUClass holds the requirements of a class.
type GPUClass struct {
	Jobs, Workers, Weight int64
	Limit                 relax.Interval // iterations of a job; also none if From is 0
	Most                  int64          // largest number of iterations of a job without limits
	Modes                 []GPUMode
	Rules                 []GPURule
	At                    int // index of its first price
}

// GPUMode is a mode: the iterations of a job, and the least time of links, in parts of a tick,
// that an iteration takes; 0 if it could use others.
type GPUMode struct {
	Most int64
	Use  []int64 // by group of links
}

// GPURule is a part of the SPB rule: the weights of an iteration's tasks sum to at least Need.
type GPURule struct {
	Weight []int64 // by depth
	Need   int64
}

// mostGPUWork bounds the steps of filling a GPU once, ignoring gaps, mostGPUWays the numbers of
// tasks by depth that workers may have, mostGPUPrices the prices of a program.
const (
	mostGPUWork   = 20_000_000
	mostGPUWays   = 50_000
	mostGPUPrices = 10_000
)

// GPUs states the program of GPUs for a period's program, which has the limits of rates; nil
// if it is too large or there is none.
func (f *Program) GPUs() *GPUProgram {
	if f.Model.Instance.Objective != instance.Throughput || !f.Whole() {
		return nil
	}
	s := &GPUProgram{F: f, Prices: len(f.Groups)}
	work, ways := int64(0), int64(0)
	for p := range f.Model.Network.Pools {
		at := &f.Model.Network.Pools[p]
		pool := GPUPool{GPUs: at.Size()}
		for i := range f.Shapes {
			pool.Holds = append(pool.Holds, f.workerIn(i, p))
		}
		f.gaps(&pool)
		s.Pools = append(s.Pools, pool)
	}
	s.Prices += len(s.Pools)
	for i := range f.Shapes {
		d := f.Shapes[i].Class
		if len(f.Shapes[i].Classes) > 1 {
			return nil
		}
		c := GPUClass{
			Jobs: f.Shapes[i].Jobs, Workers: int64(d.Job.Workers), Weight: d.Job.Weight, At: s.Prices, Rules: gpuRules(d),
		}
		for m := range d.Modes {
			mode := GPUMode{Most: f.Period / max(1, int64(d.Modes[m].Iteration())), Use: make([]int64, len(f.Groups))}
			for g := range f.Groups {
				for _, u := range f.Groups[g].Uses {
					if u.Shape == i && u.Mode == m && len(d.Modes[m].Pools) == 1 {
						mode.Use[g] += u.Ticks * u.Times
					}
				}
			}
			c.Modes, c.Most = append(c.Modes, mode), max(c.Most, mode.Most)
		}
		c.Limit.To = c.Most
		if f.Rates != nil && f.Rates.Cols[i] >= 0 {
			limit := f.Rates.Limits[i]
			c.Limit = relax.Interval{From: limit.From, To: min(limit.To, c.Most)}
		}
		work += c.Jobs * f.Period * (c.Most*c.Most*int64(len(d.Job.Depths)) + f.Period)
		for x := range c.Most {
			ways += int64(len(s.Pools)) * waysToDeal(x+1, len(d.Job.Depths), mostGPUWays)
		}
		if s.Prices += int(c.Most) * (1 + len(c.Rules)); s.Prices > mostGPUPrices || work*int64(len(s.Pools)) > mostGPUWork || ways > mostGPUWays {
			return nil
		}
		s.Classes = append(s.Classes, c)
	}
	return s
}

// waysToDeal is the number of ways to assign tasks to depths; above most if there are more.
func waysToDeal(tasks int64, depths int, most int64) int64 {
	n := int64(1)
	for i := int64(1); i < int64(depths) && n <= most; i++ {
		n = n * (tasks + i) / i
	}
	return n
}

// workerIn returns the worker of a shape in a pool, without its gaps.
func (f *Program) workerIn(shape, pool int) *GPUWorker {
	d := f.Shapes[shape].Class
	if !slices.ContainsFunc(d.Modes, func(o relax.Mode) bool { return slices.Contains(o.Pools, pool) }) {
		return nil
	}
	t := f.Model.Network.Pools[pool].GPUType
	w := &GPUWorker{Lengths: make([]int64, len(d.Job.Depths))}
	for depth := range w.Lengths {
		if w.Lengths[depth] = exact.Never; d.Fits[t][depth] && d.Knows(depth) {
			w.Lengths[depth] = int64(d.Job.On[t].Time[depth])
		}
	}
	return w
}

// gpuRules lists the parts of the rule of a class. Deeper tasks may replace others.
func gpuRules(d *relax.Class) (rules []GPURule) {
	fixed := d.Job.Rule.Fixed
	if fixed == nil {
		for _, part := range d.RuleParts() {
			rules = append(rules, GPURule{part.Weights, part.Need})
		}
		return rules
	}
	deeper := GPURule{Weight: make([]int64, len(fixed))}
	for depth := len(fixed) - 1; depth > 0; depth-- {
		deeper.Weight[depth] = 1
		if deeper.Need += int64(fixed[depth]); fixed[depth] > 0 && deeper.Need < int64(d.Job.Workers) {
			rules = append(rules, GPURule{slices.Clone(deeper.Weight), deeper.Need})
		}
	}
	return rules
}

// WorkerPrice is the index of the price of a worker of a class with x tasks; those of its rules
// follow.
func (c *GPUClass) WorkerPrice(x int64) int { return c.At + int(x-1)*(1+len(c.Rules)) }

// bound returns the bound of the prices over their denominator, provided the prices of pools
// are valid; jobs that must run in a node count even at a loss. ok is false if one cannot.
func (s *GPUProgram) bound(prices []int64, denominator int64) (sum *big.Int, ok bool) {
	sum = new(big.Int)
	v := new(big.Int)
	for g := range s.F.Groups {
		sum.Add(sum, v.Mul(exact.Mul(s.F.Groups[g].Links*relax.LinkUnit, s.F.Period), big.NewInt(prices[g])))
	}
	for p := range s.Pools {
		sum.Add(sum, exact.Mul(s.Pools[p].GPUs, prices[len(s.F.Groups)+p]))
	}
	for i := range s.Classes {
		c := &s.Classes[i]
		var best *big.Int
		if c.Limit.From == 0 {
			best = new(big.Int)
		}
		for x := max(1, c.Limit.From); x <= c.Limit.To; x++ {
			at := c.WorkerPrice(x)
			pays := exact.Mul(c.Workers, prices[at])
			for r := range c.Rules {
				pays.Add(pays, v.Mul(exact.Mul(c.Rules[r].Need, x), big.NewInt(prices[at+1+r])))
			}
			for m := range c.Modes {
				if c.Modes[m].Most < x {
					continue
				}
				gain := exact.Mul(c.Weight, x)
				gain.Sub(gain.Mul(gain, big.NewInt(denominator)), pays)
				for g, use := range c.Modes[m].Use {
					gain.Sub(gain, v.Mul(exact.Mul(use, x), big.NewInt(prices[g])))
				}
				if best == nil || gain.Cmp(best) > 0 {
					best = gain
				}
			}
		}
		if best == nil {
			return nil, false
		}
		sum.Add(sum, v.Mul(best, big.NewInt(c.Jobs)))
	}
	return sum, true
}
