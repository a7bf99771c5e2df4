package formulation

import (
	"fmt"
	"math"
	"math/big"
)

// releases and tails are the heads and tails that get rows of their own.
func (f *fluid) releases() []int64 {
	var heads []int64
	for c := range f.m.demands {
		heads = append(heads, int64(f.m.demands[c].job.Release))
	}
	return candidates(heads, maxHeads)
}

func (f *fluid) tails() []int64 {
	var tails []int64
	for c := range f.m.demands {
		tails = append(tails, int64(f.m.demands[c].sync))
	}
	return candidates(tails, maxTails)
}

// buildMakespan states the program of the package comment with T minimised.
func (f *fluid) buildMakespan() {
	heads, tails := f.releases(), f.tails()
	half := ceil(new(big.Rat).Mul(big.NewRat(1, 2), Best(f.m.in, f.m.chain(), f.m.area()).Value))
	f.time = f.p.col("T", 1, noUpper)
	f.shape(heads, half)
	f.residency()
	f.activity(func(s *shape) int64 { return s.iterations })

	// (8) GPU time of each pool, from some head to some tail.
	for p := range f.m.network.pools {
		at := &f.m.network.pools[p]
		seen := map[string]bool{}
		for _, h := range heads {
			for _, q := range tails {
				var set []int
				head, tail := int64(math.MaxInt64), int64(math.MaxInt64)
				for i := range f.shapes {
					s := &f.shapes[i]
					if s.release >= h && int64(s.d.sync) >= q && s.d.usable(at.gpuType) {
						set = append(set, i)
						head, tail = min(head, s.release), min(tail, int64(s.d.sync))
					}
				}
				key := fmt.Sprint(set)
				if len(set) == 0 || seen[key] {
					continue
				}
				seen[key] = true
				row := f.p.row(fmt.Sprintf("%s.gpu.r%d.s%d", at.id, head, tail), atLeast, multiply(at.size(), head+tail),
					about{"gpu", at.gpuName(), f.time})
				f.p.term(row, f.time, at.size())
				for _, i := range set {
					f.pay(row, &f.shapes[i], p, -1)
				}
			}
		}
	}
	f.deadlines()
	f.links(-1, func(name string, links int64, shapes []*shape, a about) int {
		head := int64(math.MaxInt64)
		for _, s := range shapes {
			head = min(head, s.release+int64(s.d.full))
		}
		row := f.p.row(name, atLeast, multiply(linkUnit*links, head), a)
		f.p.term(row, f.time, linkUnit*links)
		return row
	})
	f.chains()
}

// chains adds rows (12): the makespan is no earlier than the mean of the chains
// of a class of identical jobs, wherever they live, nor than any chain at its
// shortest.
func (f *fluid) chains() {
	var longest *big.Int
	var which int
	for i := range f.shapes {
		s := &f.shapes[i]
		if len(s.classes) == 1 {
			f.classChain(s)
			continue
		}
		for _, c := range s.classes {
			d := &f.m.demands[c]
			if end := d.chain(d.iteration); longest == nil || end.Cmp(longest) > 0 {
				longest, which = end, c
			}
		}
	}
	if longest != nil {
		row := f.p.row("chain", atLeast, saturate(longest), about{"job", f.m.className(which), f.time})
		f.p.term(row, f.time, 1)
	}
}

func (f *fluid) classChain(s *shape) {
	d := s.d
	full := int64(0) // full-depth workers, where the chain counts them by pool
	if d.job.Rule.Fixed != nil && f.mixed(d) {
		full = int64(d.job.Rule.Fixed[d.job.Full()])
	}
	times := max(1, full)
	row := f.p.row(s.id+".chain", atLeast, multiply(times*s.jobs, s.release), about{"job", f.m.className(s.classes[0]), f.time})
	f.p.term(row, f.time, times*s.jobs)
	for i := range d.modes {
		o := &d.modes[i]
		if full > 0 && s.busy[i] != nil {
			f.p.term(row, s.does[i], multiply(-times, int64(o.sync)))
		} else {
			f.p.term(row, s.does[i], multiply(-times, int64(o.iteration())))
		}
	}
	if full == 0 {
		return
	}
	// The full-depth tasks of an iteration last no longer than its compute
	// phase on average, and a fixed rule has as many in every iteration.
	for p := range f.m.network.pools {
		if z := s.tasks[p]; z != nil && z[d.job.Full()] >= 0 {
			t := f.m.network.pools[p].gpuType
			f.p.term(row, z[d.job.Full()], -int64(d.job.On[t].Time[d.job.Full()]))
		}
	}
}

// mixed reports whether the class has a mode whose pools differ in GPU type.
func (f *fluid) mixed(d *demand) bool {
	for _, o := range d.modes {
		for _, p := range o.pools {
			if f.m.network.pools[p].gpuType != f.m.network.pools[o.pools[0]].gpuType {
				return true
			}
		}
	}
	return false
}

// deadlines adds rows (13): what has to be done before a deadline fits between
// the earliest release and it.
func (f *fluid) deadlines() {
	var dates []int64
	for i := range f.shapes {
		if d := f.shapes[i].d; d.job.Deadline > 0 {
			dates = append(dates, int64(d.job.Deadline)-int64(d.sync))
		}
	}
	for _, date := range candidates(dates, maxDeadlines) {
		for p := range f.m.network.pools {
			at := &f.m.network.pools[p]
			var set []*shape
			head := int64(math.MaxInt64)
			for i := range f.shapes {
				s := &f.shapes[i]
				if s.d.job.Deadline > 0 && int64(s.d.job.Deadline)-int64(s.d.sync) <= date && s.d.usable(at.gpuType) {
					set = append(set, s)
					head = min(head, s.release)
				}
			}
			if len(set) == 0 {
				continue
			}
			row := f.p.row(fmt.Sprintf("%s.before.%d", at.id, date), atMost, multiply(max(0, date-head), at.size()),
				about{"gpu", fmt.Sprint(at.gpuName(), before, date), -1})
			for _, s := range set {
				f.pay(row, s, p, 1)
			}
		}
	}
}
