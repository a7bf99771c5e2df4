package relax

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"

	"jigsaw/formulation/instance"
)

// modeKind says how far a residency reaches.
type modeKind int

// The kinds of modes.
const (
	Lone   modeKind = iota // one worker
	InNode                 // all workers on one node, which is in one pool
	InRack                 // on several nodes of one rack
	Spread                 // on several racks
)

// Mode is a kind of residency, with the least demands of all residencies of that kind.
type Mode struct {
	Kind  modeKind
	Rack  int   // class of the rack, for InRack
	Pools []int // where the workers may be, ascending
	// Full is the least length of the longest task of an iteration there, Sync the shortest
	// synchronisation, no more than MaxSync.
	Full, Sync instance.Tick
	// Nodes and racks are the fewest that hold the workers; Volume is the least
	// bytes that every node (or GPU, in one node) sends per iteration.
	Nodes, Racks int
	Volume       instance.Bytes
	parties      []party // nil if nothing is synchronised
	// Unpaced: rings cross links between switches, or several times the same link, so that the slowest of a
	// residency may be slower than those of all parties, whose speeds are then only upper limits.
	Unpaced bool
	passed  crossings // of each hop, by the job's policy
	ring    crossings // between switches, of Spread
	name    string    // one of several Spread modes
	workers int64
}

// ID names a mode in row and column names.
func (m *Mode) ID() string {
	switch m.Kind {
	case Lone, InNode:
		return fmt.Sprintf("node.p%d", m.Pools[0])
	case InRack:
		return fmt.Sprintf("rack.k%d", m.Rack)
	}
	return "spread" + m.name
}

// Iteration is the shortest iteration in the mode, in ticks.
func (m *Mode) Iteration() instance.Tick { return m.Full + m.Sync }

// MaxSync caps synchronisations over extremely slow links, so that sums of
// times stay far from overflow.
const MaxSync = instance.Tick(1) << 45

// modes lists those in which the jobs of a class can be placed. With feasible set, those
// that cannot meet the job's deadline, its placement limit or the greatest
// period are left out.
func (m *Model) modes(d *Class, feasible bool) []Mode {
	l := &modeList{m: m, d: d, feasible: feasible, joined: m.Network.joined}
	for p := range m.Network.Pools {
		if at := &m.Network.Pools[p]; d.Usable(at.GPUType) && at.GPUs >= d.Job.Group() {
			l.sites = append(l.sites, p)
		}
	}
	if d.Job.Policy > 0 {
		l.joined = m.Instance.JoinedFor(d.Job)
	}
	limit := d.Job.Within
	if !feasible {
		limit = instance.WithinCluster
	}
	if !d.Job.HasSync() {
		for _, p := range l.sites {
			l.add(Mode{Kind: Lone, Pools: []int{p}, Nodes: 1, Racks: 1})
		}
		return l.list
	}
	l.inNode()
	if limit < instance.WithinNode {
		l.inRack()
	}
	if limit < instance.WithinRack {
		l.spread()
	}
	return l.list
}

// modeList collects the modes of a class.
type modeList struct {
	m        *Model
	d        *Class
	feasible bool
	sites    []int // pools that the job may use
	joined   []int // by rack, see [instance.Instance.JoinedFor]
	list     []Mode
}

// Reach is how many GPUs of a pool a job can use in the mode.
func (n *Network) Reach(o *Mode, p int) int64 {
	at := &n.Pools[p]
	switch o.Kind {
	case Spread:
		return at.Size()
	case InRack:
		return int64(at.GPUs) * int64(at.PerRack)
	}
	return int64(at.GPUs)
}

// longest returns the least length of the longest task of an iteration in a mode, -1 if its pools cannot hold the
// workers. For every depth, the workers at that depth or a deeper one need that many GPUs on which
// such a task fits and is no longer.
func (l *modeList) longest(mode *Mode) (longest instance.Tick) {
	type room struct {
		time instance.Tick // of the shortest such task, -1 if none fits
		gpus int64
	}
	rooms := make([]room, len(mode.Pools))
	for i, p := range mode.Pools {
		rooms[i] = room{-1, l.m.Network.Reach(mode, p)}
	}
	workers := leastAtDepths(l.d.Job)
	for depth := l.d.Job.Full(); depth >= 0; depth-- {
		for i, p := range mode.Pools {
			t := l.m.Network.Pools[p].GPUType
			if l.d.Fits[t][depth] && (rooms[i].time < 0 || l.d.Job.On[t].Time[depth] < rooms[i].time) {
				rooms[i].time = l.d.Job.On[t].Time[depth]
			}
		}
		need, least := int64(workers[depth]), instance.Tick(-1)
		if !l.feasible {
			need = min(need, 1)
		}
		for _, a := range rooms {
			if a.time < 0 || least >= 0 && a.time >= least {
				continue
			}
			gpus := int64(0)
			for _, b := range rooms {
				if b.time >= 0 && b.time <= a.time {
					gpus += b.gpus
				}
			}
			if gpus >= need {
				least = a.time
			}
		}
		if least < 0 {
			return -1
		}
		longest = max(longest, least)
	}
	return longest
}

// add adds a mode if it is possible.
func (l *modeList) add(mode Mode) {
	j := l.d.Job
	mode.workers = int64(j.Workers)
	if mode.Full = l.longest(&mode); mode.Full < 0 {
		return // the workers fit nowhere
	}
	if l.feasible && j.Deadline > 0 && l.d.Chain(mode.Iteration()).Cmp(big.NewInt(int64(j.Deadline))) > 0 {
		return
	}
	// An iteration is no longer than its period.
	if l.feasible && l.m.Instance.MaxPeriod > 0 && mode.Iteration() > l.m.Instance.MaxPeriod {
		return
	}
	l.list = append(l.list, mode)
}

// inNode adds the modes of all workers on one node.
func (l *modeList) inNode() {
	j := l.d.Job
	for _, p := range l.sites {
		at := &l.m.Network.Pools[p]
		if at.GPUs < j.Workers || at.Fabric == 0 || !l.d.fitsAll(at.GPUType) {
			continue
		}
		inside := l.m.reach(j, []int{p}, []party{{j.Parties(j.Workers), at.Fabric}})
		inside.Kind, inside.Nodes, inside.Racks = InNode, 1, 1
		l.add(inside)
	}
}

// wired lists the pools that the job may use in racks of a class, and that have
// a link out.
func (l *modeList) wired(rack int) []int {
	return slices.DeleteFunc(slices.Clone(l.m.Network.Racks[rack].pools), func(p int) bool { return !slices.Contains(l.sites, p) || l.m.Network.Pools[p].NIC == 0 })
}

// inRack adds the modes of several nodes of one rack.
func (l *modeList) inRack() {
	for r := range l.m.Network.Racks {
		if !slices.ContainsFunc(l.m.Network.Racks[r].Racks, func(rack int) bool { return l.joined[rack] >= 0 }) {
			continue // two nodes have no route that obeys the job's policy
		}
		parties := slowed(l.m.parties(l.d.Job, l.wired(r), false), func(q int) (fastest instance.Rate) {
			for _, rack := range l.m.Network.Racks[r].Racks {
				if hop, ok := hopOf(l.m.Instance, l.d.Job.Policy, rack, rack); ok {
					fastest = max(fastest, hop.slowest(l.m.Instance, q))
				}
			}
			return fastest
		})
		if parties != nil {
			inside := l.m.reach(l.d.Job, l.wired(r), parties)
			inside.Kind, inside.Rack, inside.Racks, inside.Unpaced = InRack, r, 1, l.d.Job.Policy > 0
			l.add(inside)
		}
	}
}

// spread adds the modes of several racks.
func (l *modeList) spread() {
	gpus := make([]int, len(l.m.Instance.Racks))
	for r := range l.m.Network.Racks {
		class := &l.m.Network.Racks[r]
		for _, rack := range class.Racks {
			if class.Uplink > 0 && l.joined[rack] >= 0 {
				gpus[rack] = l.usable(r)
			}
		}
	}
	rings := l.rings(gpus)
	if rings == nil {
		rings = []ring{{^uint(0), 2, 2, nil, Unlimited, !l.m.Network.switched && l.d.Job.Policy == 0}}
	}
	for _, r := range rings {
		name := ""
		if len(rings) > 1 {
			name = r.name(l.m.Network)
		}
		l.through(r, gpus, name)
	}
}

// usable is how many GPUs of each rack of a class the job may use if it is on several nodes.
func (l *modeList) usable(rack int) (gpus int) {
	for _, p := range l.wired(rack) {
		gpus += l.m.Network.Pools[p].GPUs * l.m.Network.Pools[p].PerRack
	}
	return gpus
}

// through adds the mode of rings through several racks, with so many usable GPUs each.
func (l *modeList) through(ring ring, gpus []int, name string) {
	j, n := l.d.Job, l.m.Network
	var all []int
	racks := 0
	var sizes []group     // usable GPUs by rack
	room := map[int]int{} // and by group of racks with routes between them
	most := 0             // of these groups
	for r := range n.Racks {
		class := &n.Racks[r]
		usable := l.usable(r)
		if class.Uplink == 0 || usable == 0 || !ring.in(class) {
			continue
		}
		all = append(all, l.wired(r)...)
		racks += len(class.Racks)
		for _, rack := range class.Racks {
			if l.joined[rack] >= 0 {
				room[l.joined[rack]] += gpus[rack]
				most = max(most, room[l.joined[rack]])
			}
		}
		sizes = append(sizes, group{usable, len(class.Racks)})
	}
	parties := slowed(l.m.parties(j, all, true), func(q int) instance.Rate { return min(ring.speed, n.passed[j.Policy].slowest(l.m.Instance, q)) })
	for i := range parties {
		parties[i].count = max(parties[i].count, ring.nodes)
	}
	if racks >= 2 && most >= j.Workers && parties != nil {
		spread := l.m.reach(j, all, parties)
		spread.Kind, spread.Unpaced, spread.ring, spread.name = Spread, !ring.exact, ring.passed, name
		spread.Racks, _ = fewest(j.Workers, sizes)
		spread.Racks = max(spread.Racks, ring.least)
		l.add(spread)
	}
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

// party is a way to choose nodes: the fewest parties of a synchronisation all of which
// have links of at least that speed.
type party struct {
	count int           // of nodes or, inside one, workers
	speed instance.Rate // of the slowest link
}

// parties returns the ways in which the job can live on several nodes of the given pools,
// nil for none. Fast links may belong to small nodes, so that a fast residency may have
// more parties than a slow one: every speed is tried as that of the slowest link.
func (m *Model) parties(j *instance.Job, pools []int, spread bool) []party {
	speed := func(p int) instance.Rate {
		s := m.Network.Pools[p].NIC
		if spread {
			s = min(s, m.Network.Racks[m.Network.Pools[p].Rack].fastest[j.Policy])
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

// slowed lowers the speeds of parties to what limit permits for their number, and leaves out those that it stops.
func slowed(parties []party, limit func(count int) instance.Rate) (list []party) {
	for _, p := range parties {
		if p.speed = min(p.speed, limit(p.count)); p.speed > 0 {
			list = append(list, p)
		}
	}
	return list
}

// reach returns the demands of a residency in the given pools.
func (m *Model) reach(j *instance.Job, pools []int, parties []party) Mode {
	mode := Mode{Pools: pools, parties: parties, passed: m.Network.passed[j.Policy]}
	mode.Nodes = slices.MinFunc(parties, func(a, b party) int { return cmp.Compare(a.count, b.count) }).count
	mode.Sync, mode.Volume = m.leastSync(&mode, func(parties int) instance.Bytes { return LeastVolume(j, parties) })
	return mode
}

// leastSync returns the least length and volume of a synchronisation in which each of a number of
// parties sends the given bytes.
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
