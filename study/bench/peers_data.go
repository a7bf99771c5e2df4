package bench

import (
	"errors"
	"slices"

	"jigsaw/formulation/instance"
)

// programData is an instance as cpsat.py reads it: all the integers of the
// problem, with nothing left to look up. It holds clusters of identical nodes
// in identical racks only, which is what the generators make.
type programData struct {
	Objective   instance.Objective `json:"objective"`
	Horizon     instance.Tick      `json:"horizon"`
	Racks       int                `json:"racks"`
	Nodes       int                `json:"nodes"` // per rack
	GPUs        int                `json:"gpus"`  // per node
	Memory      instance.Bytes     `json:"memory"`
	RateLevels  []int              `json:"rate_levels"`
	FabricSpeed instance.BitRate   `json:"fabric"`
	NICSpeed    instance.BitRate   `json:"nic"`
	UplinkSpeed instance.BitRate   `json:"uplink"` // 0 where there is one rack
	Jobs        []programJob       `json:"jobs"`
	// Hint is a schedule to start from.
	Hint *instance.ScheduleJSON `json:"hint"`
}

// programJob is a job of programData.
type programJob struct {
	Name       string        `json:"name"`
	Workers    int           `json:"workers"`
	Iterations int           `json:"iterations"`
	Weight     int64         `json:"weight"`
	Release    instance.Tick `json:"release"`
	Deadline   instance.Tick `json:"deadline"`
	Gang       bool          `json:"gang"`
	// Within is 0 for anywhere, 1 for one rack, 2 for one node.
	Within int `json:"within"`
	// Class numbers groups of identical jobs.
	Class int `json:"class"`
	// Layers[d], Time[d] and Ephemeral[d] are of depth d.
	Layers     []int            `json:"layers"`
	Time       []instance.Tick  `json:"time"`
	Persistent instance.Bytes   `json:"persistent"`
	Ephemeral  []instance.Bytes `json:"ephemeral"`
	// Multisets[m][d] workers at depth d: those that the rule allows, less
	// those that another makes shallower in every place, which can replace them.
	Multisets [][]int `json:"multisets"`
	// Homes are the ways of living that tell apart how long synchronisations last.
	Homes []programHome `json:"homes"`
}

// programHome is a way of living of a job with several workers.
type programHome struct {
	// Nodes that the job lives on, and whether they are in several racks.
	Nodes  int  `json:"nodes"`
	Spread bool `json:"spread"`
	// Rate[l] in bit/s, and Sync[m][l] ticks, of multiset m at rate level l.
	Rate []instance.BitRate `json:"rate"`
	Sync [][]instance.Tick  `json:"sync"`
}

func newProgramData(in *instance.Instance, horizon instance.Tick, hint *instance.Schedule) (*programData, error) {
	first := &in.Nodes[0]
	d := &programData{Objective: in.Objective, Horizon: horizon, Racks: len(in.Racks), Nodes: len(in.Racks[0].Nodes), GPUs: first.GPUs,
		Memory: in.Types[0].Memory, FabricSpeed: in.Links[first.Fabric].Capacity, NICSpeed: in.Links[first.Up].Capacity,
		Hint: in.ScheduleJSON(hint)}
	for _, l := range in.RateLevels {
		d.RateLevels = append(d.RateLevels, int(l))
	}
	for _, l := range in.Links {
		if l.Kind == instance.RackUp {
			d.UplinkSpeed = l.Capacity
		}
		if l.Failed || l.Kind == instance.Trunk {
			return nil, errors.New("bench: the model for CP-SAT knows identical racks of identical nodes only")
		}
	}
	if len(in.Types) != 1 || len(in.Nodes) != d.Racks*d.Nodes {
		return nil, errors.New("bench: the model for CP-SAT knows identical racks of identical nodes only")
	}
	classes := make([]int, len(in.Jobs))
	for n, class := range in.Classes() {
		for _, j := range class {
			classes[j] = n
		}
	}
	for n := range in.Jobs {
		j := &in.Jobs[n]
		costs := j.On[0]
		job := programJob{Name: j.Name, Workers: j.Workers, Iterations: j.Iterations, Weight: j.Weight, Release: j.Release,
			Deadline: j.Deadline, Gang: j.Gang, Within: int(j.Within), Class: classes[n],
			Time: costs.Time, Persistent: costs.Persistent, Ephemeral: costs.Ephemeral, Multisets: shallowest(j)}
		for _, depth := range j.Depths {
			job.Layers = append(job.Layers, depth.Layers)
		}
		if j.HasSync() {
			job.Homes = d.homes(in, j, job.Multisets)
		}
		d.Jobs = append(d.Jobs, job)
	}
	return d, nil
}

// homes lists the ways of living of a job: in a node, on so many nodes of a
// rack, or of several racks. Which racks and nodes makes no difference.
func (d *programData) homes(in *instance.Instance, j *instance.Job, multisets [][]int) []programHome {
	var homes []programHome
	add := func(spread bool, nodes []instance.NodeID) {
		span, ok := in.SpanNodes(nodes, j.Workers)
		if !ok {
			return
		}
		h := programHome{Nodes: len(nodes), Spread: spread}
		for _, l := range in.RateLevels {
			h.Rate = append(h.Rate, span.Rate(l))
		}
		for _, m := range multisets {
			volume := j.Volume(m, span.Parties)
			var row []instance.Tick
			for _, rate := range h.Rate {
				row = append(row, in.SyncTicks(volume, rate))
			}
			h.Sync = append(h.Sync, row)
		}
		homes = append(homes, h)
	}
	for q := (j.Workers + d.GPUs - 1) / d.GPUs; q <= min(j.Workers, d.Racks*d.Nodes); q++ {
		inRack, across := make([]instance.NodeID, q), make([]instance.NodeID, q)
		for i := range q {
			inRack[i], across[i] = instance.NodeID(i), instance.NodeID(i)
		}
		across[q-1] = instance.NodeID(d.Racks*d.Nodes - 1)
		if q <= d.Nodes && (j.Within != instance.WithinNode || q == 1) {
			add(false, inRack)
		}
		if q > 1 && d.Racks > 1 && j.Within == instance.WithinCluster {
			add(true, across)
		}
	}
	return homes
}

// shallowest lists the multisets that the job's rule allows of which no other
// is at least as shallow in every place: replacing one by such another makes
// tasks and synchronisations shorter and memory smaller, and nothing longer.
func shallowest(j *instance.Job) [][]int {
	var all [][]int
	multisets(j, func(counts []int) { all = append(all, slices.Clone(counts)) })
	return slices.DeleteFunc(slices.Clone(all), func(m []int) bool {
		return slices.ContainsFunc(all, func(o []int) bool { return !slices.Equal(m, o) && atMost(o, m) })
	})
}

// atMost reports whether a, sorted by depth, is nowhere deeper than b.
func atMost(a, b []int) bool {
	n, m := 0, 0
	for d := len(a) - 1; d >= 0; d-- {
		n, m = n+a[d], m+b[d]
		if n > m {
			return false
		}
	}
	return true
}
