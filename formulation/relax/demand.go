package relax

import (
	"cmp"
	"context"
	"fmt"
	"math/big"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax/exact"
)

// Class is what every job of a class asks of any schedule, at the least.
// Times are in ticks.
type Class struct {
	Job  *instance.Job // the first of the class
	Jobs []instance.JobID
	// NoMemory and Unplaced say why no schedule can hold the job: no GPU of the
	// cluster has the memory for it, or no residency works.
	NoMemory, Unplaced bool

	// Fits[t][d]: a GPU of type t has the memory for the job and its depth d.
	Fits [][]bool
	// Shortest[d] is the shortest task of depth d where it fits; -1 where it fits nowhere.
	Shortest []instance.Tick
	// Work is the least sum of a whole iteration's tasks, each as short as anywhere.
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

// Model is an instance with what all relaxations read from it.
type Model struct {
	Instance *instance.Instance
	Network  *Network
	GPUs     []int64         // by type
	Classes  []Class         // by class, as in Instance.Classes
	Context  context.Context // of the check of a certificate, else nil
}

// Ended reports whether the check of a certificate is to end. What it looks through
// then proves nothing.
func (m *Model) Ended() bool { return m.Context != nil && m.Context.Err() != nil }

// New returns what relaxations read from an instance.
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
		// No schedule exists, so any number is a bound: go on without memory.
		d.fit(m, false)
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
// cannot do without fit somewhere.
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

// needs reports whether the job's rule cannot do without a depth.
func (d *Class) needs(depth int) bool {
	if d.Job.Rule.Fixed == nil {
		return depth == d.Job.Full()
	}
	return d.Knows(depth)
}

// Knows reports whether the job's rule lets some worker have a depth.
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
// A free rule asks for MinFull = f full workers; the other k - f may take any
// depths that bring the share. The linear relaxation of that choice mixes at
// most two depths, and work is an integer, so the best mix rounded up is a
// lower bound. For the moment a full worker keeps all of least[full], and the
// rest, work - f x least[full], is kept by the others in some way; spread
// evenly it has the least square sum.
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
	share := j.Rule.MinShare - f*j.Depths[full].Share // that the rest must bring
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
				// x workers at b and rest - x at a bring exactly the share.
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

// maxShare is the most that the share of a full-depth worker is in linear programs, whose
// engines and prices are no good for large coefficients.
const maxShare = 1 << 20

// shares is a free rule's mean depth as a row of a relaxation: workers at depth d count
// weights[d], and all those of an iteration at least need. Where the shares of the job are
// above [maxShare] they are scaled down, weights rounded up and need down, so that every
// multiset the rule allows meets the row.
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

// RulePart is a part of an SPB rule as a row of a relaxation: what the tasks of an iteration weigh
// together, by depth, is exactly Need, or at least.
type RulePart struct {
	Name    string
	Exact   bool
	Need    int64
	Weights []int64
}

// RuleParts lists those of the job's rule: of a fixed one the number of tasks at each depth, of a
// free one full depths and the mean.
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
	if j.Rule.Fixed != nil {
		return j.Volume(j.Rule.Fixed, q)
	}
	// counts[s] so that contributors of segment s, counted from the deepest,
	// are as few as the rule lets them be for that segment alone. The least
	// numbers fall with depth, so the differences are not negative.
	counts := make([]int, len(j.Depths))
	above := 0
	for s := j.Full(); s >= 0; s-- {
		n := max(above, leastContributors(j, s))
		counts[s], above = n-above, n
	}
	return j.Volume(counts, q)
}

// leastContributors is the least number of workers at depth s or deeper that a
// free rule permits: n of them at full depth and k - n at depth s - 1 bring the
// most share.
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

// modeKind says how far a residency reaches.
type modeKind int

// The kinds of modes.
const (
	Lone   modeKind = iota // one worker
	InNode                 // all workers on one node, which is in one pool
	InRack                 // on several nodes of one rack
	Spread                 // on several racks
)

// Mode is a way to live on the cluster, with what every residency of that kind
// needs at the least.
type Mode struct {
	Kind  modeKind
	Rack  int   // class of the rack, for inRack
	Pools []int // where the workers may be, ascending
	// Full is the shortest full-depth task in those pools, Sync the shortest
	// synchronisation, no more than MaxSync.
	Full, Sync instance.Tick
	// Nodes and racks are the fewest that hold the workers; volume is the least
	// bytes that every node (or GPU, in one node) sends per iteration.
	Nodes, Racks int
	Volume       instance.Bytes
	parties      []party // none where nothing is synchronised
}

// Iteration is the shortest iteration in the mode, in ticks.
func (m *Mode) Iteration() instance.Tick { return m.Full + m.Sync }

// MaxSync caps synchronisations over absurdly slow links, so that sums of
// times stay far from overflow.
const MaxSync = instance.Tick(1) << 45

// Modes lists the ways in which the job can live. With feasible set, those
// that cannot meet the job's deadline, its placement limit or the greatest
// period are left out.
func (m *Model) modes(d *Class, feasible bool) []Mode {
	j, n := d.Job, m.Network
	full := j.Full()
	var modes []Mode
	add := func(mode Mode) {
		mode.Full = -1
		for _, p := range mode.Pools {
			t := n.Pools[p].GPUType
			if d.Fits[t][full] && (mode.Full < 0 || j.On[t].Time[full] < mode.Full) {
				mode.Full = j.On[t].Time[full]
			}
		}
		if mode.Full < 0 {
			return // nowhere to go for the full-depth worker
		}
		if feasible && j.Deadline > 0 && d.Chain(mode.Iteration()).Cmp(big.NewInt(int64(j.Deadline))) > 0 {
			return
		}
		// An iteration is no longer than the period it repeats with.
		if feasible && m.Instance.MaxPeriod > 0 && mode.Iteration() > m.Instance.MaxPeriod {
			return
		}
		modes = append(modes, mode)
	}
	var sites []int // pools that the job may use
	for p := range n.Pools {
		if d.Usable(n.Pools[p].GPUType) {
			sites = append(sites, p)
		}
	}
	if !j.HasSync() {
		for _, p := range sites {
			add(Mode{Kind: Lone, Pools: []int{p}, Nodes: 1, Racks: 1})
		}
		return modes
	}
	for _, p := range sites {
		at := &n.Pools[p]
		if at.GPUs < j.Workers || at.Fabric == 0 || !d.fitsAll(at.GPUType) {
			continue
		}
		inside := m.reach(j, []int{p}, []party{{j.Parties(j.Workers), at.Fabric}})
		inside.Kind, inside.Nodes, inside.Racks = InNode, 1, 1
		add(inside)
	}
	if j.Within == instance.WithinNode && feasible {
		return modes
	}
	wired := func(rack int) []int { // pools that the job may use in racks of a class, and leave
		return slices.DeleteFunc(slices.Clone(n.Racks[rack].pools), func(p int) bool { return !slices.Contains(sites, p) || n.Pools[p].NIC == 0 })
	}
	joined := n.joined
	if j.Policy > 0 {
		joined = m.Instance.JoinedFor(j)
	}
	for r := range n.Racks {
		if !slices.ContainsFunc(n.Racks[r].Racks, func(rack int) bool { return joined[rack] >= 0 }) {
			continue // two nodes have no route that obeys the job's policy
		}
		if parties := m.parties(j, wired(r), false); parties != nil {
			inside := m.reach(j, wired(r), parties)
			inside.Kind, inside.Rack, inside.Racks = InRack, r, 1
			add(inside)
		}
	}
	if j.Within == instance.WithinRack && feasible {
		return modes
	}
	var all []int
	racks := 0
	var sizes []group     // usable GPUs by rack
	room := map[int]int{} // and by group of racks with routes between them
	most := 0             // of these
	for r := range n.Racks {
		if n.Racks[r].Uplink == 0 {
			continue
		}
		gpus := 0
		for _, p := range wired(r) {
			all = append(all, p)
			gpus += n.Pools[p].GPUs * n.Pools[p].PerRack
		}
		if gpus > 0 {
			racks += len(n.Racks[r].Racks)
			for _, rack := range n.Racks[r].Racks {
				if joined[rack] < 0 {
					continue
				}
				room[joined[rack]] += gpus
				most = max(most, room[joined[rack]])
			}
			sizes = append(sizes, group{gpus, len(n.Racks[r].Racks)})
		}
	}
	if parties := m.parties(j, all, true); racks >= 2 && most >= j.Workers && parties != nil {
		spread := m.reach(j, all, parties)
		spread.Kind = Spread
		spread.Racks, _ = fewest(j.Workers, sizes)
		add(spread)
	}
	return modes
}

// fitsAll reports whether type t has the memory for every depth that the job
// must run there if all its workers are there.
func (d *Class) fitsAll(t instance.TypeID) bool {
	for depth, ok := range d.Fits[t] {
		if d.needs(depth) && !ok {
			return false
		}
	}
	return true
}

// Fastest is the shortest synchronisation of that volume over that link.
func (m *Model) Fastest(v instance.Bytes, slowest instance.Rate) instance.Tick {
	return m.Instance.SyncTicks(v, instance.Span{Slowest: slowest}.Rate(m.Instance.RateLevels[0]))
}

// party is a way to share nodes out: the fewest parties of a synchronisation that are all
// joined at least that fast.
type party struct {
	count int           // of nodes or, inside one, workers
	speed instance.Rate // of the slowest link
}

// parties returns the ways in which the job can live on several nodes of the
// given pools, nil for none. Fast links may belong to small nodes, so that a fast residency
// has more parties than a slow one: every speed is tried as the slowest link.
func (m *Model) parties(j *instance.Job, pools []int, spread bool) []party {
	speed := func(p int) instance.Rate {
		s := m.Network.Pools[p].NIC
		if spread {
			s = min(s, m.Network.Racks[m.Network.Pools[p].Rack].Uplink)
		}
		return s
	}
	var ways []party
	tried := map[instance.Rate]bool{}
	for _, slowest := range pools {
		if tried[speed(slowest)] {
			continue
		}
		tried[speed(slowest)] = true
		var nodes []group
		for _, p := range pools {
			if speed(p) >= speed(slowest) {
				at := &m.Network.Pools[p]
				count := at.PerRack
				if spread {
					count = at.Nodes
				}
				nodes = append(nodes, group{at.GPUs, count})
			}
		}
		if q, ok := fewest(j.Workers, nodes); ok {
			ways = append(ways, party{q, speed(slowest)})
		}
	}
	return ways
}

// reach returns what a residency in the given pools needs.
func (m *Model) reach(j *instance.Job, pools []int, parties []party) Mode {
	mode := Mode{Pools: pools, parties: parties}
	mode.Nodes = slices.MinFunc(parties, func(a, b party) int { return cmp.Compare(a.count, b.count) }).count
	mode.Sync, mode.Volume = m.leastSync(&mode, func(parties int) instance.Bytes { return LeastVolume(j, parties) })
	return mode
}

// leastSync returns the least length and volume of a synchronisation in which so many parties send
// these bytes each.
func (m *Model) leastSync(o *Mode, bytes func(parties int) instance.Bytes) (sync instance.Tick, volume instance.Bytes) {
	for i, p := range o.parties {
		v := bytes(p.count)
		s := min(MaxSync, m.Fastest(v, p.speed))
		if i == 0 {
			sync, volume = s, v
		}
		sync, volume = min(sync, s), min(volume, v)
	}
	return sync, volume
}

// group is count sites of size GPUs each.
type group struct{ size, count int }

// fewest returns the smallest number q >= 2 of sites that hold k GPUs with at
// least one on each; ok is false if there is none.
func fewest(k int, sites []group) (q int, ok bool) {
	sites = slices.Clone(sites)
	slices.SortFunc(sites, func(a, b group) int { return -cmp.Compare(a.size, b.size) })
	held, total := 0, 0
	for _, s := range sites {
		total += s.count
		if held < k && s.size > 0 {
			need := min(s.count, (k-held+s.size-1)/s.size)
			q += need
			held += need * s.size
		}
	}
	q = max(q, 2)
	return q, held >= k && q <= total && q <= k
}

// Runs reports whether jobs of the class can run at all.
func (d *Class) Runs() bool { return !d.NoMemory && !d.Unplaced }

// AllRun reports whether jobs of all classes can.
func (m *Model) AllRun() bool {
	return !slices.ContainsFunc(m.Classes, func(d Class) bool { return !d.Runs() })
}
