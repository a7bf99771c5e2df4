package instance

import "strings"

// Version is the version of the instance file format that this package reads
// and writes.
const Version = 1

// Spec is an instance as a person writes it: names, units and defaults. It is
// compiled to an [Instance], whose integers every bound, schedule and proof
// refers to.
//
// Where the zero value of a field stands for a default, the tag absent says which. In
// files a field is left out for that: there a zero would be read as a zero, which it
// is not, and is a mistake.
type Spec struct {
	// Version of the file format.
	Version int `yaml:"version" json:"version"`
	// Name of the instance in reports.
	Name string `yaml:"name,omitempty" json:"name,omitempty"`
	// Lesson is a line about what the instance shows.
	Lesson string `yaml:"lesson,omitempty" json:"lesson,omitempty"`
	// TickUS is the length of a tick in microseconds; 0 means 1000.
	TickUS int64 `yaml:"tick_us,omitempty" json:"tick_us,omitempty" absent:"1000"`
	// Objective of the plan; empty means makespan.
	Objective Objective `yaml:"objective,omitempty" json:"objective,omitempty" absent:"makespan"`
	// MaxPeriod bounds the period of a periodic plan; 0 means no bound.
	MaxPeriod Duration `yaml:"max_period,omitempty" json:"max_period,omitempty" absent:"no bound"`
	// Residence says how long a job holds its memory; empty means for the whole plan.
	Residence Residence `yaml:"residence,omitempty" json:"residence,omitempty" absent:"plan"`
	// Activations says what holds the memory of activations between tasks; empty means that the jobs of
	// a GPU share it.
	Activations Activations `yaml:"activations,omitempty" json:"activations,omitempty" absent:"shared"`
	Cluster     ClusterSpec `yaml:"cluster" json:"cluster"`
	// Profiles given here go before those of the profile library.
	Profiles []*Profile `yaml:"profiles,omitempty" json:"profiles,omitempty"`
	// Jobs to plan.
	Jobs []JobSpec `yaml:"jobs" json:"jobs"`
}

// Objective is what a plan optimises; see docs/problem.md section 5.
type Objective string

const (
	// Makespan is the end of the last iteration, minimised. The default.
	Makespan Objective = "makespan"
	// WeightedCompletion is sum over jobs of weight x completion time, minimised.
	WeightedCompletion Objective = "weighted_completion"
	// Throughput is sum over jobs of weight x iterations per tick of a
	// periodic plan, maximised.
	Throughput Objective = "throughput"
	// MaxMinThroughput is the smallest normalised rate of a periodic plan,
	// maximised: iterations per tick x fastest full-depth compute time / weight.
	MaxMinThroughput Objective = "max_min_throughput"
)

// Objectives lists the valid objectives.
func Objectives() []Objective {
	return []Objective{Makespan, WeightedCompletion, Throughput, MaxMinThroughput}
}

// Words is the name of an objective in sentences.
func (o Objective) Words() string { return strings.ReplaceAll(string(o), "_", " ") }

// choice lists objectives in a sentence.
func choice(list []Objective) string {
	text := string(list[0])
	for _, o := range list[1 : len(list)-1] {
		text += ", " + string(o)
	}
	return text + " or " + string(list[len(list)-1])
}

// Periodic reports whether plans for o repeat with a period; such objectives
// are maximised, the others minimised.
func (o Objective) Periodic() bool { return o == Throughput || o == MaxMinThroughput }

// ClusterSpec describes GPUs, nodes and links: either the short form (Racks)
// or the full form (Switches, Nodes, Links).
type ClusterSpec struct {
	// GPUTypes in the cluster.
	GPUTypes []GPUTypeSpec `yaml:"gpu_types" json:"gpu_types"`

	// Racks is the short form: each entry is a group of identical racks under
	// one core switch.
	Racks []RackSpec `yaml:"racks,omitempty" json:"racks,omitempty"`

	// Switches, Nodes and Links are the full form. Every node hangs on one switch.
	Switches []SwitchSpec `yaml:"switches,omitempty" json:"switches,omitempty"`
	// Nodes of the full form.
	Nodes []NodeSpec `yaml:"nodes,omitempty" json:"nodes,omitempty"`
	// Links between the switches of the full form.
	Links []LinkSpec `yaml:"links,omitempty" json:"links,omitempty"`

	// Exceptions are single nodes and links that differ from what the forms above
	// make of them.
	Exceptions []ExceptionSpec `yaml:"exceptions,omitempty" json:"exceptions,omitempty"`
	// FailedLinks names links that carry nothing, one direction of each: "r0n2.up" is
	// from the third node of the first rack, "r0.down" to that rack, and "a-b.fwd" and
	// "a-b.rev" are a pair of the full form.
	FailedLinks []string `yaml:"failed_links,omitempty" json:"failed_links,omitempty"`
	// FailedNodes names nodes that are out of service: the cluster has neither their GPUs nor
	// their links.
	FailedNodes []string `yaml:"failed_nodes,omitempty" json:"failed_nodes,omitempty"`
	// FailedGPUs names single GPUs that are out of service: "r0n2.gpu0" is the first of node r0n2. The others
	// keep their names.
	FailedGPUs []string `yaml:"failed_gpus,omitempty" json:"failed_gpus,omitempty"`
	// LoadRate is the speed at which a job's persistent bytes come into a GPU's memory;
	// 0 means that loading takes no time. Only where residence is run.
	LoadRate BitRate `yaml:"load_rate,omitempty" json:"load_rate,omitempty" absent:"loading takes no time"`
	// DegradedLinks are links that carry only a fraction of their speed, by name as in
	// FailedLinks.
	DegradedLinks map[string]Ratio `yaml:"degraded_links,omitempty" json:"degraded_links,omitempty"`
	// Policies are rules for routes between switches, by name, which jobs may ask for.
	Policies map[string]PolicySpec `yaml:"policies,omitempty" json:"policies,omitempty"`
	// Latency is the least duration of a synchronisation.
	Latency Duration `yaml:"latency,omitempty" json:"latency,omitempty"`
	// RateLevels are the speeds a synchronisation may run at, as fractions
	// 1/n of the slowest link on its routes. Empty means 1, 1/2, 1/4.
	RateLevels []RateLevel `yaml:"rate_levels,omitempty" json:"rate_levels,omitempty" absent:"1, 1/2 and 1/4"`
}

// PolicySpec is a rule for routes. It refers to switches and links by their names or
// labels: a label stands for all that have it.
type PolicySpec struct {
	// MustPass: a route passes something with each of these labels.
	MustPass []string `yaml:"must_pass,omitempty" json:"must_pass,omitempty"`
	// Avoid: it passes nothing with any of these.
	Avoid []string `yaml:"avoid,omitempty" json:"avoid,omitempty"`
	// Prefer decides between routes of as few links: the one that passes something with
	// the first of these labels, then with the second, and so on.
	Prefer []string `yaml:"prefer,omitempty" json:"prefer,omitempty"`
}

// GPUTypeSpec is a kind of GPU.
type GPUTypeSpec struct {
	Name string `yaml:"name" json:"name"`
	// Memory of one GPU.
	Memory Bytes `yaml:"memory" json:"memory"`
	// PricePerHour of one GPU; see [Instance.Cost].
	PricePerHour Price `yaml:"price_per_hour,omitempty" json:"price_per_hour,omitempty"`
	// ProfiledAs says whose measurements are used for this type: the first for
	// which a model has a profile. Empty means its own name at speed 1.
	ProfiledAs []ProfiledAs `yaml:"profiled_as,omitempty" json:"profiled_as,omitempty" absent:"its own profiles"`
}

// ProfiledAs takes the profiles of another GPU, divided by a relative speed.
type ProfiledAs struct {
	// GPU that was profiled.
	GPU string `yaml:"gpu" json:"gpu"`
	// Speed relative to the profiled GPU; 0 means 1.
	Speed Ratio `yaml:"speed,omitempty" json:"speed,omitempty" absent:"1"`
}

// RackSpec is a group of identical racks of identical nodes.
type RackSpec struct {
	// Count of racks; 0 means 1.
	Count int `yaml:"count,omitempty" json:"count,omitempty" absent:"1"`
	// Nodes per rack.
	Nodes int `yaml:"nodes" json:"nodes"`
	// GPUs per node.
	GPUs int `yaml:"gpus" json:"gpus"`
	// GPU type of the nodes.
	GPU string `yaml:"gpu" json:"gpu"`
	// NIC is the speed of a node's network interface, each way.
	NIC BitRate `yaml:"nic" json:"nic"`
	// Fabric is the speed of the ring inside a node.
	Fabric BitRate `yaml:"fabric" json:"fabric"`
	// Uplink is the speed between the rack's switch and the core, each way.
	// If absent it is nodes x NIC / oversubscription.
	Uplink BitRate `yaml:"uplink,omitempty" json:"uplink,omitempty" absent:"nodes x nic / oversubscription"`
	// Oversubscription of the uplink, instead of its speed; 0 means 1.
	Oversubscription Ratio `yaml:"oversubscription,omitempty" json:"oversubscription,omitempty" absent:"1"`
}

// SwitchSpec is a switch of the full form.
type SwitchSpec struct {
	Name string `yaml:"name" json:"name"`
	// Labels by which policies may refer to the switch, beside its name.
	Labels []string `yaml:"labels,omitempty" json:"labels,omitempty"`
}

// NodeSpec is a node of the full form.
type NodeSpec struct {
	Name string `yaml:"name" json:"name"`
	// Switch the node hangs on.
	Switch string `yaml:"switch" json:"switch"`
	// GPUs in the node.
	GPUs int `yaml:"gpus" json:"gpus"`
	// GPU type of the node.
	GPU string `yaml:"gpu" json:"gpu"`
	// NIC is the speed of the network interface, each way.
	NIC BitRate `yaml:"nic" json:"nic"`
	// Fabric is the speed of the ring inside the node.
	Fabric BitRate `yaml:"fabric" json:"fabric"`
}

// LinkSpec is a pair of links of the full form, one each way, between two switches.
type LinkSpec struct {
	// Name of the pair; empty means "<from>-<to>".
	Name string `yaml:"name,omitempty" json:"name,omitempty"`
	// From and To are switches.
	From string `yaml:"from" json:"from"`
	To   string `yaml:"to" json:"to"`
	// Rate is the speed each way.
	Rate BitRate `yaml:"rate" json:"rate"`
	// Labels by which policies may refer to both links, beside the name of the pair.
	Labels []string `yaml:"labels,omitempty" json:"labels,omitempty"`
}

// ExceptionSpec is a node with another number of GPUs, or a link with another speed.
type ExceptionSpec struct {
	// Node by name; in the short form "r0n2" is the third node of the first rack.
	Node string `yaml:"node,omitempty" json:"node,omitempty"`
	// GPUs of the node.
	GPUs int `yaml:"gpus,omitempty" json:"gpus,omitempty"`
	// Link by name, as in FailedLinks; "r0n2.fabric" is the ring inside a node.
	Link string `yaml:"link,omitempty" json:"link,omitempty"`
	// Rate is the speed of the link.
	Rate BitRate `yaml:"rate,omitempty" json:"rate,omitempty"`
}

// JobSpec is a training job, or Count identical ones.
type JobSpec struct {
	Name string `yaml:"name" json:"name"`
	// Disabled leaves the job out, as if it were not in the file.
	Disabled bool `yaml:"disabled,omitempty" json:"disabled,omitempty"`
	// Count of identical jobs; above 1 they are named name-1, name-2, ...
	Count int `yaml:"count,omitempty" json:"count,omitempty" absent:"1 (disabled: true leaves a job out)"`
	// Model whose profile the job runs.
	Model string `yaml:"model" json:"model"`
	// Batch per worker; 0 is allowed where the model has one batch size only.
	Batch int `yaml:"batch,omitempty" json:"batch,omitempty" absent:"the one that there is a profile of"`
	// Workers of the job, each on a GPU of its own, or on GPUsPerWorker of them; only
	// burst-parallel and background jobs go without.
	Workers int `yaml:"workers,omitempty" json:"workers,omitempty"`
	// GPUsPerWorker is on how many GPUs of one node, together, a worker computes: tensor or
	// pipeline parallel. The profile is that of all of them; 0 means 1.
	GPUsPerWorker int `yaml:"gpus_per_worker,omitempty" json:"gpus_per_worker,omitempty" absent:"1"`
	// Moldable are numbers of workers of which the planner chooses one, in place of Workers; Batch is of all
	// workers together. Empty means Workers.
	Moldable []int `yaml:"moldable,omitempty" json:"moldable,omitempty" absent:"workers"`
	// Kind is "burst" for a burst-parallel job: Batch is for all its GPUs together, and each layer uses as many of
	// them as pay off. Empty means a job with workers.
	Kind string `yaml:"kind,omitempty" json:"kind,omitempty" absent:"a job of workers"`
	// GPUs are the most that a layer of a burst-parallel job has, a power of two.
	GPUs int `yaml:"gpus,omitempty" json:"gpus,omitempty"`
	// Amplification is the largest GPU-time of a layer of a burst-parallel job, divided by its time on one GPU; 0 means 2.
	Amplification Ratio `yaml:"amplification,omitempty" json:"amplification,omitempty" absent:"2"`
	// Slowdown is the largest duration of an iteration of a burst-parallel job, relative to its duration alone; 0 means 1.1.
	Slowdown Ratio `yaml:"slowdown,omitempty" json:"slowdown,omitempty" absent:"1.1"`
	// Background jobs run where burst-parallel jobs leave GPUs idle, each on one GPU.
	Background bool `yaml:"background,omitempty" json:"background,omitempty"`
	// Slice is the least time that background jobs run without a break; 0 means 500us.
	Slice Duration `yaml:"slice,omitempty" json:"slice,omitempty" absent:"500us"`
	// Iterations to run; periodic objectives do not use it. 0 means 1.
	Iterations int `yaml:"iterations,omitempty" json:"iterations,omitempty" absent:"1 (disabled: true leaves a job out)"`
	// Weight in the objective; 0 means 1.
	Weight int64 `yaml:"weight,omitempty" json:"weight,omitempty" absent:"1"`
	// Release is when the job may start, counted from time 0.
	Release Duration `yaml:"release,omitempty" json:"release,omitempty"`
	// Load is how long the job is in memory before its first tasks may start; 0 means as
	// long as its persistent bytes take at the cluster's load rate. Only where residence is run.
	Load Duration `yaml:"load,omitempty" json:"load,omitempty" absent:"persistent bytes / load_rate"`
	// Resident are the GPUs, by number, on which the job is in memory when the plan begins: it
	// lives there, and is not loaded. Empty means that it is in memory nowhere yet.
	Resident []int `yaml:"resident,omitempty" json:"resident,omitempty" absent:"it is in memory nowhere"`
	// Deadline counts from time 0; 0 means none.
	Deadline Duration `yaml:"deadline,omitempty" json:"deadline,omitempty" absent:"none"`
	// Optimizer sets the copies of the parameters held: sgd 2 (weights and
	// gradient), momentum 3, adam 4. Empty means momentum.
	Optimizer string `yaml:"optimizer,omitempty" json:"optimizer,omitempty" absent:"momentum"`
	// Accumulate is how many micro-batches, each of Batch, an iteration has before its
	// synchronisation; 0 means 1.
	Accumulate int `yaml:"accumulate,omitempty" json:"accumulate,omitempty" absent:"1"`
	// Checkpointing keeps only the inputs of blocks, and recomputes the blocks in the backward pass.
	Checkpointing bool `yaml:"checkpointing,omitempty" json:"checkpointing,omitempty"`
	// Sharding divides among the workers what each would keep in full: "zero1" the states of the
	// optimizer, "zero2" gradients as well, "zero3" parameters as well. Empty means nothing.
	Sharding string `yaml:"sharding,omitempty" json:"sharding,omitempty" absent:"none"`
	// Gang asks the tasks of an iteration to start together.
	Gang      bool          `yaml:"gang,omitempty" json:"gang,omitempty"`
	Placement PlacementSpec `yaml:"placement,omitempty" json:"placement,omitzero"`
	SPB       SPBSpec       `yaml:"spb,omitempty" json:"spb,omitzero"`
}

// PlacementSpec limits where a job may live.
type PlacementSpec struct {
	// GPUTypes allowed; empty means every type the job has a profile for.
	GPUTypes []string `yaml:"gpu_types,omitempty" json:"gpu_types,omitempty" absent:"every type that the job has a profile for"`
	// Within is "node" or "rack" where all workers must share one; empty or
	// "cluster" means no limit.
	Within string `yaml:"within,omitempty" json:"within,omitempty" absent:"cluster"`
	// Policy that the routes of the job's synchronisations obey; empty means none.
	Policy string `yaml:"policy,omitempty" json:"policy,omitempty" absent:"none"`
}

// SPBSpec is a job's rule of structured partial backpropagation.
type SPBSpec struct {
	// Rule is "full", "ladder" or "free"; empty means ladder.
	Rule string `yaml:"rule,omitempty" json:"rule,omitempty" absent:"ladder"`
	// MinFull is the least number of full-depth workers of a free rule; 0 means 1.
	MinFull int `yaml:"min_full,omitempty" json:"min_full,omitempty" absent:"1"`
	// MinMeanDepth is the least mean depth-fraction of a free rule.
	MinMeanDepth Ratio `yaml:"min_mean_depth,omitempty" json:"min_mean_depth,omitempty"`
	// Measure of the depth-fraction: "backward_time" (default) or "layers".
	Measure string `yaml:"measure,omitempty" json:"measure,omitempty" absent:"backward_time"`
	// Cuts is how many depths to allow, chosen to split the backward time
	// evenly; 0 means 4.
	Cuts int `yaml:"cuts,omitempty" json:"cuts,omitempty" absent:"4"`
	// Depths lists the allowed depths in layers, instead of Cuts.
	Depths []int `yaml:"depths,omitempty" json:"depths,omitempty" absent:"those that cuts choose"`
}

// Sources returns for every job of the compiled instance its entry in Jobs, which
// stands for none where it is disabled and may stand for several.
func (s *Spec) Sources() []int {
	var sources []int
	for i := range s.Jobs {
		if s.Jobs[i].Disabled {
			continue
		}
		for range max(1, s.Jobs[i].Count) {
			sources = append(sources, i)
		}
	}
	return sources
}
