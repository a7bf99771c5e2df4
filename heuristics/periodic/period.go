package periodic

import (
	"cmp"
	"math"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics/state"
)

// longPeriod is how many of the longest iterations a period without a bound
// may hold: what is lost where the period closes is then a few per cent.
const longPeriod = 64

// periodRange returns the least and greatest period worth trying, in ticks.
// Below the least the fastest job, or for the least rate the slowest, has no
// time for one iteration. The greatest keeps the number of tasks in hand.
func periodRange(in *instance.Instance, list []*resident) (least, greatest instance.Tick) {
	shortest, longest, tasks := instance.Tick(math.MaxInt64), instance.Tick(1), 0.0
	for _, l := range list {
		shortest, longest = min(shortest, l.cycle), max(longest, l.cycle)
		tasks += float64(len(l.gpus)) * l.target
	}
	least = shortest
	if in.Objective == instance.MaxMinThroughput {
		least = longest
	}
	greatest = longPeriod * longest
	if tasks > 0 {
		greatest = instance.Tick(min(float64(greatest), periodicPlanTasks(in)/tasks))
	}
	greatest = max(greatest, longest+longest/2)
	if in.MaxPeriod > 0 {
		greatest = min(greatest, in.MaxPeriod)
	}
	return max(1, min(least, greatest)), greatest
}

// naturalPeriods lists periods that suit the residencies and targets: with a
// small bound all of them, and otherwise such as let iterations, or the
// residents of a GPU taking turns, come round a whole number of times, and a
// geometric scale.
func naturalPeriods(in *instance.Instance, list []*resident) []instance.Tick {
	least, greatest := periodRange(in, list)
	var periods []instance.Tick
	if in.MaxPeriod > 0 && in.MaxPeriod <= smallPeriod {
		for p := greatest; p >= least; p-- {
			periods = append(periods, p)
		}
		return periods
	}
	if in.Objective == instance.Throughput {
		periods = append(periods, exclusivePeriods(in, list)[0])
	}
	scale := func(from float64) {
		for p := from; p >= float64(least); p /= 2 {
			periods = append(periods, instance.Tick(p))
		}
	}
	scale(float64(greatest) / 4)
	scale(float64(greatest) / 3)
	scale(float64(greatest))

	var cycles []instance.Tick
	load := make([]float64, len(in.GPUs))
	slowest := math.Inf(1)
	for _, l := range list {
		cycles = append(cycles, l.cycle)
		for w, g := range l.gpus {
			load[g] += l.work[w]
		}
		if l.target > 0 {
			slowest = min(slowest, l.target)
		}
	}
	var loads []instance.Tick
	for _, t := range load {
		if t > 0 {
			loads = append(loads, instance.Tick(math.Ceil(t)))
		}
	}
	for n := range instance.Tick(4) {
		if !math.IsInf(slowest, 1) {
			periods = append(periods, roundLength(in, list, float64(n+1)/slowest))
		}
		for _, base := range [][]instance.Tick{quantiles(loads, 5), quantiles(cycles, 5)} {
			for _, t := range base {
				periods = append(periods, (n+1)*t)
			}
		}
	}
	seen := map[instance.Tick]bool{}
	return slices.DeleteFunc(periods, func(p instance.Tick) bool {
		bad := p < least || p > greatest || seen[p]
		seen[p] = true
		return bad
	})
}

// roundLength returns the least period, by loads of GPUs and lengths of chains, in
// which every resident with a target completes what it is due in time, rounded
// up to whole iterations.
func roundLength(in *instance.Instance, list []*resident, time float64) instance.Tick {
	load := make([]float64, len(in.GPUs))
	period := 0.0
	for _, l := range list {
		r := math.Ceil(l.target*time - 1e-9)
		period = max(period, r*float64(l.cycle))
		for w, g := range l.gpus {
			load[g] += r * l.work[w]
		}
	}
	return instance.Tick(math.Ceil(max(period, slices.Max(load))))
}

// quantiles returns at most n distinct values, evenly spread by rank.
func quantiles(values []instance.Tick, n int) []instance.Tick {
	slices.Sort(values)
	values = slices.Compact(values)
	if len(values) <= n {
		return values
	}
	some := make([]instance.Tick, n)
	for i := range some {
		some[i] = values[i*(len(values)-1)/(n-1)]
	}
	return some
}

// clampPeriod brings a period into range.
func clampPeriod(in *instance.Instance, list []*resident, period instance.Tick) instance.Tick {
	least, greatest := periodRange(in, list)
	return min(max(period, least), greatest)
}

// exclusiveCandidates bounds the periods that exclusivePeriods compares.
const exclusiveCandidates = 4096

// exclusivePeriods returns a few good periods for jobs that run undisturbed,
// best first: multiples of their cycles with the highest value, and the
// shortest that comes within a thousandth of it.
func exclusivePeriods(in *instance.Instance, list []*resident) []instance.Tick {
	least, greatest := periodRange(in, list)
	var cycles []instance.Tick
	for _, l := range list {
		cycles = append(cycles, l.cycle)
	}
	cycles = quantiles(cycles, exclusiveCandidates)
	var periods []instance.Tick
	for _, c := range cycles {
		// The same number of multiples of each, from the longest down.
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
	short := max(least, 1)
	for _, p := range periods {
		if value[p] >= 0.999*best {
			short = p
			break
		}
	}
	slices.SortStableFunc(periods, func(a, b instance.Tick) int { return cmp.Compare(value[b], value[a]) })
	return append([]instance.Tick{short}, periods[:min(3, len(periods))]...)
}

// exclusiveValue returns the objective when every resident completes as many
// iterations as whole cycles fit into the period. Under the least rate with
// jobs left out, where the value is 0, it is the sum of normalised rates.
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

// mostPeriods bounds the periods that ruin and recreate chooses from.
const mostPeriods = 256

// ruinPeriods lists periods from the least that is worth trying to the greatest:
// all, or some on a geometric scale.
func ruinPeriods(in *instance.Instance, wants []want) []instance.Tick {
	shortest, longest, rate := wants[0].cycle, wants[0].cycle, 0.0
	for j := range wants {
		shortest, longest = min(shortest, wants[j].cycle), max(longest, wants[j].cycle)
		rate += float64(in.Jobs[j].Workers) / float64(wants[j].cycle)
	}
	greatest := instance.Tick(min(float64(longPeriod*longest), periodicPlanTasks(in)/rate))
	greatest = max(greatest, longest+longest/2)
	if in.MaxPeriod > 0 {
		greatest = min(greatest, in.MaxPeriod)
	}
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

// promise estimates the greatest sum of rates of a plan with the given period: jobs, in
// order, complete whole iterations, all of them within the GPU time there is.
func promise(in *instance.Instance, wants []want, order []instance.JobID, period instance.Tick) float64 {
	ticks := float64(period)
	budget := ticks * float64(len(in.GPUs))
	value := 0.0
	for _, j := range order {
		n := min(math.Floor(ticks/float64(wants[j].cycle)), budget/wants[j].area)
		value += n * float64(in.Jobs[j].Weight)
		budget -= n * wants[j].area
	}
	return value / ticks
}
