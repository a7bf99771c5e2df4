package formulation

import (
	"math/big"
	"slices"

	"jigsaw/formulation/instance"
)

// gpuProgram knows what single GPUs hold in a period of P ticks. A worker of a job with x
// iterations in the period has x tasks there, of any depths, and lives on one GPU: with
// contents n of GPUs, multisets of workers with their tasks, and with
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
// in which contents have tasks of P ticks together, at the most, and interlock: they obey (26)
// with each of their workers in the place of A. The fluid program mixes what a job would do
// at different rates on different GPUs, and cuts tasks to fill gaps; here either is a
// content, or is not.
//
// Prices y >= 0 of (33) to (36) bound the value by
//
//	sum_c jobs max_{m,x} (w x - (33) and (34) at y - (36) at y) + sum_p GPUs y_p + sum_links capacity y
//
// where y_p is at least what any content of pool p is worth, at the prices of (33) and (34).
type gpuProgram struct {
	f       *fluid
	pools   []gpuPool
	classes []gpuClass
	prices  int // how many there are: of groups of links, pools, then classes and iterations
}

// gpuPool is a pool in which some job can live.
type gpuPool struct {
	gpus  int64
	holds []*gpuWorker // by class; nil where it cannot live
}

// gpuWorker is a worker of a class on a GPU of a pool.
type gpuWorker struct {
	lengths []int64 // of its tasks in ticks, by depth; never where there is no such task
	gaps    []gpuGap
}

// gpuClass is what a class asks for.
type gpuClass struct {
	jobs, workers, weight int64
	limit                 interval // iterations of a job, besides none where from is 0
	most                  int64    // iterations of a job without limits
	modes                 []gpuMode
	rules                 []gpuRule
	at                    int // of its first price
}

// gpuMode is a mode: the iterations of a job, and the links' time, in parts of a tick, that an
// iteration takes at the least; 0 where it could go elsewhere.
type gpuMode struct {
	most int64
	use  []int64 // by group of links
}

// gpuRule is a part of the SPB rule: the sum of the weights of an iteration's tasks is at least
// need.
type gpuRule struct {
	weight []int64 // by depth
	need   int64
}

// mostGPUWork bounds the steps of filling a GPU once, gaps forgotten, mostGPUWays the numbers of
// tasks by depth that workers may have, mostGPUPrices the prices of a program.
const (
	mostGPUWork   = 20_000_000
	mostGPUWays   = 50_000
	mostGPUPrices = 10_000
)

// gpus states the program of GPUs for a period's program, which knows limits of rates; nil
// where it is too large or there is none.
func (f *fluid) gpus() *gpuProgram {
	if f.m.in.Objective != instance.Throughput {
		return nil
	}
	s := &gpuProgram{f: f, prices: len(f.groups)}
	work, ways := int64(0), int64(0)
	for p := range f.m.network.pools {
		at := &f.m.network.pools[p]
		pool := gpuPool{gpus: at.size()}
		for i := range f.shapes {
			pool.holds = append(pool.holds, f.workerIn(i, p))
		}
		f.gaps(&pool)
		s.pools = append(s.pools, pool)
	}
	s.prices += len(s.pools)
	for i := range f.shapes {
		d := f.shapes[i].d
		if len(f.shapes[i].classes) > 1 {
			return nil
		}
		c := gpuClass{
			jobs: f.shapes[i].jobs, workers: int64(d.job.Workers), weight: d.job.Weight, at: s.prices, rules: gpuRules(d),
		}
		for m := range d.modes {
			mode := gpuMode{most: f.period / max(1, int64(d.modes[m].iteration())), use: make([]int64, len(f.groups))}
			for g := range f.groups {
				for _, u := range f.groups[g].uses {
					if u.shape == i && u.mode == m && len(d.modes[m].pools) == 1 {
						mode.use[g] += u.ticks * u.times
					}
				}
			}
			c.modes, c.most = append(c.modes, mode), max(c.most, mode.most)
		}
		c.limit.to = c.most
		if f.rates != nil && f.rates.cols[i] >= 0 {
			limit := f.rates.limits[i]
			c.limit = interval{limit.from, min(limit.to, c.most)}
		}
		work += c.jobs * f.period * (c.most*c.most*int64(len(d.job.Depths)) + f.period)
		for x := range c.most {
			ways += int64(len(s.pools)) * waysToDeal(x+1, len(d.job.Depths), mostGPUWays)
		}
		if s.prices += int(c.most) * (1 + len(c.rules)); s.prices > mostGPUPrices || work*int64(len(s.pools)) > mostGPUWork || ways > mostGPUWays {
			return nil
		}
		s.classes = append(s.classes, c)
	}
	return s
}

// waysToDeal is in how many ways so many tasks can be dealt out to depths; above most if there are
// more.
func waysToDeal(tasks int64, depths int, most int64) int64 {
	n := int64(1)
	for i := int64(1); i < int64(depths) && n <= most; i++ {
		n = n * (tasks + i) / i
	}
	return n
}

// workerIn returns the worker of a shape in a pool, without its gaps.
func (f *fluid) workerIn(shape, pool int) *gpuWorker {
	d := f.shapes[shape].d
	if !slices.ContainsFunc(d.modes, func(o mode) bool { return slices.Contains(o.pools, pool) }) {
		return nil
	}
	t := f.m.network.pools[pool].gpuType
	w := &gpuWorker{lengths: make([]int64, len(d.job.Depths))}
	for depth := range w.lengths {
		if w.lengths[depth] = never; d.fits[t][depth] && (d.job.Rule.Fixed == nil || d.job.Rule.Fixed[depth] > 0) {
			w.lengths[depth] = int64(d.job.On[t].Time[depth])
		}
	}
	return w
}

// gpuRules lists the parts of the rule of a class. Deeper tasks may stand for others.
func gpuRules(d *demand) (rules []gpuRule) {
	depths := len(d.job.Depths)
	if fixed := d.job.Rule.Fixed; fixed != nil {
		deeper := gpuRule{weight: make([]int64, depths)}
		for depth := depths - 1; depth > 0; depth-- {
			deeper.weight[depth] = 1
			if deeper.need += int64(fixed[depth]); fixed[depth] > 0 && deeper.need < int64(d.job.Workers) {
				rules = append(rules, gpuRule{slices.Clone(deeper.weight), deeper.need})
			}
		}
		return rules
	}
	full, share := make([]int64, depths), make([]int64, depths)
	full[depths-1] = 1
	for depth := range share {
		share[depth] = int64(d.job.Depths[depth].Share)
	}
	return []gpuRule{{full, int64(d.job.Rule.MinFull)}, {share, d.job.Rule.MinShare}}
}

// home is the price of a worker of a class with x tasks, and the next those of its rules.
func (c *gpuClass) home(x int64) int { return c.at + int(x-1)*(1+len(c.rules)) }

// bound returns the bound of the prices over their denominator, once the prices of pools are
// known to be right; jobs that must run in a node pay what they must. ok is false where one
// cannot.
func (s *gpuProgram) bound(prices []*big.Int, denominator *big.Int) (sum *big.Int, ok bool) {
	sum = new(big.Int)
	v := new(big.Int)
	for g := range s.f.groups {
		sum.Add(sum, v.Mul(mul(s.f.groups[g].links*linkUnit, s.f.period), prices[g]))
	}
	for p := range s.pools {
		sum.Add(sum, v.Mul(big.NewInt(s.pools[p].gpus), prices[len(s.f.groups)+p]))
	}
	for i := range s.classes {
		c := &s.classes[i]
		var best *big.Int
		if c.limit.from == 0 {
			best = new(big.Int)
		}
		for x := max(1, c.limit.from); x <= c.limit.to; x++ {
			at := c.home(x)
			pays := new(big.Int).Mul(big.NewInt(c.workers), prices[at])
			for r := range c.rules {
				pays.Add(pays, v.Mul(mul(c.rules[r].need, x), prices[at+1+r]))
			}
			for m := range c.modes {
				if c.modes[m].most < x {
					continue
				}
				gain := mul(c.weight, x)
				gain.Sub(gain.Mul(gain, denominator), pays)
				for g, use := range c.modes[m].use {
					gain.Sub(gain, v.Mul(mul(use, x), prices[g]))
				}
				if best == nil || gain.Cmp(best) > 0 {
					best = gain
				}
			}
		}
		if best == nil {
			return nil, false
		}
		sum.Add(sum, v.Mul(best, big.NewInt(c.jobs)))
	}
	return sum, true
}
