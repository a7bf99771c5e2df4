package timeindexed

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/depths"
	"jigsaw/formulation/relax"
)

// tiSite is where tasks run, at most room at a time.
type tiSite struct {
	id     string // in names
	kind   instance.TypeID
	room   int
	memory instance.Bytes
	node   instance.NodeID // -1 for a pool
}

// tiHome is where a job of several workers may live.
type tiHome struct {
	sites []int // of the program, ascending
	most  []int // workers that may be on each of them
	// groups of sites that each have a worker: the GPUs of a node, or a node.
	// None for pools.
	groups [][]int
	nodes  []int // of the groups, ascending
	uses   []instance.LinkUse
	full   instance.Tick // shortest full-depth task
	sync   instance.Tick // shortest synchronisation
	// rates[c] are the ways to synchronise depths of class c, fast to slow.
	rates [][]tiRate
}

// tiRate is a rate level with its speed and length.
type tiRate struct {
	level  instance.RateLevel
	rate   instance.Rate
	length instance.Tick
}

// tiJob is a job with its possibilities.
type tiJob struct {
	*instance.Job
	id    instance.JobID
	sites []int    // where a worker may be
	fits  [][]bool // by position in sites, by depth: memory for such a task
	homes []tiHome // of a job with several workers
	// sets are the multisets of depths and class the class of each; nil if all
	// synchronise alike, and the job's rule is sufficient.
	sets    [][]int
	class   []int
	classes int

	iterations int           // at most
	first, end instance.Tick // limits of its tasks and synchronisations
	full, sync instance.Tick // shortest full-depth task, shortest synchronisation
	length     instance.Tick // shortest iteration
}

// Limits on the sets that are listed; larger programs would be useless.
const (
	maxHomes     = 100_000
	maxDepthSets = 10_000
)

// layout lists the sites, and homes and depths of every job.
func (b *tiBuilder) layout() {
	in := b.in
	switch b.options.Granularity {
	case ByGPU:
		for g := range in.GPUs {
			kind := in.GPUs[g].Type
			b.sites = append(b.sites, tiSite{"g" + strconv.Itoa(g), kind, 1, in.Types[kind].Memory, in.GPUs[g].Node})
		}
	case ByNode:
		for n := range in.Nodes {
			kind := in.Nodes[n].Type
			b.sites = append(b.sites, tiSite{"n" + strconv.Itoa(n), kind, in.Nodes[n].GPUs, in.Types[kind].Memory, instance.NodeID(n)})
		}
	default:
		b.pools = relax.New(in)
		for p := range b.pools.Network.Pools {
			at := &b.pools.Network.Pools[p]
			b.sites = append(b.sites, tiSite{at.ID, at.GPUType, int(at.Size()), at.Memory, -1})
		}
	}
	b.jobs = make([]tiJob, len(in.Jobs))
	for _, class := range in.Classes() {
		first := b.job(class[0])
		if b.err != nil {
			return
		}
		for _, id := range class { // identical except for their names
			b.jobs[id] = first
			b.jobs[id].Job, b.jobs[id].id = &in.Jobs[id], id
		}
	}
}

func (b *tiBuilder) job(id instance.JobID) tiJob {
	j := tiJob{Job: &b.in.Jobs[id], id: id, classes: 1}
	for s := range b.sites {
		costs := j.On[b.sites[s].kind]
		if costs == nil {
			continue
		}
		fits, some := make([]bool, len(j.Depths)), false
		for d := range fits {
			fits[d] = costs.Persistent <= b.sites[s].memory-costs.Ephemeral[d] && (j.Rule.Fixed == nil || j.Rule.Fixed[d] > 0)
			some = some || fits[d]
		}
		if some {
			j.sites, j.fits = append(j.sites, s), append(j.fits, fits)
		}
	}
	if !j.HasSync() {
		j.full = b.shortestFull(&j, j.sites)
		j.length = j.full
		return j
	}
	switch b.options.Granularity {
	case ByPool:
		b.waysOfLiving(&j)
	default:
		b.nodeSets(&j)
	}
	for h := range j.homes {
		at := &j.homes[h]
		if l := at.full + at.sync; h == 0 || l < j.length {
			j.length = l
		}
		if h == 0 {
			j.full, j.sync = at.full, at.sync
		}
		j.full, j.sync = min(j.full, at.full), min(j.sync, at.sync)
	}
	return j
}

// shortestFull is the shortest full-depth task on the sites; 0 if there is none.
func (b *tiBuilder) shortestFull(j *tiJob, sites []int) instance.Tick {
	best := instance.Tick(0)
	for _, s := range sites {
		n, ok := slices.BinarySearch(j.sites, s)
		if !ok || !j.fits[n][j.Full()] {
			continue
		}
		if t := j.On[b.sites[s].kind].Time[j.Full()]; best == 0 || t < best {
			best = t
		}
	}
	return best
}

// waysOfLiving makes homes of the modes of the fluid program: each takes at
// most as long as any residency of its kind.
func (b *tiBuilder) waysOfLiving(j *tiJob) {
	c := slices.IndexFunc(b.in.Classes(), func(jobs []instance.JobID) bool { return slices.Contains(jobs, j.id) })
	for _, m := range b.pools.Classes[c].Modes {
		h := tiHome{full: m.Full, sync: m.Sync, rates: [][]tiRate{{{level: b.in.RateLevels[0], length: m.Sync}}}}
		for _, p := range m.Pools {
			if slices.Contains(j.sites, p) {
				h.sites = append(h.sites, p)
				h.most = append(h.most, min(j.Workers, b.sites[p].room))
			}
		}
		j.homes = append(j.homes, h)
	}
}

// nodeSets lists the sets of nodes that can hold the job.
func (b *tiBuilder) nodeSets(j *tiJob) {
	in := b.in
	byNode := make([][]int, len(in.Nodes)) // sites of the job
	room := make([]int, len(in.Nodes))
	for _, s := range j.sites {
		n := b.sites[s].node
		byNode[n] = append(byNode[n], s)
		room[n] += b.sites[s].room
	}
	later := make([]int, len(in.Nodes)+1) // room on this node and those after
	for n := len(in.Nodes) - 1; n >= 0; n-- {
		later[n] = later[n+1] + room[n]
	}
	var nodes []instance.NodeID
	var extend func(from, held int)
	extend = func(from, held int) {
		if len(j.homes) > maxHomes {
			return
		}
		if held >= j.Workers {
			b.nodeSet(j, nodes, byNode)
		}
		if len(nodes) == j.Workers || len(nodes) == 1 && j.Within == instance.WithinNode {
			return
		}
		for n := from; n < len(room) && held+later[n] >= j.Workers; n++ {
			if room[n] == 0 || len(nodes) > 0 && j.Within == instance.WithinRack && in.Nodes[n].Rack != in.Nodes[nodes[0]].Rack {
				continue
			}
			nodes = append(nodes, instance.NodeID(n))
			extend(n+1, held+room[n])
			nodes = nodes[:len(nodes)-1]
		}
	}
	extend(0, 0)
	if len(j.homes) > maxHomes {
		b.fail("job %q may live on more than %d sets of nodes", j.Name, maxHomes)
		return
	}
	b.depthClasses(j)
}

// nodeSet adds a home if its links work and a full-depth task fits.
func (b *tiBuilder) nodeSet(j *tiJob, nodes []instance.NodeID, byNode [][]int) {
	span, ok := b.in.SpanNodesOf(j.Job, nodes, j.Workers)
	if !ok {
		return
	}
	h := tiHome{uses: span.Uses}
	for _, n := range nodes {
		for _, s := range byNode[n] {
			h.sites = append(h.sites, s)
			h.most = append(h.most, min(b.sites[s].room, j.Workers-len(nodes)+1))
		}
		h.groups = append(h.groups, byNode[n])
		h.nodes = append(h.nodes, int(n))
	}
	if h.full = b.shortestFull(j, h.sites); h.full == 0 {
		return
	}
	// Until depthClasses fills in lengths, the rates carry the span.
	h.rates = [][]tiRate{{{rate: span.Slowest, length: instance.Tick(span.Parties)}}}
	j.homes = append(j.homes, h)
}

// depthClasses lists the multisets of depths and groups those whose
// synchronisations last the same in every home.
func (b *tiBuilder) depthClasses(j *tiJob) {
	var sets [][]int
	if j.Rule.Fixed != nil {
		sets = [][]int{j.Rule.Fixed}
	} else {
		few := depths.Each(j.Workers, len(j.Depths), func(counts []int) bool {
			if j.Allows(counts) {
				sets = append(sets, slices.Clone(counts))
			}
			return len(sets) <= maxDepthSets
		})
		slices.Reverse(sets) // deep ones first
		if !few {
			b.fail("the rule of job %q allows more than %d combinations of depths", j.Name, maxDepthSets)
			return
		}
	}
	type kind struct {
		parties instance.Tick
		slowest instance.Rate
	}
	var kinds []kind
	of := make([]int, len(j.homes))
	for h := range j.homes {
		r := j.homes[h].rates[0][0]
		k := kind{r.length, r.rate}
		if of[h] = slices.Index(kinds, k); of[h] < 0 {
			of[h] = len(kinds)
			kinds = append(kinds, k)
		}
		j.homes[h].rates = nil
	}
	index := map[string]int{}
	class := make([]int, len(sets))
	for m, counts := range sets {
		var key strings.Builder
		rates := make([][]tiRate, len(kinds))
		for n, k := range kinds {
			rates[n] = b.rates(j, counts, int(k.parties), instance.Span{Slowest: k.slowest})
			fmt.Fprint(&key, rates[n])
		}
		c, known := index[key.String()]
		if !known {
			c = len(index)
			index[key.String()] = c
			for h := range j.homes {
				at := &j.homes[h]
				at.rates = append(at.rates, rates[of[h]])
				if fastest := rates[of[h]][0].length; c == 0 || fastest < at.sync {
					at.sync = fastest
				}
			}
		}
		class[m] = c
	}
	if j.classes = len(index); j.classes > 1 {
		j.sets, j.class = sets, class
	}
}

// rates returns the useful ways to synchronise, fast to slow: of those that
// last the same, the slowest loads the links least.
func (b *tiBuilder) rates(j *tiJob, counts []int, parties int, span instance.Span) []tiRate {
	var list []tiRate
	volume := j.Volume(counts, parties)
	for _, level := range b.in.RateLevels {
		r := tiRate{level, span.Rate(level), 0}
		r.length = b.in.SyncTicks(volume, r.rate)
		if n := len(list); n > 0 && list[n-1].length == r.length {
			list = list[:n-1]
		}
		list = append(list, r)
	}
	return list
}

// fail records the first reason why the program cannot be built.
func (b *tiBuilder) fail(format string, args ...any) {
	if b.err == nil {
		b.err = fmt.Errorf("formulation: the %w: "+format+
			"; choose a tick_us above %d (ten times as long, a hundredth of the size), a coarser granularity, a shorter horizon or period, or fewer jobs",
			slices.Concat([]any{ErrTooLarge}, args, []any{b.in.TickUS})...)
	}
}
