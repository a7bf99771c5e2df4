package store

// Row is one run of the planner: its parameters, its outcome, and its time. The
// columns of all tables and files are its fields, by their JSON names. Values
// are in the unit of the objective: ticks (makespan), weight x ticks (weighted
// completion), weighted iterations per tick (throughput), or a fraction
// (max-min throughput). What is unknown is absent.
type Row struct {
	Parameters
	Outcome
	Timing
}

// Parameters of a run: its cell, in full.
type Parameters struct {
	// Key is the SHA-256 of cell, planner and engine.
	Key string `json:"key"`
	// Cluster is racks x nodes x GPUs.
	Cluster string `json:"cluster"`
	GPUs    int64  `json:"gpus"`
	// GPU names the profiled GPU type; Speed is relative to it.
	GPU   string  `json:"gpu"`
	Speed float64 `json:"speed"`
	// Memory of a GPU in bytes.
	Memory int64 `json:"memory_bytes"`
	// Residence of jobs in memory: plan or run.
	Residence string `json:"residence"`
	// NIC and Fabric of a node in bit/s.
	NIC              int64   `json:"nic_bps"`
	Fabric           int64   `json:"fabric_bps"`
	Oversubscription float64 `json:"oversubscription"`
	Mix              string  `json:"mix"`
	// Load is the requested number of workers per GPU.
	Load float64 `json:"load"`
	// Workers of every job; 0 if the mix draws them.
	Workers   int64  `json:"workers"`
	SPB       string `json:"spb"`
	Objective string `json:"objective"`
	Method    string `json:"method"`
	Seed      int64  `json:"seed"`
	// Planner is the version of JigSaw, Engine its linear programming engine.
	Planner string `json:"planner"`
	Engine  string `json:"engine"`
}

// Outcome of a run. Equal parameters give equal outcomes, unless the method has
// a time limit.
type Outcome struct {
	// Digest of the compiled instance.
	Digest string `json:"instance"`
	TickUS int64  `json:"tick_us"`
	Jobs   int64  `json:"jobs"`
	Tasks  int64  `json:"tasks"`

	// Status is optimal, feasible, infeasible, limit or failed; Reason says why
	// there is no plan.
	Status string `json:"status"`
	Reason string `json:"reason"`

	// Values of the baselines and of the plan, as in section 7 of docs/problem.md.
	Queue            *float64 `json:"queue"`
	Exclusive        *float64 `json:"exclusive"`
	InterleavedFull  *float64 `json:"interleaved_full"`
	FewerExclusive   *float64 `json:"fewer_exclusive"`
	FewerInterleaved *float64 `json:"fewer_interleaved"`
	Greedy           *float64 `json:"greedy"`
	Plan             *float64 `json:"plan"`
	Bound            *float64 `json:"bound"`
	// BoundKind is how the bound was found.
	BoundKind string `json:"bound_kind"`
	// Certified says that exact arithmetic confirmed the bound.
	Certified bool     `json:"certified"`
	Gap       *float64 `json:"gap"`

	// PlanWork is the GPU-ticks of the plan's tasks, in a period if it has one, and
	// FullWork those of the same iterations at full depth on the same GPUs.
	PlanWork *int64 `json:"plan_work"`
	FullWork *int64 `json:"full_work"`

	// Efficiencies: full-depth work delivered per GPU-tick. That at the bound is
	// known for makespan: no schedule exceeds it.
	QueueEfficiency            *float64 `json:"queue_efficiency"`
	ExclusiveEfficiency        *float64 `json:"exclusive_efficiency"`
	InterleavedFullEfficiency  *float64 `json:"interleaved_full_efficiency"`
	FewerExclusiveEfficiency   *float64 `json:"fewer_exclusive_efficiency"`
	FewerInterleavedEfficiency *float64 `json:"fewer_interleaved_efficiency"`
	GreedyEfficiency           *float64 `json:"greedy_efficiency"`
	PlanEfficiency             *float64 `json:"plan_efficiency"`
	BoundEfficiency            *float64 `json:"bound_efficiency"`

	// Mean fractions of the time that GPUs compute.
	QueueGPUs            *float64 `json:"queue_gpu_share"`
	ExclusiveGPUs        *float64 `json:"exclusive_gpu_share"`
	InterleavedFullGPUs  *float64 `json:"interleaved_full_gpu_share"`
	FewerExclusiveGPUs   *float64 `json:"fewer_exclusive_gpu_share"`
	FewerInterleavedGPUs *float64 `json:"fewer_interleaved_gpu_share"`
	GreedyGPUs           *float64 `json:"greedy_gpu_share"`
	PlanGPUs             *float64 `json:"plan_gpu_share"`
	// Of the plan: the mean fraction of the NICs' capacity in use, that of the
	// busiest link, and the largest fraction of a GPU's memory in use.
	PlanNICs    *float64 `json:"plan_nic_share"`
	PlanLink    *float64 `json:"plan_busiest_link_share"`
	PlanMemory  *float64 `json:"plan_memory_share"`
	PlanNotes   string   `json:"notes"`
	PlanColumns int64    `json:"columns"`
	PlanNodes   int64    `json:"nodes"`
}

// Failed is the status of a run that ended with an error. Its cell is not done:
// the next run of the study tries it again.
const Failed = "failed"

// Timing of a run: what may differ between two equal runs.
type Timing struct {
	// Started is a time in RFC 3339.
	Started string  `json:"started"`
	Seconds float64 `json:"seconds"`
	// Cores that the process could use; other runs may have shared them.
	Cores int64 `json:"cores"`
}
