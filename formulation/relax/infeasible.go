package relax

import (
	"cmp"
	"context"
	"fmt"
	"math/big"
	"slices"
	"strconv"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax/exact"
	"jigsaw/formulation/relax/memory"
)

// maxReasons limits the number of sentences of one kind: an infeasible instance with a
// thousand jobs does not need a thousand of them.
const maxReasons = 8

// Infeasible returns cheap proofs, in sentences, that no valid schedule has all jobs; nil
// if it found none, which proves nothing. They are exact; [Refuted] says what follows
// from them. A plan for the sum of rates need not have all jobs, so nothing would follow
// there.
func Infeasible(in *instance.Instance) []string { return New(in).infeasible() }

// NoPlacement returns the proof that GPU memory cannot hold all jobs together, whichever
// GPUs and depths they get, found by enumerating all states of the memory; nil if this
// many steps do not prove it, or if [Infeasible] has proofs. See [memory.Refute].
func NoPlacement(ctx context.Context, in *instance.Instance, steps int) []string {
	if in.Objective == instance.Throughput || !memory.Refute(ctx, in, steps) {
		return nil
	}
	return []string{fmt.Sprintf("GPU memory cannot hold the %d jobs together: no choice of GPUs and depths fits, and all were tried", len(in.Jobs))}
}

// PlacementSteps is the step limit for the check of a certificate that enumerates the
// states of memory; it is several times what a plan spends.
const PlacementSteps = 400_000_000

// Refuted is what follows if no schedule has all jobs for these reasons: that there is no schedule
// or, if a plan may leave jobs out, that the smallest rate is 0. Without reasons it proves nothing.
func Refuted(in *instance.Instance, reasons []string) Proven {
	b := Proven{Kind: PresolveProof, Certified: reasons != nil, Infeasible: reasons}
	if b.Certified && in.Objective == instance.MaxMinThroughput {
		b.Infeasible, b.Value = nil, new(big.Rat)
	}
	return b
}

func (m *Model) infeasible() []string {
	var all [][]string
	switch m.Instance.Objective {
	case instance.Throughput:
	case instance.MaxMinThroughput: // of single jobs the chain proves the same
		all = [][]string{m.tooManyParameters(), m.tooManyHalves()}
	default:
		all = [][]string{m.tooLarge(), m.tooLate(), m.tooManyParameters(), m.tooManyHalves(), m.tooMuchBefore()}
	}
	var reasons []string
	for _, proofs := range all {
		if len(proofs) > maxReasons {
			more := len(proofs) - maxReasons
			proofs = append(proofs[:maxReasons:maxReasons], fmt.Sprintf("and %d more like these", more))
		}
		reasons = append(reasons, proofs...)
	}
	return reasons
}

// tooLarge finds jobs that no residency can hold: too little memory, or too few
// GPUs that have it, or links that failed.
func (m *Model) tooLarge() []string {
	var reasons []string
	for c := range m.Classes {
		d := &m.Classes[c]
		name := m.ClassName(c)
		if d.NoMemory {
			j, depth := d.Job, d.Job.Full()
			probe := Class{Job: j} // before fit gave up on memory
			probe.fit(m, true)
			for o, least := range probe.Shortest {
				if least < 0 && d.needs(o) {
					depth = o
				}
			}
			need, largest := instance.Bytes(-1), instance.Bytes(0)
			for t, c := range j.On {
				if c == nil || m.GPUs[t] == 0 {
					continue
				}
				if b := c.Persistent + c.Ephemeral[depth]; need < 0 || b < need {
					need = b
				}
				largest = max(largest, m.Instance.Types[t].Memory)
			}
			if need < 0 {
				reasons = append(reasons, fmt.Sprintf("%s: there is no GPU of a type that it runs on", name))
				continue
			}
			reasons = append(reasons, fmt.Sprintf("%s: a worker needs at least %v of memory, the GPUs it may use have %v",
				name, need, largest))
			continue
		}
		gpus := int64(0)
		for t := range m.Instance.Types {
			if d.Usable(instance.TypeID(t)) {
				gpus += m.GPUs[t]
			}
		}
		if gpus < int64(d.Job.Workers) {
			reasons = append(reasons, fmt.Sprintf("%s: it needs %s, only %d have the memory for it", name, instance.GPUCount(d.Job.Workers), gpus))
		} else if d.Unplaced && len(m.modesIgnoring(d)) == 0 {
			reasons = append(reasons, m.noPlace(d, name))
		}
	}
	return reasons
}

// noPlace says why a job can run on no GPUs: if its policy is the cause, which links
// separate them.
func (m *Model) noPlace(d *Class, name string) string {
	if d.Job.Policy > 0 {
		job, free := *d.Job, *d
		job.Policy, free.Job = 0, &job
		if len(m.modesIgnoring(&free)) > 0 {
			return fmt.Sprintf("%s: no %d GPUs within its placement limits have routes that obey policy %q between them: %s",
				name, d.Job.Workers, m.Instance.Policies[d.Job.Policy-1], m.Instance.PolicyCut(d.Job.Policy))
		}
	}
	return fmt.Sprintf("%s: no %d GPUs within its placement limits have the memory and working links between them", name, d.Job.Workers)
}

// modesIgnoring lists the job's modes as if it had no deadline.
func (m *Model) modesIgnoring(d *Class) []Mode {
	job, free := *d.Job, *d
	job.Deadline, free.Job = 0, &job
	return m.modes(&free, true)
}

// tooLate finds jobs whose own chain ends after their deadline.
func (m *Model) tooLate() []string {
	var reasons []string
	for c := range m.Classes {
		d := &m.Classes[c]
		if d.Job.Deadline == 0 || d.NoMemory {
			continue
		}
		modes := m.modesIgnoring(d)
		if len(modes) == 0 {
			continue // reported elsewhere
		}
		least := slices.MinFunc(modes, func(a, b Mode) int { return cmp.Compare(a.Iteration(), b.Iteration()) })
		end := d.Chain(least.Iteration())
		if end.Cmp(big.NewInt(int64(d.Job.Deadline))) <= 0 {
			continue
		}
		name := m.ClassName(c)
		what := "its"
		if len(d.Jobs) > 1 {
			name, what = name+", each", "their"
		}
		run := new(big.Int).Sub(end, big.NewInt(int64(d.Job.Release)))
		reason := fmt.Sprintf("%s: %s %s at least %s, the deadline is %s", name,
			what, iterationsNeed(d.Job.Iterations), m.spell(run), m.spell(big.NewInt(int64(d.Job.Deadline))))
		if d.Job.Release > 0 { // with [instance.Instance.Roomy], once they are loaded
			reason += ", and they can begin at " + m.spell(big.NewInt(int64(d.Job.Release)))
		}
		reasons = append(reasons, reason)
	}
	return reasons
}

// spell writes ticks exactly, like "12.5 s".
func (m *Model) spell(ticks *big.Int) string {
	us, _ := new(big.Float).SetInt(new(big.Int).Mul(ticks, big.NewInt(m.Instance.TickUS))).Float64()
	if us > 0 && us < 1e6 {
		return strconv.FormatFloat(us/1e3, 'f', -1, 64) + " ms"
	}
	return strconv.FormatFloat(us/1e6, 'f', -1, 64) + " s"
}

func iterationsNeed(n int) string {
	if n == 1 {
		return "one iteration needs"
	}
	return fmt.Sprintf("%d iterations need", n)
}

// tooManyParameters finds sets of GPU types whose memory cannot hold the
// parameters of the jobs confined to them.
func (m *Model) tooManyParameters() []string {
	var reasons []string
	for _, set := range m.typeSets() {
		kept, memory, gpus := new(big.Int), new(big.Int), int64(0)
		for t, in := range set {
			if in {
				memory.Add(memory, exact.Mul(int64(m.Instance.Types[t].Memory), m.GPUs[t]))
				gpus += m.GPUs[t]
			}
		}
		jobs := int64(0)
		for c := range m.Classes {
			d := &m.Classes[c]
			if d.NoMemory || !subset(m.classTypes(c), set) {
				continue
			}
			kept.Add(kept, new(big.Int).Mul(exact.Mul(int64(max(0, d.leastKept(set))), int64(d.Job.Workers)), big.NewInt(d.Count())))
			jobs += d.Count()
		}
		if kept.Cmp(memory) > 0 {
			subject := m.TypesName(set, gpus)
			reasons = append(reasons, fmt.Sprintf("%s at least %v in memory all the time, %s %s %v", keep(jobs), bytesOf(kept),
				subject, map[bool]string{true: "holds", false: "hold"}[gpus == 1], bytesOf(memory)))
		}
	}
	return reasons
}

// tooManyHalves finds sets of GPU types with fewer GPUs than workers of jobs confined to them that keep more than half of
// what the memory of any of these GPUs can hold beside a task.
func (m *Model) tooManyHalves() []string {
	var reasons []string
	for _, set := range m.typeSets() {
		room, gpus := instance.Bytes(0), int64(0)
		for t, in := range set {
			if !in {
				continue
			}
			gpus += m.GPUs[t]
			least := m.Instance.Types[t].Memory // ephemeral bytes
			for c := range m.Classes {
				if d := &m.Classes[c]; d.Usable(instance.TypeID(t)) {
					least = min(least, d.Job.LeastEphemeral(instance.TypeID(t)))
				}
			}
			room = max(room, m.Instance.Types[t].Memory-least)
		}
		jobs, workers, smallest := int64(0), new(big.Int), instance.Bytes(0)
		for c := range m.Classes {
			d := &m.Classes[c]
			if d.NoMemory || !subset(m.classTypes(c), set) {
				continue
			}
			if kept := d.leastKept(set); kept > room/2 && int64(d.Job.Workers) <= gpus { // others fit nowhere
				workers.Add(workers, exact.Mul(int64(d.Job.Workers), d.Count()))
				if jobs == 0 || kept < smallest {
					smallest = kept
				}
				jobs += d.Count()
			}
		}
		if workers.Cmp(big.NewInt(gpus)) > 0 {
			reasons = append(reasons, fmt.Sprintf("%s at least %v on each of %v GPUs all the time, and no two of these can be the same one of %s",
				keep(jobs), smallest, workers, m.TypesName(set, gpus)))
		}
	}
	return reasons
}

// leastKept is the least persistent bytes of a worker on GPUs of a set of types; -1 if it runs on none.
func (d *Class) leastKept(set []bool) instance.Bytes {
	least := instance.Bytes(-1)
	for t := range set {
		if d.Usable(instance.TypeID(t)) && (least < 0 || d.Job.On[t].Persistent < least) {
			least = d.Job.On[t].Persistent
		}
	}
	return least
}

func keep(jobs int64) string {
	if jobs == 1 {
		return "the job keeps"
	}
	return fmt.Sprintf("%d jobs keep", jobs)
}

func bytesOf(v *big.Int) instance.Bytes {
	if v.IsInt64() {
		return instance.Bytes(v.Int64())
	}
	return instance.Bytes(1<<63 - 1)
}

// tooMuchBefore finds deadlines before which more work has to be done than the
// resources can do.
func (m *Model) tooMuchBefore() []string {
	var reasons []string
	for _, l := range m.loads() {
		var heads, dates []int64
		for _, item := range l.Items {
			if d := &m.Classes[item.Class]; d.Job.Deadline > 0 && d.Runs() {
				heads = append(heads, item.Head)
				dates = append(dates, int64(d.Job.Deadline)-item.Tail)
			}
		}
		if dates == nil {
			continue
		}
		heads, dates = instance.Quantiles(heads, 32), instance.Quantiles(dates, 256)
		for _, date := range dates {
			if reason := m.overfull(&l, heads, date); reason != "" {
				reasons = append(reasons, reason)
				break // later dates of the same resource add nothing
			}
		}
	}
	return slices.Compact(reasons)
}

// overfull says that a load cannot be done between some head and a date.
func (m *Model) overfull(l *Load, heads []int64, date int64) string {
	for _, h := range heads {
		// The last iteration's work ends by deadline - tail, each earlier
		// one l before: those that end by the date count.
		work, jobs := m.confined(l, h, func(d *Class) (int64, bool) {
			return int64(d.Job.Deadline) - date, d.Job.Deadline > 0 && d.Runs()
		})
		room := new(big.Int).Mul(l.capacity, big.NewInt(max(0, date-h)))
		if work.Cmp(room) > 0 {
			if room.Sign() == 0 {
				return fmt.Sprintf("%d jobs with deadlines have work for %s that must be done by %s, and none of it can begin before %s",
					jobs, l.Subject, m.spell(big.NewInt(date)), m.spell(big.NewInt(h)))
			}
			percent, _ := new(big.Rat).SetFrac(work.Mul(work, big.NewInt(100)), room).Float64()
			return fmt.Sprintf("%d jobs with deadlines have work for %s that must be done between %s and %s: %.4g %% of what can be done there",
				jobs, l.Subject, m.spell(big.NewInt(h)), m.spell(big.NewInt(date)), percent)
		}
	}
	return ""
}
