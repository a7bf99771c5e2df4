package relax

import (
	"context"
	"fmt"
	"math/big"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax/exact"
)

// Class holds lower bounds on what every job of a class asks of any schedule.
// Times are in ticks.
type Class struct {
	Job  *instance.Job // the first of the class
	Jobs []instance.JobID
	// NoMemory and Unplaced say why no schedule can hold the job: no GPU of the
	// cluster has the memory for it, or no residency works.
	NoMemory, Unplaced bool

	// Fits[t][d]: a GPU of type t has the memory for the job at depth d.
	Fits [][]bool
	// Shortest[d] is the shortest task of depth d on any type where it fits; -1 if it fits
	// nowhere.
	Shortest []instance.Tick
	// Work is the least sum of a whole iteration's tasks, each with its shortest
	// length.
	Work int64
	// Moment is a lower bound on sum a^2 over parts a of an iteration's tasks,
	// chosen so that each a is at most its task and they sum to Work.
	Moment *big.Rat

	Modes   []Mode
	minimal [][]int // see [Model.Multisets]; nil until asked for
	relaxed bool    // they are too many to be listed
	// Full is the shortest full-depth task, Sync the shortest synchronisation,
	// Iteration the shortest iteration, over the modes.
	Full, Sync, Iteration instance.Tick
}

// Count is the number of jobs of the class.
func (d *Class) Count() int64 { return int64(len(d.Jobs)) }

// Chain is r + R x iteration, exact.
func (d *Class) Chain(iteration instance.Tick) *big.Int {
	c := exact.Mul(int64(d.Job.Iterations), int64(iteration))
	return c.Add(c, big.NewInt(int64(d.Job.Release)))
}

// Model is an instance with the data that all relaxations use.
type Model struct {
	Instance *instance.Instance
	Network  *Network
	GPUs     []int64         // by type
	Classes  []Class         // by class, as in Instance.Classes
	Context  context.Context // of the check of a certificate, else nil
}

// Ended reports whether the check of a certificate was cancelled. An enumeration
// that it cut short proves nothing.
func (m *Model) Ended() bool { return m.Context != nil && m.Context.Err() != nil }

// New returns the data that relaxations use of an instance.
func New(in *instance.Instance) *Model {
	m := &Model{Instance: in, Network: NewNetwork(in), GPUs: make([]int64, len(in.Types))}
	for _, g := range in.GPUs {
		m.GPUs[g.Type]++
	}
	for _, jobs := range in.Classes() {
		m.Classes = append(m.Classes, m.demand(jobs))
	}
	return m
}

func (m *Model) demand(jobs []instance.JobID) Class {
	j := &m.Instance.Jobs[jobs[0]]
	d := Class{Job: j, Jobs: jobs}
	if d.NoMemory = !d.fit(m, true); d.NoMemory {
		// No schedule exists, so any number is a bound: continue without memory.
		if !d.fit(m, false) { // nor are there GPUs that it runs on
			d.Moment, d.Unplaced = new(big.Rat), true
			return d
		}
	}
	d.Work, d.Moment = LeastWork(j, d.Shortest)
	d.Modes = m.modes(&d, true)
	if d.Unplaced = len(d.Modes) == 0; d.Unplaced {
		d.Modes = m.modes(&d, false)
	}
	for i, mode := range d.Modes {
		if i == 0 {
			d.Full, d.Sync, d.Iteration = mode.Full, mode.Sync, mode.Iteration()
		}
		d.Full, d.Sync = min(d.Full, mode.Full), min(d.Sync, mode.Sync)
		d.Iteration = min(d.Iteration, mode.Iteration())
	}
	return d
}

// fit fills Fits and Shortest. It reports whether the depths that the job's rule
// requires fit somewhere.
func (d *Class) fit(m *Model, memory bool) bool {
	in, j := m.Instance, d.Job
	d.Fits = make([][]bool, len(in.Types))
	d.Shortest = make([]instance.Tick, len(j.Depths))
	for i := range d.Shortest {
		d.Shortest[i] = -1
	}
	for t, c := range j.On {
		d.Fits[t] = make([]bool, len(j.Depths))
		if c == nil || m.GPUs[t] == 0 {
			continue
		}
		for depth, time := range c.Time {
			if memory && c.Persistent+c.Ephemeral[depth] > in.Types[t].Memory {
				continue
			}
			d.Fits[t][depth] = true
			if d.Shortest[depth] < 0 || time < d.Shortest[depth] {
				d.Shortest[depth] = time
			}
		}
	}
	for depth, least := range d.Shortest {
		if d.needs(depth) && least < 0 {
			return false
		}
	}
	return true
}

// needs reports whether the job's rule requires a depth.
func (d *Class) needs(depth int) bool {
	if d.Job.Rule.Fixed == nil {
		return depth == d.Job.Full()
	}
	return d.Knows(depth)
}

// Knows reports whether the job's rule permits a depth for some worker.
func (d *Class) Knows(depth int) bool {
	return d.Job.Rule.Fixed == nil || d.Job.Rule.Fixed[depth] > 0
}

// Usable reports whether some task of the job may run on GPUs of type t.
func (d *Class) Usable(t instance.TypeID) bool {
	for depth, ok := range d.Fits[t] {
		if ok && d.Knows(depth) {
			return true
		}
	}
	return false
}

// LeastWork returns the least GPU time of one iteration when a task of depth d
// takes least[d], and the moment that goes with it.
//
// A free rule requires MinFull = f full workers; the other k - f may take any
// depths that meet the required share. The linear relaxation of that choice
// mixes at most two depths, and work is an integer, so the best mix rounded up
// is a lower bound. For the moment, each full worker accounts for all of
// least[full], and the others for the rest, work - f x least[full]; spread
// evenly it has the least sum of squares.
func LeastWork(j *instance.Job, least []instance.Tick) (int64, *big.Rat) {
	full := j.Full()
	if j.Rule.Fixed != nil {
		work, moment := int64(0), new(big.Int)
		for d, n := range j.Rule.Fixed {
			if n > 0 {
				work += int64(n) * int64(least[d])
				moment.Add(moment, new(big.Int).Mul(exact.Mul(int64(n), int64(least[d])), big.NewInt(int64(least[d]))))
			}
		}
		return work, new(big.Rat).SetInt(moment)
	}
	f := int64(j.Rule.MinFull)
	rest := int64(j.Workers) - f
	always := f * int64(least[full])
	moment := new(big.Rat).SetInt(new(big.Int).Mul(big.NewInt(always), big.NewInt(int64(least[full]))))
	if rest == 0 {
		return always, moment
	}
	share := j.Rule.MinShare - f*j.Depths[full].Share // that the others must contribute
	var best *big.Rat
	take := func(v *big.Rat) {
		if best == nil || v.Cmp(best) < 0 {
			best = v
		}
	}
	for a := range least {
		if least[a] < 0 {
			continue
		}
		sa := j.Depths[a].Share
		if rest*sa >= share {
			take(new(big.Rat).SetInt(exact.Mul(rest, int64(least[a]))))
			continue
		}
		for b := range least {
			if sb := j.Depths[b].Share; least[b] >= 0 && rest*sb >= share {
				// x workers at b and rest - x at a contribute exactly the share.
				x := big.NewRat(share-rest*sa, sb-sa)
				x.Mul(x, new(big.Rat).SetInt64(int64(least[b]-least[a])))
				take(x.Add(x, new(big.Rat).SetInt(exact.Mul(rest, int64(least[a])))))
			}
		}
	}
	others := exact.Ceil(best).Int64()
	square := new(big.Rat).SetFrac(exact.Mul(others, others), big.NewInt(rest))
	return always + others, moment.Add(moment, square)
}

// Slowdown is the least GPU time that an iteration's work takes on type t: work
// times the least ratio of a task's time there to its shortest time anywhere.
func (d *Class) Slowdown(t instance.TypeID) int64 {
	over, under := instance.Tick(0), instance.Tick(0) // the least ratio; 0/0: none
	for depth, ok := range d.Fits[t] {
		if here, least := d.Job.On[t].Time[depth], d.Shortest[depth]; ok && least > 0 {
			if under == 0 || exact.Mul(int64(here), int64(under)).Cmp(exact.Mul(int64(over), int64(least))) < 0 {
				over, under = here, least
			}
		}
	}
	if under == 0 {
		return d.Work
	}
	work := exact.Mul(d.Work, int64(over))
	return exact.Saturate(work.Quo(work, big.NewInt(int64(under))))
}

// WorkOn is the least work of an iteration whose tasks all run on type t.
func (d *Class) WorkOn(t instance.TypeID) int64 {
	least := make([]instance.Tick, len(d.Job.Depths))
	for depth, ok := range d.Fits[t] {
		least[depth] = -1
		if ok {
			least[depth] = d.Job.On[t].Time[depth]
		}
	}
	work, _ := LeastWork(d.Job, least)
	return work
}

// maxShare is the largest share of a full-depth worker in linear programs: engines and
// prices become inaccurate with large coefficients.
const maxShare = 1 << 20

// shares is a free rule's mean depth as a row of a relaxation: workers at depth d count
// weights[d], and those of an iteration must sum to at least need. If the shares of the
// job are above [maxShare] they are scaled down, weights rounded up and need down, so that
// every multiset the rule allows satisfies the row.
func shares(j *instance.Job) (weights []int64, need int64) {
	need = j.Rule.MinShare
	whole := j.Depths[j.Full()].Share
	for _, d := range j.Depths {
		share := d.Share
		if whole > maxShare {
			share = exact.Ceil(new(big.Rat).SetFrac(exact.Mul(share, maxShare), big.NewInt(whole))).Int64()
		}
		weights = append(weights, share)
	}
	if whole > maxShare {
		need = exact.Floor(new(big.Rat).SetFrac(exact.Mul(need, maxShare), big.NewInt(whole))).Int64()
	}
	return weights, need
}

// RulePart is a part of an SPB rule as a row of a relaxation: the weights of an iteration's tasks,
// by depth, sum to exactly Need or to at least Need.
type RulePart struct {
	Name    string
	Exact   bool
	Need    int64
	Weights []int64
}

// RuleParts lists the parts of the job's rule: for a fixed rule the number of tasks at each
// depth, for a free one full depths and the mean.
func (d *Class) RuleParts() (parts []RulePart) {
	only := func(depth int) []int64 {
		weights := make([]int64, len(d.Job.Depths))
		weights[depth] = 1
		return weights
	}
	for depth, count := range d.Job.Rule.Fixed {
		if count > 0 {
			parts = append(parts, RulePart{fmt.Sprintf("d%d", depth), true, int64(count), only(depth)})
		}
	}
	if parts == nil {
		weights, need := shares(d.Job)
		parts = []RulePart{{"full", false, int64(d.Job.Rule.MinFull), only(d.Job.Full())}, {"share", false, need, weights}}
	}
	return parts
}

// LeastVolume is a lower bound on the bytes each of q parties sends in one
// synchronisation. Each segment has its own least number of contributors, so
// the bound is the exact least volume for a fixed rule and may be below it for
// a free one.
func LeastVolume(j *instance.Job, q int) instance.Bytes {
	// counts[s] is such that the contributors of segment s, counted from the
	// deepest, are as few as the rule permits for that segment alone.
	counts := leastAtDepths(j)
	for s := range j.Full() {
		counts[s] -= counts[s+1]
	}
	return j.Volume(counts, q)
}

// leastAtDepths returns, by depth, the least number of workers at that depth or deeper.
func leastAtDepths(j *instance.Job) []int {
	least, deeper := make([]int, len(j.Depths)), 0
	for s := j.Full(); s >= 0; s-- {
		if j.Rule.Fixed != nil {
			deeper += j.Rule.Fixed[s]
		} else {
			deeper = max(deeper, leastContributors(j, s))
		}
		least[s] = deeper
	}
	return least
}

// leastContributors is the least number of workers at depth s or deeper that a
// free rule permits: n of them at full depth and k - n at depth s - 1 have the
// largest share.
func leastContributors(j *instance.Job, s int) int {
	if s == 0 {
		return j.Workers
	}
	below, whole := j.Depths[s-1].Share, j.Depths[j.Full()].Share
	n := int64(j.Rule.MinFull)
	if lack := j.Rule.MinShare - int64(j.Workers)*below; lack > 0 && whole > below {
		n = max(n, (lack+whole-below-1)/(whole-below))
	}
	return int(n)
}

// Runs reports whether jobs of the class can run at all.
func (d *Class) Runs() bool { return !d.NoMemory && !d.Unplaced }

// AllRun reports whether jobs of all classes can run.
func (m *Model) AllRun() bool {
	return !slices.ContainsFunc(m.Classes, func(d Class) bool { return !d.Runs() })
}
