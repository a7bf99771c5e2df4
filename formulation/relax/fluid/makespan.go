package fluid

import (
	"fmt"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax"
	"jigsaw/formulation/relax/exact"
	"jigsaw/formulation/relax/linear"
	"math"
	"math/big"
)

// releases and tails are the heads and tails that get rows of their own.
func (f *Program) releases() []int64 {
	var heads []int64
	for c := range f.Model.Classes {
		heads = append(heads, int64(f.Model.Classes[c].Job.Release))
	}
	return instance.Quantiles(heads, maxHeads)
}

func (f *Program) tails() []int64 {
	var tails []int64
	for c := range f.Model.Classes {
		tails = append(tails, int64(f.Model.Classes[c].Sync))
	}
	return instance.Quantiles(tails, maxTails)
}

// buildMakespan states the program of the package comment with T minimised.
func (f *Program) buildMakespan() {
	heads, tails := f.releases(), f.tails()
	known, _ := f.Model.Chain()
	if end := f.Model.AreaEnd(); end.Cmp(known) > 0 {
		known = end
	}
	half := exact.Ceil(new(big.Rat).Mul(big.NewRat(1, 2), known))
	f.time = f.Linear.Col("T", 1, linear.NoUpper)
	f.shape(heads, half)
	f.residency()
	f.activity(func(s *Shape) int64 { return s.iterations })

	// (8) GPU time of each pool, from some head to some tail.
	for p := range f.Model.Network.Pools {
		at := &f.Model.Network.Pools[p]
		seen := map[string]bool{}
		for _, h := range heads {
			for _, q := range tails {
				var set []int
				head, tail := int64(math.MaxInt64), int64(math.MaxInt64)
				for i := range f.Shapes {
					s := &f.Shapes[i]
					if s.Release >= h && int64(s.Class.Sync) >= q && s.Class.Usable(at.GPUType) {
						set = append(set, i)
						head, tail = min(head, s.Release), min(tail, int64(s.Class.Sync))
					}
				}
				key := fmt.Sprint(set)
				if len(set) == 0 || seen[key] {
					continue
				}
				seen[key] = true
				row := f.Linear.Row(fmt.Sprintf("%s.gpu.r%d.s%d", at.ID, head, tail), linear.AtLeast, exact.Multiply(at.Size(), head+tail),
					linear.About{Resource: "gpu", Subject: at.GPUName(), Capacity: f.time})
				f.Linear.Term(row, f.time, at.Size())
				for _, i := range set {
					f.pay(row, &f.Shapes[i], p, -1)
				}
			}
		}
	}
	f.deadlines()
	f.links(-1, func(name string, links int64, shapes []*Shape, a linear.About) int {
		head := int64(math.MaxInt64)
		for _, s := range shapes {
			head = min(head, s.Release+int64(s.Class.Full))
		}
		row := f.Linear.Row(name, linear.AtLeast, exact.Multiply(relax.LinkUnit*links, head), a)
		f.Linear.Term(row, f.time, relax.LinkUnit*links)
		return row
	})
	f.chains()
}

// chains adds rows (12): the makespan is at least the mean of the chains of a
// class of identical jobs, wherever they live, and at least every chain at its
// shortest.
func (f *Program) chains() {
	var longest *big.Int
	var which int
	for i := range f.Shapes {
		s := &f.Shapes[i]
		if len(s.Classes) == 1 {
			f.classChain(s)
			continue
		}
		for _, c := range s.Classes {
			d := &f.Model.Classes[c]
			if end := d.Chain(d.Iteration); longest == nil || end.Cmp(longest) > 0 {
				longest, which = end, c
			}
		}
	}
	if longest != nil {
		row := f.Linear.Row("chain", linear.AtLeast, exact.Saturate(longest), linear.About{Resource: "job", Subject: f.Model.ClassName(which), Capacity: f.time})
		f.Linear.Term(row, f.time, 1)
	}
}

func (f *Program) classChain(s *Shape) {
	d := s.Class
	chain := func(name string, times int64, tick func(mode int) instance.Tick) (row int) {
		row = f.Linear.Row(s.ID+name, linear.AtLeast, exact.Multiply(times*s.Jobs, s.Release), linear.About{Resource: "job", Subject: f.Model.ClassName(s.Classes[0]), Capacity: f.time})
		f.Linear.Term(row, f.time, times*s.Jobs)
		for i := range d.Modes {
			f.Linear.Term(row, s.does[i], exact.Multiply(-times, int64(tick(i))))
		}
		return row
	}
	chain(".chain", 1, func(mode int) instance.Tick { return d.Modes[mode].Iteration() })
	if d.Job.Rule.Fixed == nil || !f.mixed(d) {
		return
	}
	// The full-depth tasks of an iteration last no longer than its compute
	// phase on average, and a fixed rule has as many in every iteration.
	row := chain(".full", int64(d.Job.Rule.Fixed[d.Job.Full()]), func(mode int) instance.Tick {
		if s.busy[mode] != nil {
			return d.Modes[mode].Sync
		}
		return d.Modes[mode].Iteration()
	})
	for p := range f.Model.Network.Pools {
		if z := s.tasks[p]; z != nil && z[d.Job.Full()] >= 0 {
			t := f.Model.Network.Pools[p].GPUType
			f.Linear.Term(row, z[d.Job.Full()], -int64(d.Job.On[t].Time[d.Job.Full()]))
		}
	}
}

// mixed reports whether the class has a mode whose pools differ in GPU type.
func (f *Program) mixed(d *relax.Class) bool {
	for _, o := range d.Modes {
		for _, p := range o.Pools {
			if f.Model.Network.Pools[p].GPUType != f.Model.Network.Pools[o.Pools[0]].GPUType {
				return true
			}
		}
	}
	return false
}

// deadlines adds rows (13): the work due before a deadline fits between the
// earliest release and it.
func (f *Program) deadlines() {
	var dates []int64
	for i := range f.Shapes {
		if d := f.Shapes[i].Class; d.Job.Deadline > 0 {
			dates = append(dates, int64(d.Job.Deadline)-int64(d.Sync))
		}
	}
	for _, date := range instance.Quantiles(dates, maxDeadlines) {
		for p := range f.Model.Network.Pools {
			at := &f.Model.Network.Pools[p]
			var set []*Shape
			head := int64(math.MaxInt64)
			for i := range f.Shapes {
				s := &f.Shapes[i]
				if s.Class.Job.Deadline > 0 && int64(s.Class.Job.Deadline)-int64(s.Class.Sync) <= date && s.Class.Usable(at.GPUType) {
					set = append(set, s)
					head = min(head, s.Release)
				}
			}
			if len(set) == 0 {
				continue
			}
			row := f.Linear.Row(fmt.Sprintf("%s.before.%d", at.ID, date), linear.AtMost, exact.Multiply(max(0, date-head), at.Size()),
				linear.About{Resource: "gpu", Subject: fmt.Sprint(at.GPUName(), relax.Before, date), Capacity: -1})
			for _, s := range set {
				f.pay(row, s, p, 1)
			}
		}
	}
}
