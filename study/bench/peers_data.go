package bench

import (
	"errors"
	"slices"

	"jigsaw"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/codec"
)

// programData is an instance in the form that cpsat.py reads: all integers of
// the problem, with nothing left to look up. It only covers clusters of
// identical nodes in identical racks, which is what the generators make.
type programData struct {
	Objective   instance.Objective `json:"objective"`
	Racks       int                `json:"racks"`
	Nodes       int                `json:"nodes"` // per rack
	GPUs        int                `json:"gpus"`  // per node
	Memory      int64              `json:"memory"`
	RateLevels  []int              `json:"rate_levels"`
	FabricSpeed int64              `json:"fabric"`
	NICSpeed    int64              `json:"nic"`
	UplinkSpeed int64              `json:"uplink"` // 0 if there is one rack
	Jobs        []programJob       `json:"jobs"`
	// Hint is a schedule to start from, and HintValue its value: worse ones are not
	// searched for.
	Hint      *codec.ScheduleJSON `json:"hint"`
	HintValue float64             `json:"hint_value"`
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
	Layers     []int           `json:"layers"`
	Time       []instance.Tick `json:"time"`
	Persistent int64           `json:"persistent"`
	Ephemeral  []int64         `json:"ephemeral"`
	// Multisets[m][d] workers at depth d: those that the rule permits, without
	// those dominated by another that is shallower in every place.
	Multisets [][]int `json:"multisets"`
	// Modes are the placement modes, distinguished by the length of
	// synchronisations.
	Modes []programMode `json:"modes"`
}

// programMode is a placement mode of a job with several workers.
type programMode struct {
	// Nodes of the job, and whether they are in several racks.
	Nodes  int  `json:"nodes"`
	Spread bool `json:"spread"`
	// Rate[l] in bit/s, and Sync[m][l] ticks, of multiset m at rate level l.
	Rate []int64           `json:"rate"`
	Sync [][]instance.Tick `json:"sync"`
}

func newProgramData(in *instance.Instance, hint *instance.Schedule) (*programData, error) {
	first := &in.Nodes[0]
	d := &programData{Objective: in.Objective, Racks: len(in.Racks), Nodes: len(in.Racks[0].Nodes), GPUs: first.GPUs,
		Memory: int64(in.Types[0].Memory), FabricSpeed: int64(in.Capacity(first.Fabric)), NICSpeed: int64(in.Capacity(first.Up)),
		Hint: codec.NewScheduleJSON(in, hint), HintValue: *jigsaw.Number(in.Value(hint))}
	for _, l := range in.RateLevels {
		d.RateLevels = append(d.RateLevels, int(l))
	}
	if in.Grouped() {
		return nil, errors.New("bench: the model for CP-SAT knows workers of one GPU only")
	}
	if !uniform(in) {
		return nil, errors.New("bench: the model for CP-SAT knows identical racks of identical nodes only")
	}
	for i, l := range in.Links {
		if l.Kind == instance.RackUp {
			d.UplinkSpeed = int64(in.Capacity(instance.LinkID(i)))
		}
	}
	classes := in.ClassOf()
	for n := range in.Jobs {
		j := &in.Jobs[n]
		costs := j.On[0]
		job := programJob{Modes: []programMode{}, Name: j.Name, Workers: j.Workers, Iterations: j.Iterations, Weight: j.Weight, Release: j.Release,
			Deadline: j.Deadline, Gang: j.Gang, Within: int(j.Within), Class: classes[n],
			Time: costs.Time, Persistent: int64(costs.Persistent), Multisets: shallowest(j)}
		for n, depth := range j.Depths {
			job.Layers = append(job.Layers, depth.Layers)
			job.Ephemeral = append(job.Ephemeral, int64(costs.Ephemeral[n]))
		}
		if j.HasSync() {
			job.Modes = d.modes(in, j, job.Multisets)
		}
		d.Jobs = append(d.Jobs, job)
	}
	return d, nil
}

// uniform reports whether racks, nodes and links of a kind are all identical,
// joined by one core, and working.
func uniform(in *instance.Instance) bool {
	for _, r := range in.Racks {
		if len(r.Nodes) != len(in.Racks[0].Nodes) {
			return false
		}
	}
	for _, n := range in.Nodes {
		if n.GPUs != in.Nodes[0].GPUs || n.Type != in.Nodes[0].Type {
			return false
		}
	}
	speed := map[instance.LinkKind]instance.BitRate{}
	for _, l := range in.Links {
		if known, ok := speed[l.Kind]; l.Failed || l.Kind == instance.Trunk || ok && known != l.Capacity {
			return false
		}
		speed[l.Kind] = l.Capacity
	}
	return len(in.Types) == 1
}

// modes lists the placement modes of a job: in a node, on several nodes of a
// rack, or on several racks. Which racks and nodes makes no difference.
func (d *programData) modes(in *instance.Instance, j *instance.Job, multisets [][]int) []programMode {
	var modes []programMode
	add := func(spread bool, nodes []instance.NodeID) {
		span, ok := in.SpanNodes(nodes, j.Workers)
		if !ok {
			return
		}
		mode := programMode{Nodes: len(nodes), Spread: spread}
		for _, l := range in.RateLevels {
			mode.Rate = append(mode.Rate, int64(span.Rate(l)))
		}
		for _, m := range multisets {
			volume := j.Volume(m, span.Parties)
			var row []instance.Tick
			for _, l := range in.RateLevels {
				row = append(row, in.SyncTicks(volume, span.Rate(l)))
			}
			mode.Sync = append(mode.Sync, row)
		}
		modes = append(modes, mode)
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
	return modes
}

// shallowest lists the multisets permitted by the job's rule that no other one
// dominates by being at least as shallow in every place: replacing one by such
// another makes tasks and synchronisations shorter and memory smaller, and
// nothing longer.
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
