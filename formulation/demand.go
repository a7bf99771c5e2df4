package formulation

import (
	"cmp"
	"context"
	"math/big"
	"slices"

	"jigsaw/formulation/instance"
)

// demand is what every job of a class asks of any schedule, at the least.
// Times are in ticks.
type demand struct {
	job  *instance.Job // the first of the class
	jobs []instance.JobID
	// short and unplaced say why no schedule can hold the job: no GPU of the
	// cluster has the memory for it, or no residency works.
	short, unplaced bool

	// fits[t][d]: a GPU of type t has the memory for the job and its depth d.
	fits [][]bool
	// least[d] is the shortest task of depth d where it fits; -1 where it fits nowhere.
	least []instance.Tick
	// work is the least sum of a whole iteration's tasks, each as short as anywhere.
	work int64
	// moment is a lower bound on sum a^2 over parts a of an iteration's tasks,
	// chosen so that each a is at most its task and they sum to work.
	moment *big.Rat

	modes   []mode
	minimal [][]int // see minimalMultisets; nil until asked for
	// full is the shortest full-depth task, sync the shortest synchronisation,
	// iteration the shortest iteration, over the modes.
	full, sync, iteration instance.Tick
}

// count is the number of jobs of the class.
func (d *demand) count() int64 { return int64(len(d.jobs)) }

// chain is r + R x iteration, exact.
func (d *demand) chain(iteration instance.Tick) *big.Int {
	c := mul(int64(d.job.Iterations), int64(iteration))
	return c.Add(c, big.NewInt(int64(d.job.Release)))
}

// model is an instance with what all relaxations read from it.
type model struct {
	in      *instance.Instance
	network *network
	gpus    []int64  // by type
	demands []demand // by class, as in Instance.Classes
	few     int      // classes up to which each is a shape of its own
	// companies bounds those with variables of their own; see sharing.
	companies int
	ctx       context.Context // of the check of a certificate, else nil
}

// ended reports whether the check of a certificate is to end. What it looks through
// then proves nothing.
func (m *model) ended() bool { return m.ctx != nil && m.ctx.Err() != nil }

func newModel(in *instance.Instance) *model {
	m := &model{in: in, few: fewClasses, companies: mostCompanies, network: newNetwork(in), gpus: make([]int64, len(in.Types))}
	for _, g := range in.GPUs {
		m.gpus[g.Type]++
	}
	for _, jobs := range in.Classes() {
		m.demands = append(m.demands, m.demand(jobs))
	}
	return m
}

func (m *model) demand(jobs []instance.JobID) demand {
	j := &m.in.Jobs[jobs[0]]
	d := demand{job: j, jobs: jobs}
	if d.short = !d.fit(m, true); d.short {
		// No schedule exists, so any number is a bound: go on without memory.
		d.fit(m, false)
	}
	d.work, d.moment = leastWork(j, d.least)
	d.modes = m.modes(&d, true)
	if d.unplaced = len(d.modes) == 0; d.unplaced {
		d.modes = m.modes(&d, false)
	}
	for i, mode := range d.modes {
		if i == 0 {
			d.full, d.sync, d.iteration = mode.full, mode.sync, mode.iteration()
		}
		d.full, d.sync = min(d.full, mode.full), min(d.sync, mode.sync)
		d.iteration = min(d.iteration, mode.iteration())
	}
	return d
}

// fit fills fits and least. It reports whether the depths that the job's rule
// cannot do without fit somewhere.
func (d *demand) fit(m *model, memory bool) bool {
	in, j := m.in, d.job
	d.fits = make([][]bool, len(in.Types))
	d.least = make([]instance.Tick, len(j.Depths))
	for i := range d.least {
		d.least[i] = -1
	}
	for t, c := range j.On {
		d.fits[t] = make([]bool, len(j.Depths))
		if c == nil || m.gpus[t] == 0 {
			continue
		}
		for depth, time := range c.Time {
			if memory && c.Persistent+c.Ephemeral[depth] > in.Types[t].Memory {
				continue
			}
			d.fits[t][depth] = true
			if d.least[depth] < 0 || time < d.least[depth] {
				d.least[depth] = time
			}
		}
	}
	for depth, least := range d.least {
		needed := depth == j.Full()
		if j.Rule.Fixed != nil {
			needed = j.Rule.Fixed[depth] > 0
		}
		if needed && least < 0 {
			return false
		}
	}
	return true
}

// usable reports whether some task of the job may run on GPUs of type t.
func (d *demand) usable(t instance.TypeID) bool {
	for depth, ok := range d.fits[t] {
		if ok && (d.job.Rule.Fixed == nil || d.job.Rule.Fixed[depth] > 0) {
			return true
		}
	}
	return false
}

// leastWork returns the least GPU time of one iteration when a task of depth d
// takes least[d], and the moment that goes with it.
//
// A free rule asks for MinFull = f full workers; the other k - f may take any
// depths that bring the share. The linear relaxation of that choice mixes at
// most two depths, and work is an integer, so the best mix rounded up is a
// lower bound. For the moment a full worker keeps all of least[full], and the
// rest, work - f x least[full], is kept by the others in some way; spread
// evenly it has the least square sum.
func leastWork(j *instance.Job, least []instance.Tick) (int64, *big.Rat) {
	full := j.Full()
	if j.Rule.Fixed != nil {
		work, moment := int64(0), new(big.Int)
		for d, n := range j.Rule.Fixed {
			if n > 0 {
				work += int64(n) * int64(least[d])
				moment.Add(moment, new(big.Int).Mul(mul(int64(n), int64(least[d])), big.NewInt(int64(least[d]))))
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
	share := j.Rule.MinShare - f*int64(instance.One) // that the rest must bring
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
		sa := int64(j.Depths[a].Share)
		if rest*sa >= share {
			take(new(big.Rat).SetInt(mul(rest, int64(least[a]))))
			continue
		}
		for b := range least {
			if sb := int64(j.Depths[b].Share); least[b] >= 0 && rest*sb >= share {
				// x workers at b and rest - x at a bring exactly the share.
				x := big.NewRat(share-rest*sa, sb-sa)
				x.Mul(x, new(big.Rat).SetInt64(int64(least[b]-least[a])))
				take(x.Add(x, new(big.Rat).SetInt(mul(rest, int64(least[a])))))
			}
		}
	}
	others := ceil(best).Int64()
	square := new(big.Rat).SetFrac(mul(others, others), big.NewInt(rest))
	return always + others, moment.Add(moment, square)
}

// leastVolume is a lower bound on the bytes each of q parties sends in one
// synchronisation. Each segment has its own least number of contributors, so
// the bound is the exact least volume for a fixed rule and may be below it for
// a free one.
func leastVolume(j *instance.Job, q int) instance.Bytes {
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
	below := int64(j.Depths[s-1].Share)
	n := int64(j.Rule.MinFull)
	if lack := j.Rule.MinShare - int64(j.Workers)*below; lack > 0 && int64(instance.One) > below {
		n = max(n, (lack+int64(instance.One)-below-1)/(int64(instance.One)-below))
	}
	return int(n)
}

// modeKind says how far a residency reaches.
type modeKind int

const (
	lone   modeKind = iota // one worker
	inNode                 // all workers on one node, which is in one pool
	inRack                 // on several nodes of one rack
	spread                 // on several racks
)

// mode is a way to live on the cluster, with what every residency of that kind
// needs at the least.
type mode struct {
	kind  modeKind
	rack  int   // class of the rack, for inRack
	pools []int // where the workers may be, ascending
	// full is the shortest full-depth task in those pools, sync the shortest
	// synchronisation. sync is capped, which keeps it a lower bound.
	full, sync instance.Tick
	// nodes and racks are the fewest that hold the workers; volume is the least
	// bytes that every node (or GPU, in one node) sends per iteration.
	nodes, racks int
	volume       instance.Bytes
	parties      []party // of several nodes
}

func (m *mode) iteration() instance.Tick { return m.full + m.sync }

// maxSync caps synchronisations over absurdly slow links, so that sums of
// times stay far from overflow.
const maxSync = instance.Tick(1) << 45

// modes lists the ways in which the job can live. With feasible set, those
// that cannot meet the job's deadline, its placement limit or the greatest
// period are left out.
func (m *model) modes(d *demand, feasible bool) []mode {
	j, n := d.job, m.network
	full := j.Full()
	var modes []mode
	add := func(mode mode) {
		mode.full = -1
		for _, p := range mode.pools {
			t := n.pools[p].gpuType
			if d.fits[t][full] && (mode.full < 0 || j.On[t].Time[full] < mode.full) {
				mode.full = j.On[t].Time[full]
			}
		}
		if mode.full < 0 {
			return // nowhere to go for the full-depth worker
		}
		mode.sync = min(mode.sync, maxSync)
		if feasible && j.Deadline > 0 && d.chain(mode.iteration()).Cmp(big.NewInt(int64(j.Deadline))) > 0 {
			return
		}
		// An iteration is no longer than the period it repeats with.
		if feasible && m.in.MaxPeriod > 0 && mode.iteration() > m.in.MaxPeriod {
			return
		}
		modes = append(modes, mode)
	}
	var sites []int // pools that the job may use
	for p := range n.pools {
		if d.usable(n.pools[p].gpuType) {
			sites = append(sites, p)
		}
	}
	if !j.HasSync() {
		for _, p := range sites {
			add(mode{kind: lone, pools: []int{p}, nodes: 1, racks: 1})
		}
		return modes
	}
	for _, p := range sites {
		at := &n.pools[p]
		if at.gpus < j.Workers || at.fabric == 0 || !d.fitsAll(at.gpuType) {
			continue
		}
		v := leastVolume(j, j.Workers)
		add(mode{kind: inNode, pools: []int{p}, nodes: 1, racks: 1, volume: v, sync: m.fastest(v, at.fabric)})
	}
	if j.Within == instance.WithinNode && feasible {
		return modes
	}
	for r := range n.racks {
		var some []int
		for _, p := range n.racks[r].pools {
			if slices.Contains(sites, p) && n.pools[p].nic > 0 {
				some = append(some, p)
			}
		}
		if reach, ok := m.reach(j, some, false); ok {
			reach.kind, reach.rack, reach.racks = inRack, r, 1
			add(reach)
		}
	}
	if j.Within == instance.WithinRack && feasible {
		return modes
	}
	var some []int
	racks := 0
	var sizes []group // usable GPUs by rack
	for r := range n.racks {
		if n.racks[r].uplink == 0 {
			continue
		}
		gpus := 0
		for _, p := range n.racks[r].pools {
			if slices.Contains(sites, p) && n.pools[p].nic > 0 {
				some = append(some, p)
				gpus += n.pools[p].gpus * n.pools[p].perRack
			}
		}
		if gpus > 0 {
			racks += len(n.racks[r].racks)
			sizes = append(sizes, group{gpus, len(n.racks[r].racks)})
		}
	}
	if racks >= 2 {
		if reach, ok := m.reach(j, some, true); ok {
			reach.kind = spread
			reach.racks, _ = fewest(j.Workers, sizes)
			add(reach)
		}
	}
	return modes
}

// fitsAll reports whether type t has the memory for every depth that the job
// must run there if all its workers are there.
func (d *demand) fitsAll(t instance.TypeID) bool {
	for depth, ok := range d.fits[t] {
		needed := depth == d.job.Full()
		if d.job.Rule.Fixed != nil {
			needed = d.job.Rule.Fixed[depth] > 0
		}
		if needed && !ok {
			return false
		}
	}
	return true
}

// fastest is the shortest synchronisation of that volume over that link.
func (m *model) fastest(v instance.Bytes, slowest instance.BitRate) instance.Tick {
	return m.in.SyncTicks(v, instance.Span{Slowest: slowest}.Rate(m.in.RateLevels[0]))
}

// party is a way to share several nodes out: the fewest nodes q that are all
// at least that fast.
type party struct {
	nodes int
	speed instance.BitRate // of the slowest link
}

// parties returns the ways in which the job can live on several nodes of the
// given pools. Fast links may belong to small nodes, so that a fast residency
// has more parties than a slow one: every speed is tried as the slowest link.
func (m *model) parties(j *instance.Job, pools []int, spread bool) []party {
	speed := func(p int) instance.BitRate {
		s := m.network.pools[p].nic
		if spread {
			s = min(s, m.network.racks[m.network.pools[p].rack].uplink)
		}
		return s
	}
	var ways []party
	tried := map[instance.BitRate]bool{}
	for _, slowest := range pools {
		if tried[speed(slowest)] {
			continue
		}
		tried[speed(slowest)] = true
		var nodes []group
		for _, p := range pools {
			if speed(p) >= speed(slowest) {
				at := &m.network.pools[p]
				count := at.perRack
				if spread {
					count = at.nodes
				}
				nodes = append(nodes, group{at.gpus, count})
			}
		}
		if q, ok := fewest(j.Workers, nodes); ok {
			ways = append(ways, party{q, speed(slowest)})
		}
	}
	return ways
}

// reach returns what a residency on several nodes of the given pools needs.
func (m *model) reach(j *instance.Job, pools []int, spread bool) (mode, bool) {
	best := mode{pools: pools, parties: m.parties(j, pools, spread)}
	for i, way := range best.parties {
		v := leastVolume(j, way.nodes)
		s := m.fastest(v, way.speed)
		if i == 0 {
			best.nodes, best.volume, best.sync = way.nodes, v, s
		}
		best.nodes = min(best.nodes, way.nodes)
		best.volume = min(best.volume, v)
		best.sync = min(best.sync, s)
	}
	return best, len(best.parties) > 0
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

func mul(a, b int64) *big.Int { return new(big.Int).Mul(big.NewInt(a), big.NewInt(b)) }

// ceil returns the least integer that is not below v.
func ceil(v *big.Rat) *big.Int {
	n := new(big.Int).Sub(v.Denom(), big.NewInt(1))
	n.Add(n, v.Num())
	return n.Div(n, v.Denom()) // Euclidean: rounds down for a positive divisor
}

// floor returns the greatest integer that is not above v.
func floor(v *big.Rat) *big.Int { return new(big.Int).Div(v.Num(), v.Denom()) }
