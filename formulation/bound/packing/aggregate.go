package packing

import (
	"cmp"
	"context"
	"encoding/binary"
	"math"
	"slices"

	"jigsaw/formulation/relax/exact"
	"jigsaw/formulation/relax/packing"
	"jigsaw/solver"
)

// aggregate is a set of classes that an aggregated program represents by one class.
type aggregate struct {
	classes     []int
	workers     int64
	least, most float64 // ticks of a worker of any of them
	asked       float64 // mean ticks of a worker that the rules require
}

// likeness are the factors by which the ticks of aggregated classes may differ; if the first refutes a due, the
// second may refute a larger one.
var likeness = [...]float64{1.15, 1.08}

// solveAggregated looks for prices as Solve does, if the program is too large for that: prices of an aggregated
// program also prove something about the full one.
func (s search) solveAggregated(ctx context.Context, engine solver.Solver, limits solver.Limits, ratio float64) (Result, error) {
	small, list := s.aggregated(ratio)
	if len(list) == 0 || small.work() > mostAggregatedWork {
		return Result{}, nil
	}
	r, err := small.solve(ctx, engine, Result{}, limits, aggregatedMargin)
	if err != nil || r.Prices == nil {
		return Result{work: r.work}, err
	}
	prices := s.spread(&small, list, r.Prices)
	prices = append(prices, s.gpuPrices(prices, r.Prices[small.Prices:], 0)...)
	return Result{Prices: prices, work: r.work + 2*s.work()}, nil
}

// mostAggregatedWork bounds the steps of pricing an aggregated program once. If so many workers may share a GPU,
// spreading their work loses little.
const mostAggregatedWork = 500_000

// aggregatedMargin is the sigma of an aggregated program from which its prices are tried: units of GPUs are finer
// without aggregation, and prices are rounded.
const aggregatedMargin = 2e-3

// aggregated returns a program with one class for all classes whose workers' ticks differ by at most a factor ratio,
// and what these classes represent. A worker of such a class may take any number of ticks from the least to the most of
// the represented workers, so contents of the program also fit in the aggregated one.
func (s search) aggregated(ratio float64) (small search, list []aggregate) {
	slots := s.slots()
	at := map[string]int{}
	for i := range s.Classes {
		key, runs := s.key(i, slots[i], ratio)
		if !runs {
			continue
		}
		n, ok := at[key]
		if !ok {
			n = len(list)
			at[key], list = n, append(list, aggregate{least: math.Inf(1)})
		}
		list[n].add(s, i)
	}
	small = search{Program: &packing.Program{Model: s.Model, Due: s.Due, Unit: max(s.Unit, (s.Due+aggregatedRoom-1)/aggregatedRoom)}}
	for n := range list {
		c := list[n].class(small.Prices)
		small.Classes, small.Prices = append(small.Classes, c), small.Prices+len(c.Depths)
		small.ticks = append(small.ticks, []float64{list[n].least, list[n].most})
	}
	for p := range s.Pools {
		pool := s.Pools[p]
		pool.Slots, pool.Room = nil, pool.Room*s.Unit/small.Unit
		for n := range list {
			if slot, copies := s.joined(&list[n], p, slots); copies > 0 {
				slot.Class, slot.Room = n, slot.Room*s.Unit/small.Unit
				if len(small.Classes[n].Depths) == 1 {
					slot.Ticks = slot.Ticks[:1]
				}
				for range min(copies, max(1, slot.Room*small.Unit/max(1, slot.Ticks[0]))) {
					pool.Slots = append(pool.Slots, slot)
				}
			}
		}
		slices.SortStableFunc(pool.Slots, func(a, b packing.Slot) int { return -cmp.Compare(a.Room, b.Room) })
		small.Pools = append(small.Pools, pool)
	}
	return small, list
}

// aggregatedRoom is the number of units of a GPU in an aggregated program.
const aggregatedRoom = 512

// slotsOf are the slots of a class in a pool, which are identical.
type slotsOf struct {
	slot   *packing.Slot // nil: none
	copies int64
}

// slots returns those of each class, by pool.
func (s search) slots() [][]slotsOf {
	list := make([][]slotsOf, len(s.Classes))
	for i := range list {
		list[i] = make([]slotsOf, len(s.Pools))
	}
	for p := range s.Pools {
		for n := range s.Pools[p].Slots {
			slot := &s.Pools[p].Slots[n]
			of := &list[slot.Class][p]
			of.slot, of.copies = slot, of.copies+1
		}
	}
	return list
}

// key tells apart classes whose ticks differ by more than a factor ratio. It reports false if a class has no slots.
func (s search) key(class int, slots []slotsOf, ratio float64) (key string, runs bool) {
	var b []byte
	note := func(ticks float64) { b = binary.AppendVarint(b, int64(math.Log(max(1, ticks))/math.Log(ratio))) }
	for _, of := range slots {
		if of.slot == nil {
			b = append(b, 0)
			continue
		}
		b, runs = append(b, 1), true
		least, most := tickRange(of.slot)
		note(float64(least))
		note(float64(most))
	}
	_, _, asked := s.asks(class)
	note(asked)
	return string(b), runs
}

// tickRange returns the least and the most ticks of a worker in a slot.
func tickRange(slot *packing.Slot) (least, most int64) {
	least = exact.Never
	for _, t := range slot.Ticks {
		if t < exact.Never {
			least, most = min(least, t), max(most, t)
		}
	}
	return least, most
}

// asks returns the ticks of a worker of a class on its fastest GPUs with the shallowest and with the deepest tasks,
// and the mean that the rule requires.
func (s search) asks(class int) (least, most, mean float64) {
	c := &s.Classes[class]
	iterations := float64(c.Iterations)
	ticks := s.ticks[class]
	least, most, mean = iterations*ticks[0], iterations*ticks[len(ticks)-1], math.Inf(1)
	for _, deeper := range c.Deeper {
		sum := least
		for d, n := range deeper {
			sum += float64(n) / float64(c.Workers) * iterations * max(0, ticks[d+1]-ticks[d])
		}
		mean = min(mean, sum)
	}
	return least, max(least, most), mean
}

// add adds a class to an aggregate.
func (a *aggregate) add(s search, class int) {
	c := &s.Classes[class]
	least, most, asked := s.asks(class)
	workers := c.Jobs * c.Workers
	a.asked = (a.asked*float64(a.workers) + asked*float64(workers)) / float64(a.workers+workers)
	a.least, a.most, a.workers = min(a.least, least), max(a.most, most), a.workers+workers
	a.classes = append(a.classes, class)
}

// class returns the class of an aggregate, whose prices begin at the given index: one job with one iteration of two
// depths, with as many workers at the deeper depth as give the required number of ticks.
func (a *aggregate) class(at int) packing.Class {
	c := packing.Class{Jobs: 1, Workers: a.workers, Iterations: 1, Depths: []int{0}, At: at, Deeper: [][]int64{nil}}
	if a.most > a.least {
		part := (a.asked - a.least) / (a.most - a.least)
		c.Depths, c.Deeper[0] = []int{0, 1}, []int64{int64(math.Round(part * float64(a.workers)))}
	}
	return c
}

// joined returns a slot of a pool for a worker of any class of an aggregate, and the number of such slots.
func (s search) joined(a *aggregate, pool int, slots [][]slotsOf) (slot packing.Slot, copies int64) {
	least, most := int64(exact.Never), int64(0)
	for _, class := range a.classes {
		of := slots[class][pool]
		if of.slot == nil {
			continue
		}
		if copies == 0 {
			slot = *of.slot
		}
		from, to := tickRange(of.slot)
		least, most = min(least, from), max(most, to)
		slot.Room, slot.Release, slot.Sync = max(slot.Room, of.slot.Room), min(slot.Release, of.slot.Release), 0
		slot.Persistent, slot.Ephemeral = min(slot.Persistent, of.slot.Persistent), min(slot.Ephemeral, of.slot.Ephemeral)
		copies += of.copies
	}
	slot.Ticks = []int64{least, max(least+1, most)}
	return slot, copies
}

// spread converts prices of an aggregated program, except those of GPUs: a worker's ticks are worth the same as
// there.
func (s search) spread(small *search, list []aggregate, prices []int64) []int64 {
	spread := make([]int64, s.Prices)
	for n := range list {
		a, from := &list[n], small.Classes[n].At
		slope := 0.0 // of the value, per tick
		if len(small.Classes[n].Depths) > 1 {
			slope = float64(prices[from+1]) / (a.most - a.least)
		}
		for _, i := range a.classes {
			c := &s.Classes[i]
			least, _, _ := s.asks(i)
			spread[c.At] = prices[from] + int64(slope*(least-a.least))
			for d := range c.Depths[1:] {
				spread[c.At+1+d] = int64(slope * max(0, s.ticks[i][d+1]-s.ticks[i][d]))
			}
		}
	}
	return spread
}
