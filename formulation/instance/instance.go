package instance

import (
	"encoding/binary"
	"iter"
	"slices"

	"jigsaw/formulation/instance/route"
)

// Indices into the slices of an [Instance].
type (
	// TypeID indexes Instance.Types.
	TypeID int
	// NodeID indexes Instance.Nodes.
	NodeID int
	// GPUID indexes Instance.GPUs.
	GPUID int
	// LinkID indexes Instance.Links.
	LinkID = route.Link
	// JobID indexes Instance.Jobs.
	JobID int
)

// NoJob stands in place of a job where no job is concerned.
const NoJob JobID = -1

// Instance is a compiled [Spec]: all durations in ticks, all sizes in bytes,
// all speeds in bit/s. It is immutable and safe for concurrent use. Bounds,
// schedules and proofs are exact on these integers.
type Instance struct {
	Name      string
	TickUS    int64
	Objective Objective
	MaxPeriod Tick // 0: no bound
	// Residence is WholePlan, or empty, which is the same, or WhileRunning.
	Residence Residence `json:",omitempty"`

	Types []GPUType
	Nodes []Node
	GPUs  []GPU
	// Racks lists the nodes under each leaf switch.
	Racks []Rack
	Links []Link
	// Latency is the least length of a synchronisation.
	Latency Tick
	// RateLevels holds n for each level 1/n, ascending; index 0 is the fastest.
	RateLevels []RateLevel

	Jobs []Job
	// Policies by name, in order.
	Policies []string `json:",omitempty"`

	// rateParts is how many parts of a bit/s rates are counted in.
	rateParts Rate
	classes   [][]JobID
	class     []int // of each job
	routes    route.Table
	switches  []string // their names, for people
}

// GPUType is a kind of GPU.
type GPUType struct {
	Name   string
	Memory Bytes
	Price  Price `json:"-"` // per hour; validity does not depend on it
}

// Node is a server with identical GPUs, numbered contiguously.
type Node struct {
	Name             string
	Rack             int // index into Instance.Racks
	Type             TypeID
	FirstGPU         GPUID
	GPUs             int
	Up, Down, Fabric LinkID
	// Places are the numbers of the GPUs in the node, ascending, if some are out of service; nil means 0, 1, ...
	Places []int `json:",omitempty"`
}

// Place is the number that a GPU of the node has there: "r0n1.gpu2" is at place 2.
func (n *Node) Place(g GPUID) int {
	at := int(g - n.FirstGPU)
	if n.Places != nil {
		return n.Places[at]
	}
	return at
}

// At is the GPU at a place of the node, -1 where there is none.
func (n *Node) At(place int) GPUID {
	at := place
	if n.Places != nil {
		at = slices.Index(n.Places, place)
	}
	if at < 0 || at >= n.GPUs {
		return -1
	}
	return n.FirstGPU + GPUID(at)
}

// All are the GPUs of the node.
func (n *Node) All() iter.Seq[GPUID] {
	return func(yield func(GPUID) bool) {
		for g := range GPUID(n.GPUs) {
			if !yield(n.FirstGPU + g) {
				return
			}
		}
	}
}

// GPU is one device.
type GPU struct {
	Node NodeID
	Type TypeID
}

// Rack is a leaf switch with its nodes.
type Rack struct {
	Name  string
	Nodes []NodeID
	GPUs  int
}

// LinkKind tells where in the network a link is.
type LinkKind string

// The kinds of links. Racks of the short form have their own kinds; links
// between the switches of the full form are trunks.
const (
	NICUp    LinkKind = "nic_up"
	NICDown  LinkKind = "nic_down"
	Fabric   LinkKind = "fabric"
	Trunk    LinkKind = "trunk"
	RackUp   LinkKind = "rack_up"
	RackDown LinkKind = "rack_down"
)

// Link is a directed link, or the ring inside a node.
type Link struct {
	// Name is "<node>.up", "<node>.down", "<node>.fabric", "<rack>.up",
	// "<rack>.down", or "<link>.fwd" and "<link>.rev" in the full form.
	Name     string
	Kind     LinkKind
	Capacity BitRate
	Failed   bool
}

// Within is a locality limit of a job.
type Within int

// The limits, from none to the tightest.
const (
	WithinCluster Within = iota
	WithinRack
	WithinNode
)

// Job is a compiled training job. Slices indexed by depth are indexed by the
// position in Depths, 0 the shallowest.
type Job struct {
	Name  string
	Model string
	Batch int
	// Workers is the number of GPUs that the job computes on: k or, if each worker is a group of g GPUs
	// that compute a task together, k g.
	Workers int
	// GPUsPerWorker is g; 0 stands for 1. The first g of the GPUs that the job lives on are one worker,
	// the next g another, and so on.
	GPUsPerWorker int `json:",omitempty"`
	Iterations    int // R; not used by periodic objectives
	Weight        int64
	Release       Tick
	Load          Tick `json:",omitempty"` // from admission to the first tasks
	Deadline      Tick // 0: none
	// Resident lists, ascending, the GPUs whose memory holds the job when the plan begins: such a job
	// continues. nil means none.
	Resident []GPUID `json:",omitempty"`
	Gang     bool
	Within   Within
	// Policy that the routes of synchronisations obey, as an index into Instance.Policies that
	// counts from 1; 0 means none.
	Policy int `json:",omitempty"`

	// Depths allowed, ascending; the last one is full.
	Depths []Depth
	// SegmentBytes[s] are the parameter bytes of a worker back-propagated at depth s but
	// not at depth s-1. A worker at depth d contributes segments 0..d.
	SegmentBytes []Bytes
	// MoreReductions and MoreGathers are how often gradients are reduced, and parameters gathered, in a
	// synchronisation beyond the first time, if they are sharded.
	MoreReductions int64 `json:",omitempty"`
	MoreGathers    int64 `json:",omitempty"`
	Rule           Rule

	// Per GPU type. On[t] is nil where the job may not run.
	On []*Costs

	// Bundle is how many GPUs one GPU of a bundled instance stands for; 0 means 1.
	Bundle int `json:",omitempty"`
	// Contributors[s] is how many workers back-propagate segment s, if the counts of bundles
	// do not determine it; else nil.
	Contributors []int `json:",omitempty"`
}

// Depth is an allowed depth of a job.
type Depth struct {
	Layers int
	// Share divided by that of the full depth is the depth-fraction, exactly. It is backward time,
	// or a number of layers, in the greatest unit in which it is whole for all depths.
	Share int64
}

// Costs of a job on one GPU type.
type Costs struct {
	// Time[d] is the length of a task of depth d, at least 1.
	Time []Tick
	// Persistent bytes on every resident GPU, for its share of the worker.
	Persistent Bytes
	// Ephemeral[d] bytes while a task of depth d runs.
	Ephemeral []Bytes
}

// Memory is what a GPU holds: the persistent bytes of all jobs that live there, and the largest
// ephemeral bytes of one of them.
type Memory struct{ Persistent, Ephemeral Bytes }

// With is what is held with another job as well.
func (m Memory) With(more Memory) Memory {
	return Memory{m.Persistent + more.Persistent, max(m.Ephemeral, more.Ephemeral)}
}

// Sum is the number of bytes in all.
func (m Memory) Sum() Bytes { return m.Persistent + m.Ephemeral }

// Memory is what a job with tasks of depth d holds.
func (c *Costs) Memory(d int) Memory { return Memory{c.Persistent, c.Ephemeral[d]} }

// Deepest returns the greatest depth of which the ephemeral bytes are within room; -1: none.
func (c *Costs) Deepest(room Bytes) int {
	for d := len(c.Ephemeral) - 1; d >= 0; d-- {
		if c.Ephemeral[d] <= room {
			return d
		}
	}
	return -1
}

// Full returns the index of full depth.
func (j *Job) Full() int { return len(j.Depths) - 1 }

// Fraction returns the depth-fraction of depth d: 1 for the full one.
func (j *Job) Fraction(d int) float64 {
	return float64(j.Depths[d].Share) / float64(j.Depths[j.Full()].Share)
}

// HasSync reports whether the job's iterations end with a synchronisation: a
// lone GPU has nobody to synchronise with.
func (j *Job) HasSync() bool {
	if j.Contributors != nil {
		return j.Contributors[0]*j.GPUsPerWorker > 1 || j.Contributors[0] > 1
	}
	return j.Workers*max(1, j.Bundle) > 1
}

// Group returns how many of the instance's GPUs a worker has, or 1 if one of them has several workers.
func (j *Job) Group() int { return max(1, j.GPUsPerWorker/max(1, j.Bundle)) }

// OneGPUEach returns the job with one GPU for each of its workers. Its rule is a copy if workers have several.
func (j *Job) OneGPUEach() *Job {
	g := j.Group()
	if g == 1 {
		return j
	}
	one := *j
	one.Workers, one.GPUsPerWorker = j.Workers/g, 0
	one.Rule.MinFull, one.Rule.MinShare = (j.Rule.MinFull+g-1)/g, ceilMulDiv(j.Rule.MinShare, 1, int64(g))
	one.Rule.Fixed = slices.Clone(j.Rule.Fixed)
	for d := range one.Rule.Fixed {
		one.Rule.Fixed[d] /= g
	}
	return &one
}

// Grouped reports whether a worker of some job has several of the instance's GPUs.
func (in *Instance) Grouped() bool {
	return slices.ContainsFunc(in.Jobs, func(j Job) bool { return j.GPUsPerWorker > max(1, j.Bundle) })
}

// Parties returns how many workers a number of GPUs belongs to, rounded up: k for all GPUs.
func (j *Job) Parties(gpus int) int {
	if j.GPUsPerWorker <= 1 && j.Bundle <= 1 {
		return gpus
	}
	if j.Contributors != nil {
		return j.Contributors[0]
	}
	g := max(1, j.GPUsPerWorker)
	return (gpus*max(1, j.Bundle) + g - 1) / g
}

// Runs reports whether the job may live on GPUs of type t.
func (j *Job) Runs(t TypeID) bool { return j.On[t] != nil }

// Rule is a compiled SPB rule: how many of the GPUs that an iteration computes on have
// which depth. All GPUs of a worker have the same depth.
type Rule struct {
	// Fixed[d] is the exact number of GPUs at depth d, summing to Workers; nil
	// for a free rule.
	Fixed []int
	// MinFull GPUs at full depth, for a free rule.
	MinFull int
	// MinShare is the least sum over GPUs of Depth.Share, for a free rule; at most 2^53.
	MinShare int64
}

// Allows reports whether counts[d] workers at depth d, for all d, meet the
// job's rule.
func (j *Job) Allows(counts []int) bool {
	if j.Rule.Fixed != nil {
		for d, n := range counts {
			if n != j.Rule.Fixed[d] {
				return false
			}
		}
		return true
	}
	workers, share := 0, int64(0)
	for d, n := range counts {
		workers += n
		share += int64(n) * j.Depths[d].Share
	}
	return workers == j.Workers && counts[j.Full()] >= j.Rule.MinFull && share >= j.Rule.MinShare
}

// Classes groups the jobs that are identical but for their names, in order of
// each class's first job. The caller must not change the slices.
func (in *Instance) Classes() [][]JobID { return in.classes }

// ClassOf returns the class of every job, as an index into [Instance.Classes].
// The caller must not change the slice.
func (in *Instance) ClassOf() []int { return in.class }

// Shapes numbers the jobs such that those are equal which differ in their names, lengths, weights, dates and loads only, and in where
// they are in memory: what is a schedule of some iterations of one is one of the others.
func (in *Instance) Shapes() []int {
	jobs := slices.Clone(in.Jobs)
	for i := range jobs {
		j := &jobs[i]
		j.Iterations, j.Weight, j.Release, j.Load, j.Deadline, j.Resident = 1, 1, 0, 0, 0, nil
	}
	return in.WithJobs(jobs).class
}

// AllJobs returns the jobs in order.
func (in *Instance) AllJobs() []JobID { return UpTo[JobID](len(in.Jobs)) }

// AllNodes returns the nodes in order.
func (in *Instance) AllNodes() []NodeID { return UpTo[NodeID](len(in.Nodes)) }

// WidestNode returns the number of GPUs of the largest node.
func (in *Instance) WidestNode() int {
	widest := 0
	for n := range in.Nodes {
		widest = max(widest, in.Nodes[n].GPUs)
	}
	return widest
}

// UpTo returns the numbers from 0 to n - 1.
func UpTo[ID ~int | ~int32](n int) []ID {
	ids := make([]ID, n)
	for i := range ids {
		ids[i] = ID(i)
	}
	return ids
}

// Quantiles returns at most n of the distinct values, n above 1, ascending and evenly spread by rank, the
// least and the greatest included. It sorts the list.
func Quantiles[V ~int64](values []V, n int) []V {
	slices.Sort(values)
	values = slices.Compact(values)
	if len(values) <= n {
		return values
	}
	some := make([]V, n)
	for i := range some {
		some[i] = values[i*(len(values)-1)/(n-1)]
	}
	return some
}

// classify finds the classes of the jobs.
func (in *Instance) classify() {
	in.classes, in.class = nil, make([]int, len(in.Jobs))
	index := make(map[string]int, len(in.Jobs))
	var kind []byte
	for i := range in.Jobs {
		kind = in.Jobs[i].appendKind(kind[:0])
		n, ok := index[string(kind)]
		if !ok {
			n = len(in.classes)
			index[string(kind)] = n
			in.classes = append(in.classes, nil)
		}
		in.classes[n], in.class[i] = append(in.classes[n], JobID(i)), n
	}
}

// appendKind appends all of a job but its name: the same bytes for identical jobs only.
func (j *Job) appendKind(b []byte) []byte {
	gang := 0
	if j.Gang {
		gang = 1
	}
	b = appendNumbers(b, []byte(j.Model)...)
	b = appendNumbers(b, j.Batch, j.Workers, j.GPUsPerWorker, j.Bundle, j.Iterations, gang, int(j.Within), j.Policy, j.Rule.MinFull, len(j.Depths), len(j.On))
	b = appendNumbers(b, j.Weight, int64(j.Release), int64(j.Load), int64(j.Deadline), j.Rule.MinShare, j.MoreReductions, j.MoreGathers)
	for _, d := range j.Depths {
		b = appendNumbers(b, int64(d.Layers), d.Share)
	}
	b = appendNumbers(b, j.SegmentBytes...)
	b = appendNumbers(b, j.Rule.Fixed...)
	b = appendNumbers(b, j.Contributors...)
	b = appendNumbers(b, j.Resident...)
	for _, c := range j.On {
		if c == nil {
			c = &Costs{}
		}
		b = appendNumbers(b, c.Time...)
		b = appendNumbers(b, c.Persistent)
		b = appendNumbers(b, c.Ephemeral...)
	}
	return b
}

// appendNumbers appends how many numbers there are, and the numbers.
func appendNumbers[T ~byte | ~int | ~int64](b []byte, numbers ...T) []byte {
	b = binary.AppendUvarint(b, uint64(len(numbers)))
	for _, n := range numbers {
		b = binary.AppendVarint(b, int64(n))
	}
	return b
}

// FullDepth returns the instance without structured partial backpropagation:
// a copy in which the rule of every job fixes all its workers at full depth, or
// the receiver where all do already.
// It shares what does not differ with the receiver. Schedules of the
// full-depth baselines are valid for it, whatever the rules of the receiver.
func (in *Instance) FullDepth() *Instance {
	workers := make([]int, len(in.Jobs))
	for j := range in.Jobs {
		workers[j] = in.Jobs[j].Workers
	}
	return in.FullDepthOn(workers)
}

// FullDepthOn is [Instance.FullDepth] with workers[j] workers for every job j, at least 1.
func (in *Instance) FullDepthOn(workers []int) *Instance {
	same := true
	for i := range in.Jobs {
		j := &in.Jobs[i]
		same = same && workers[i] == j.Workers && j.Rule.Fixed != nil && j.Rule.Fixed[j.Full()] == j.Workers
	}
	if same {
		return in
	}
	jobs := slices.Clone(in.Jobs)
	for i := range jobs {
		j := &jobs[i]
		j.Workers = workers[i]
		fixed := make([]int, len(j.Depths))
		fixed[j.Full()] = j.Workers
		j.Rule = Rule{Fixed: fixed}
	}
	return in.WithJobs(jobs)
}

// WithJobs returns the instance with other jobs.
func (in *Instance) WithJobs(jobs []Job) *Instance {
	other := *in
	other.Jobs = jobs
	other.classify()
	return &other
}
