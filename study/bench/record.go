package bench

import "fmt"

// JigSaw is the name of our own planner among the solvers.
const JigSaw = "jigsaw"

// Failed is the status of a row whose solver ended without a trustworthy
// result; [Record.Error] says why.
const Failed = "failed"

// Record is the outcome of one solver on one row. Times are in seconds, memory
// in bytes. What is unknown is absent.
type Record struct {
	Row
	Solver string `json:"solver"`
	// Digest of the instance; see [Case.Digest].
	Digest string `json:"digest"`
	// Limit on the solver's time.
	Limit float64 `json:"limit"`
	// Work and Without as in [Way].
	Work    int    `json:"work,omitempty"`
	Without string `json:"without,omitempty"`

	// Status is optimal, feasible, infeasible, limit or failed.
	Status string `json:"status"`
	Error  string `json:"error,omitempty"`
	// Primal is the value of the best schedule, Dual the proven bound.
	Primal *float64 `json:"primal,omitempty"`
	Dual   *float64 `json:"dual,omitempty"`
	// Certified says that exact arithmetic confirmed the bound.
	Certified bool `json:"certified,omitempty"`
	// Relaxed says that the solver's model omits some rules: its bound is valid,
	// but its primal value need not belong to a schedule.
	Relaxed bool     `json:"relaxed,omitempty"`
	Gap     *float64 `json:"gap,omitempty"`
	// Optimum known by construction.
	Optimum *float64 `json:"optimum,omitempty"`
	// Greedy is the value of the list schedule from which the search starts.
	Greedy *float64 `json:"greedy,omitempty"`
	// Values of the baselines beside the plan.
	Queue           *float64 `json:"queue,omitempty"`
	Exclusive       *float64 `json:"exclusive,omitempty"`
	InterleavedFull *float64 `json:"interleaved_full,omitempty"`
	Efficiency      *float64 `json:"efficiency,omitempty"`

	// Wall is the time the solver took, without reading its input.
	Wall float64 `json:"wall"`
	// CPU is the processor time of the process, its input included.
	CPU float64 `json:"cpu,omitempty"`
	// Model is the time to write the solver's input, if it needs one.
	Model float64 `json:"model,omitempty"`
	// TimeToOptimum is when the solver ended with a proven optimum, within its
	// limit; TimeTo5, 2 and 1 are when the gap was at most that many percent.
	TimeToOptimum *float64 `json:"time_to_optimum,omitempty"`
	TimeTo5       *float64 `json:"time_to_5,omitempty"`
	TimeTo2       *float64 `json:"time_to_2,omitempty"`
	TimeTo1       *float64 `json:"time_to_1,omitempty"`
	// PeakMemory is the largest resident set of the solver's process.
	PeakMemory int64 `json:"peak_memory,omitempty"`
	// PlanFile is the size of the plan as JSON, for plans in blocks.
	PlanFile int64 `json:"plan_file,omitempty"`
	// Columns of the restricted master, and nodes of the search tree.
	Columns *int64 `json:"columns,omitempty"`
	Nodes   *int64 `json:"nodes,omitempty"`

	Version string `json:"version,omitempty"` // of a peer
	Origin
}

// key identifies a measurement, so that it is not repeated.
type key struct {
	Row
	solver, digest, without string
	limit                   float64
	work                    int
}

func (r *Record) key() key { return key{r.Row, r.Solver, r.Digest, r.Without, r.Limit, r.Work} }

// Read returns the records of the files of JSON Lines. Of records of the same row, solver, limit,
// work and methods left out the last one counts. A file that does not exist contains none.
func Read(files ...string) ([]Record, error) {
	return ReadLast(func(r *Record) key {
		k := r.key()
		k.digest = "" // an instance that the generators no longer make is outdated
		return k
	}, files...)
}

// Comparable returns an error if a table of the records would compare or mix
// different things: the time limits of a size, or the instance of a row, for any
// solver.
func Comparable(records []Record) error {
	limits, instances := map[string]*Record{}, map[Row]*Record{}
	for i := range records {
		r := &records[i]
		if o := limits[r.Size]; o != nil && o.Limit != r.Limit {
			return fmt.Errorf("bench: rows of size %s have limits of %g s and of %g s: keep them in files of their own, and make a table of each", r.Size, o.Limit, r.Limit)
		}
		if o := limits[r.Size]; o != nil && (o.Work != r.Work || o.Without != r.Without) {
			return fmt.Errorf("bench: rows of size %s were made by different methods or work: `bench ablation` compares them", r.Size)
		}
		limits[r.Size] = r
		if r.Digest == "" {
			continue // it failed before there was an instance
		}
		if o := instances[r.Row]; o != nil && o.Digest != r.Digest {
			return fmt.Errorf("bench: %v was another instance for %s than for %s: the generators changed in between; measure both again", r.Row, o.Solver, r.Solver)
		}
		instances[r.Row] = r
	}
	return nil
}
