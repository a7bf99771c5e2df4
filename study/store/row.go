package store

// Row is one run of the planner: what was asked, what came out, how long it
// took. The columns of all tables and files are its fields, by their JSON names.
// Values are in the unit of the objective: ticks (makespan), weight x ticks
// (weighted completion), weighted iterations per tick (throughput), or a
// fraction (max-min throughput). What is not known is absent.
type Row struct {
	Parameters
	Outcome
	Timing
}

// Parameters of a run: its cell, written out.
type Parameters struct {
	// Key is the SHA-256 of cell, planner and engine.
	Key string `json:"key" parquet:"key"`
	// Cluster is racks x nodes x GPUs.
	Cluster string `json:"cluster" parquet:"cluster"`
	GPUs    int64  `json:"gpus" parquet:"gpus"`
	// GPU names the GPU type that was profiled, Speed is relative to it.
	GPU   string  `json:"gpu" parquet:"gpu"`
	Speed float64 `json:"speed" parquet:"speed"`
	// Memory of a GPU in bytes.
	Memory int64 `json:"memory_bytes" parquet:"memory_bytes"`
	// NIC and Fabric of a node in bit/s.
	NIC              int64   `json:"nic_bps" parquet:"nic_bps"`
	Fabric           int64   `json:"fabric_bps" parquet:"fabric_bps"`
	Oversubscription float64 `json:"oversubscription" parquet:"oversubscription"`
	Mix              string  `json:"mix" parquet:"mix"`
	// Load is the number of workers asked for per GPU.
	Load float64 `json:"load" parquet:"load"`
	// Workers of every job; 0 where the mix draws them.
	Workers   int64  `json:"workers" parquet:"workers"`
	SPB       string `json:"spb" parquet:"spb"`
	Objective string `json:"objective" parquet:"objective"`
	Method    string `json:"method" parquet:"method"`
	Seed      int64  `json:"seed" parquet:"seed"`
	// Planner is the version of JigSaw, Engine its engine of linear programs.
	Planner string `json:"planner" parquet:"planner"`
	Engine  string `json:"engine" parquet:"engine"`
}

// Outcome of a run. Equal parameters give equal outcomes, unless the method has
// a time limit.
type Outcome struct {
	// Digest of the compiled instance.
	Digest string `json:"instance" parquet:"instance"`
	TickUS int64  `json:"tick_us" parquet:"tick_us"`
	Jobs   int64  `json:"jobs" parquet:"jobs"`
	Tasks  int64  `json:"tasks" parquet:"tasks"`

	// Status is optimal, feasible, infeasible, limit or failed; Reason says why
	// there is no plan.
	Status string `json:"status" parquet:"status"`
	Reason string `json:"reason" parquet:"reason"`

	Exclusive       *float64 `json:"exclusive" parquet:"exclusive,optional"`
	InterleavedFull *float64 `json:"interleaved_full" parquet:"interleaved_full,optional"`
	Greedy          *float64 `json:"greedy" parquet:"greedy,optional"`
	Plan            *float64 `json:"plan" parquet:"plan,optional"`
	Bound           *float64 `json:"bound" parquet:"bound,optional"`
	// BoundKind is how the bound was found.
	BoundKind string `json:"bound_kind" parquet:"bound_kind"`
	// Certified says that exact arithmetic confirmed the bound.
	Certified bool     `json:"certified" parquet:"certified"`
	Gap       *float64 `json:"gap" parquet:"gap,optional"`

	// Efficiencies: full-depth work delivered per GPU-tick. That at the bound
	// is known for makespan: no schedule has more.
	ExclusiveEfficiency       *float64 `json:"exclusive_efficiency" parquet:"exclusive_efficiency,optional"`
	InterleavedFullEfficiency *float64 `json:"interleaved_full_efficiency" parquet:"interleaved_full_efficiency,optional"`
	GreedyEfficiency          *float64 `json:"greedy_efficiency" parquet:"greedy_efficiency,optional"`
	PlanEfficiency            *float64 `json:"plan_efficiency" parquet:"plan_efficiency,optional"`
	BoundEfficiency           *float64 `json:"bound_efficiency" parquet:"bound_efficiency,optional"`

	// Mean shares of the time that GPUs compute.
	ExclusiveGPUs       *float64 `json:"exclusive_gpu_share" parquet:"exclusive_gpu_share,optional"`
	InterleavedFullGPUs *float64 `json:"interleaved_full_gpu_share" parquet:"interleaved_full_gpu_share,optional"`
	PlanGPUs            *float64 `json:"plan_gpu_share" parquet:"plan_gpu_share,optional"`
	// Of the plan: the mean share of the capacity that the NICs carry, that of
	// the busiest link, and the largest share of a GPU's memory in use.
	PlanNICs    *float64 `json:"plan_nic_share" parquet:"plan_nic_share,optional"`
	PlanLink    *float64 `json:"plan_busiest_link_share" parquet:"plan_busiest_link_share,optional"`
	PlanMemory  *float64 `json:"plan_memory_share" parquet:"plan_memory_share,optional"`
	PlanNotes   string   `json:"notes" parquet:"notes"`
	PlanColumns int64    `json:"columns" parquet:"columns"`
	PlanNodes   int64    `json:"nodes" parquet:"nodes"`
}

// Failed is the status of a run that ended with an error. Its cell is not done:
// the next run of the study tries it again.
const Failed = "failed"

// Timing of a run: what differs between two equal runs.
type Timing struct {
	// Started is a time in RFC 3339.
	Started string  `json:"started" parquet:"started"`
	Seconds float64 `json:"seconds" parquet:"seconds"`
	// Cores that the process could use; other runs may have shared them.
	Cores int64 `json:"cores" parquet:"cores"`
}
