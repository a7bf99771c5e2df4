package periodic

import (
	"cmp"
	"math"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics/multiset"
	"jigsaw/heuristics/state"
)

// longPeriod is how many of the longest iterations a period without a bound may hold:
// the loss where the period closes is then a few per cent.
const longPeriod = 64

// periodTasks limits the tasks of a plan: with it some thirty plans can be built in a
// second, plus one second for every 1,000 GPUs.
func periodTasks(in *instance.Instance) float64 { return float64(1_000_000+1000*len(in.GPUs)) / 30 }

// greatestPeriod returns the longest period worth trying, given the longest iteration and the
// tasks per tick: it limits the number of tasks.
func greatestPeriod(in *instance.Instance, longest instance.Tick, rate float64) instance.Tick {
	greatest := instance.Tick(min(float64(longPeriod*longest), periodTasks(in)/rate))
	greatest = max(greatest, longest+longest/2)
	if in.MaxPeriod > 0 {
		greatest = min(greatest, in.MaxPeriod)
	}
	return greatest
}

// exclusiveCandidates limits the periods that exclusivePeriods compares.
const exclusiveCandidates = 4096

// exclusivePeriods returns a few good periods for jobs that run undisturbed,
// best first: multiples of their cycles with the highest value, and the
// shortest whose value is within a thousandth of it.
func exclusivePeriods(in *instance.Instance, list []*resident) []instance.Tick {
	var cycles []instance.Tick
	rate := 0.0
	for _, l := range list {
		cycles = append(cycles, l.cycle)
		rate += float64(len(l.gpus)) / float64(l.cycle)
	}
	greatest := greatestPeriod(in, slices.Max(cycles), rate)
	cycles = instance.Quantiles(cycles, exclusiveCandidates)
	var periods []instance.Tick
	for _, c := range cycles {
		// The same number of multiples of each cycle, from the longest down.
		step := max(1, greatest/c*instance.Tick(len(cycles))/exclusiveCandidates)
		for n := greatest / c; n > 0; n -= step {
			periods = append(periods, n*c)
		}
	}
	periods = append(periods, greatest)
	slices.Sort(periods)
	periods = slices.Compact(periods)
	value := make(map[instance.Tick]float64, len(periods))
	best := 0.0
	for _, p := range periods {
		value[p] = exclusiveValue(in, list, p)
		best = max(best, value[p])
	}
	short := periods[slices.IndexFunc(periods, func(p instance.Tick) bool { return value[p] >= 0.999*best })]
	slices.SortStableFunc(periods, func(a, b instance.Tick) int { return cmp.Compare(value[b], value[a]) })
	return append([]instance.Tick{short}, periods[:min(3, len(periods))]...)
}

// exclusiveValue returns the objective if every resident completes as many
// iterations as whole cycles fit into the period. Under the least rate with
// jobs left out, when the value is 0, it is the sum of normalised rates.
func exclusiveValue(in *instance.Instance, list []*resident, period instance.Tick) float64 {
	sum, least := 0.0, math.Inf(1)
	for _, l := range list {
		r := float64(period/l.cycle) / float64(period)
		if in.Objective == instance.Throughput {
			sum += r * float64(l.job.Weight)
			continue
		}
		r *= float64(l.job.FastestFull()) / float64(l.job.Weight)
		sum += r
		least = min(least, r)
	}
	if in.Objective == instance.MaxMinThroughput && len(list) == len(in.Jobs) {
		return least
	}
	return sum
}

// mostPeriods limits the periods from which ruin and recreate chooses.
const mostPeriods = 256

// ruinPeriods lists periods from the shortest worth trying to the longest: all, or some
// on a geometric scale.
func ruinPeriods(in *instance.Instance, wants []want) []instance.Tick {
	shortest, longest, rate := wants[0].cycle, wants[0].cycle, 0.0
	for j := range wants {
		shortest, longest = min(shortest, wants[j].cycle), max(longest, wants[j].cycle)
		rate += float64(in.Jobs[j].Workers) / float64(wants[j].cycle)
	}
	greatest := greatestPeriod(in, longest, rate)
	least := max(1, min(shortest, greatest))
	var periods []instance.Tick
	if greatest-least < mostPeriods {
		for p := least; p <= greatest; p++ {
			periods = append(periods, p)
		}
		return periods
	}
	for n := range mostPeriods {
		periods = append(periods, instance.Tick(float64(least)*state.Pow(float64(greatest)/float64(least), float64(n)/(mostPeriods-1))))
	}
	return slices.Compact(periods)
}

// promise estimates the largest sum of rates of a plan with the given period: jobs, in order,
// complete whole iterations, all within the available time of GPUs and NICs.
func promise(in *instance.Instance, wants []want, order []instance.JobID, period instance.Tick) float64 {
	ticks := float64(period)
	gpus, nics := ticks*float64(len(in.GPUs)), ticks*float64(len(in.Nodes))
	value := 0.0
	for _, j := range order {
		w := &wants[j]
		n := min(math.Floor(ticks/float64(w.cycle)), gpus/w.area)
		if w.nics > 0 {
			n = min(n, math.Floor(nics/w.nics))
		}
		value += float64(n * float64(in.Jobs[j].Weight))
		gpus, nics = gpus-float64(n*w.area), nics-float64(n*w.nics)
	}
	return value / ticks
}

// Needs estimates the lengths of periods.
type Needs struct {
	in *instance.Instance
	// Per iteration of a job, with the least demanding multiset of its rule: ticks,
	// GPU-ticks, and ticks of NICs summed over nodes.
	cycle, gpus, nics []float64
}

// NewNeeds computes the needs of the jobs of an instance.
func NewNeeds(in *instance.Instance) *Needs {
	n := &Needs{in, make([]float64, len(in.Jobs)), make([]float64, len(in.Jobs)), make([]float64, len(in.Jobs))}
	for _, class := range in.Classes() {
		least := wantOf(in, class[0])
		cycle, gpus, nics := float64(least.cycle), least.area, least.nics
		for _, counts := range slices.Concat(least.multisets[1:], multiset.Minimal(&in.Jobs[class[0]])) {
			w := wantFor(in, class[0], counts)
			cycle, gpus, nics = min(cycle, float64(w.cycle)), min(gpus, w.area), min(nics, w.nics)
		}
		for _, j := range class {
			n.cycle[j], n.gpus[j], n.nics[j] = cycle, gpus, nics
		}
	}
	return n
}

// Period returns approximately the shortest period, in ticks, in which jobs complete these
// iterations: the longest of them alone, or the time of GPUs or of NICs that all need.
func (n *Needs) Period(iterations []int) float64 {
	longest, gpus, nics := 0.0, 0.0, 0.0
	for j, count := range iterations {
		r := float64(count)
		longest, gpus, nics = max(longest, float64(r*n.cycle[j])), gpus+float64(r*n.gpus[j]), nics+float64(r*n.nics[j])
	}
	return max(longest, gpus/float64(len(n.in.GPUs)), nics/float64(len(n.in.Nodes)))
}
