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

// aggregate is a set of classes for which an aggregated program has one class.
type aggregate struct {
	classes     []int
	workers     int64
	least, most float64 // ticks of a worker of any of them
	asked       float64 // ticks that the rules demand of a worker, in the mean
}

// likeness is the factor by which the ticks of classes that are aggregated differ at most.
const likeness = 1.15

// solveAggregated looks for prices of a program that is too large for Solve: those of an aggregated program, spread over
// the classes.
func (s search) solveAggregated(ctx context.Context, engine solver.Solver) (Result, error) {
	small, list := s.aggregated()
	if len(list) == 0 || small.work() > mostAggregatedWork {
		return Result{}, nil
	}
	r, err := small.solve(ctx, engine, Result{}, aggregatedMargin)
	if err != nil || r.Prices == nil {
		return Result{work: r.work}, err
	}
	prices := s.spread(&small, list, r.Prices)
	prices = append(prices, s.gpuPrices(prices, r.Prices[small.Prices:], 0)...)
	return Result{Prices: prices, work: r.work + 2*s.work()}, nil
}

// mostAggregatedWork bounds the steps of pricing an aggregated program once. Where more is needed so many workers may share
// a GPU that spreading their work evenly loses little.
const mostAggregatedWork = 500_000

// aggregatedMargin is the sigma that an aggregated program must reach for its prices to be tried: the whole program has
// finer units, and prices are rounded.
const aggregatedMargin = 2e-3

// aggregated returns a program with one class for all classes whose workers take similar numbers of ticks, and the aggregates that its
// classes stand for. A worker of such a class may take as few ticks as the shortest of them, and as many as the longest, so
// each content of the whole program is one of the aggregated program, too.
func (s search) aggregated() (small search, list []aggregate) {
	slots := s.slots()
	at := map[string]int{}
	for i := range s.Classes {
		key, runs := s.key(i, slots[i])
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

// slotsOf are the slots of a class in a pool, all alike.
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

// key returns the same text for classes that are aggregated. It reports false for a class without slots.
func (s search) key(class int, slots []slotsOf) (key string, runs bool) {
	var b []byte
	note := func(ticks float64) {
		power := int64(0)
		for t := 1.0; t < ticks; t *= likeness { // a logarithm may differ between machines
			power++
		}
		b = binary.AppendVarint(b, power)
	}
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

// asks returns the ticks of a worker of a class on its fastest GPUs, with the shallowest tasks, with the deepest, and those
// that the rule demands in the mean.
func (s search) asks(class int) (least, most, mean float64) {
	c := &s.Classes[class]
	iterations := float64(c.Iterations)
	ticks := s.ticks[class]
	least, most, mean = iterations*ticks[0], iterations*ticks[len(ticks)-1], math.Inf(1)
	for _, deeper := range c.Deeper {
		sum := least
		for d, n := range deeper {
			sum += float64(float64(n) / float64(c.Workers) * iterations * max(0, ticks[d+1]-ticks[d]))
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
	a.asked = (float64(a.asked*float64(a.workers)) + float64(asked*float64(workers))) / float64(a.workers+workers)
	a.least, a.most, a.workers = min(a.least, least), max(a.most, most), a.workers+workers
	a.classes = append(a.classes, class)
}

// class returns the class of an aggregate, with the index of its first price: one job, whose only iteration has two depths. So many
// workers need the deeper one that the ticks are those that the aggregate demands.
func (a *aggregate) class(at int) packing.Class {
	c := packing.Class{Jobs: 1, Workers: a.workers, Iterations: 1, Depths: []int{0}, At: at, Deeper: [][]int64{nil}}
	if a.most > a.least {
		part := (a.asked - a.least) / (a.most - a.least)
		c.Depths, c.Deeper[0] = []int{0, 1}, []int64{int64(math.Round(part * float64(a.workers)))}
	}
	return c
}

// joined returns a slot of a pool for a worker of any class of an aggregate, and the number of such slots. Each limit is the
// weakest of them; waits for synchronisations are left out.
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

// spread returns the prices of workers and tasks that follow from those of an aggregated program, in which the same number of ticks
// has the same worth.
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
