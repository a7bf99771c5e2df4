package reader_test

import (
	"math/rand/v2"
	"strconv"

	"jigsaw/formulation/instance"
)

// figures are the numbers of a compiled instance; see batch.py.
type figures struct {
	TickNS    int64            `json:"tick_ns"`
	Objective string           `json:"objective"`
	MaxPeriod *instance.Tick   `json:"max_period"`
	Queues    bool             `json:"queues"`
	Latency   instance.Tick    `json:"latency"`
	Levels    []int            `json:"levels"`
	Memory    map[string]int64 `json:"memory"`
	GPUs      []gpuFigures     `json:"gpus"`
	Links     []linkFigures    `json:"links"`
	Jobs      []jobFigures     `json:"jobs"`
}

type gpuFigures struct {
	Node string `json:"node"`
	Rack int    `json:"rack"`
	Type string `json:"type"`
}

type linkFigures struct {
	Name     string `json:"name"`
	Capacity int64  `json:"capacity"`
	Failed   bool   `json:"failed"`
}

type jobFigures struct {
	Name       string         `json:"name"`
	Workers    int            `json:"workers"`
	Group      int            `json:"group"`
	Iterations int            `json:"iterations"`
	Weight     int64          `json:"weight"`
	Release    instance.Tick  `json:"release"`
	Load       instance.Tick  `json:"load"`
	Deadline   *instance.Tick `json:"deadline"`
	Resident   []int64        `json:"resident"`
	Gang       bool           `json:"gang"`
	Within     string         `json:"within"`
	Depths     []int          `json:"depths"`
	Segments   []int64        `json:"segments"`
	// Allowed workers by depth, in lexicographic order; for jobs with many workers only if
	// the rule leaves no choice.
	Allowed [][]int                `json:"allowed"`
	On      map[string]costFigures `json:"on"`
}

type costFigures struct {
	Time       []instance.Tick `json:"time"`
	Persistent int64           `json:"persistent"`
	Ephemeral  []int64         `json:"ephemeral"`
}

// figuresOf returns the numbers of the planner's compiled instance.
func figuresOf(in *instance.Instance) *figures {
	f := &figures{
		TickNS: in.TickUS * 1000, Objective: string(in.Objective), MaxPeriod: unlessZero(in.MaxPeriod), Queues: in.Queues(), Latency: in.Latency,
		Memory: map[string]int64{},
	}
	for _, l := range in.RateLevels {
		f.Levels = append(f.Levels, int(l))
	}
	for _, t := range in.Types {
		f.Memory[t.Name] = int64(t.Memory)
	}
	for _, g := range in.GPUs {
		n := in.Nodes[g.Node]
		f.GPUs = append(f.GPUs, gpuFigures{n.Name, n.Rack, in.Types[g.Type].Name})
	}
	for _, l := range in.Links {
		f.Links = append(f.Links, linkFigures{l.Name, int64(l.Capacity), l.Failed})
	}
	limits := []string{instance.WithinCluster: "cluster", instance.WithinRack: "rack", instance.WithinNode: "node"}
	for i := range in.Jobs {
		j := &in.Jobs[i]
		job := jobFigures{
			Name: j.Name, Workers: j.Workers / j.Group(), Group: j.Group(), Iterations: j.Iterations, Weight: j.Weight,
			Release: j.Release, Load: j.Load, Deadline: unlessZero(j.Deadline), Gang: j.Gang, Within: limits[j.Within],
			Resident: numbers(j.Resident), Segments: numbers(j.SegmentBytes), Allowed: allowed(j), On: map[string]costFigures{},
		}
		for _, d := range j.Depths {
			job.Depths = append(job.Depths, d.Layers)
		}
		for t, c := range j.On {
			if c != nil {
				job.On[in.Types[t].Name] = costFigures{c.Time, int64(c.Persistent), numbers(c.Ephemeral)}
			}
		}
		f.Jobs = append(f.Jobs, job)
	}
	return f
}

func unlessZero(t instance.Tick) *instance.Tick {
	if t == 0 {
		return nil
	}
	return &t
}

// numbers are sizes without their unit.
func numbers[T ~int | ~int64](sizes []T) []int64 {
	list := make([]int64, len(sizes))
	for i, s := range sizes {
		list[i] = int64(s)
	}
	return list
}

func allowed(j *instance.Job) [][]int {
	list, workers := [][]int{}, j.Workers/j.Group()
	if workers > 8 {
		if j.Rule.Fixed != nil {
			list = append(list, times(j.Rule.Fixed, 1, j.Group()))
		}
		return list
	}
	counts := make([]int, len(j.Depths))
	var fill func(d, left int)
	fill = func(d, left int) {
		if d == len(counts)-1 {
			if counts[d] = left; j.Allows(times(counts, j.Group(), 1)) {
				list = append(list, append([]int(nil), counts...))
			}
			return
		}
		for n := range left + 1 {
			counts[d] = n
			fill(d+1, left-n)
		}
	}
	fill(0, workers)
	return list
}

// times are workers of GPUs, or the other way round.
func times(counts []int, by, over int) []int {
	list := make([]int, len(counts))
	for d, n := range counts {
		list[d] = n * by / over
	}
	return list
}

// span is the links that the synchronisations of a residency use, and their volume and duration
// by multiset of depths, as in jobFigures, and by rate level.
type span struct {
	Parties   int               `json:"parties"`
	Crossings map[string]int    `json:"crossings"`
	Speed     string            `json:"speed"`
	Volumes   []int64           `json:"volumes"`
	Lengths   [][]instance.Tick `json:"lengths"`
}

// spanOf returns nil if there is no route.
func spanOf(in *instance.Instance, r residency) *span {
	way, ok := in.SpanOf(jobNamed(in, r.Job), r.GPUs)
	if !ok {
		return nil
	}
	s := &span{
		Parties: way.Parties, Crossings: map[string]int{}, Speed: strconv.FormatInt(int64(in.BitRate(way.Slowest)), 10),
		Volumes: []int64{}, Lengths: [][]instance.Tick{},
	}
	for _, u := range way.Uses {
		s.Crossings[in.Links[u.Link].Name] = u.Times
	}
	job := jobNamed(in, r.Job)
	for _, counts := range allowed(job) {
		volume := job.Volume(times(counts, job.Group(), 1), way.Parties)
		lengths := []instance.Tick{}
		for _, level := range in.RateLevels {
			lengths = append(lengths, in.SyncTicks(volume, way.Rate(level)))
		}
		s.Volumes, s.Lengths = append(s.Volumes, int64(volume)), append(s.Lengths, lengths)
	}
	return s
}

func jobNamed(in *instance.Instance, name string) *instance.Job {
	for j := range in.Jobs {
		if in.Jobs[j].Name == name {
			return &in.Jobs[j]
		}
	}
	return nil
}

// residencies draws some residencies for every job that synchronises, whether its limits permit them or not.
func residencies(rng *rand.Rand, in *instance.Instance, each int) []residency {
	var list []residency
	for i := range in.Jobs {
		j := &in.Jobs[i]
		if j.Workers < 2 || j.Workers > len(in.GPUs) {
			continue
		}
		for n := range each {
			r := residency{Job: j.Name}
			if n%2 == 0 {
				for _, g := range rng.Perm(len(in.GPUs))[:j.Workers] {
					r.GPUs = append(r.GPUs, instance.GPUID(g))
				}
			} else { // side by side, often on one node
				first := rng.IntN(len(in.GPUs))
				for n := range j.Workers {
					r.GPUs = append(r.GPUs, instance.GPUID((first+n)%len(in.GPUs)))
				}
			}
			list = append(list, r)
		}
	}
	return list
}
