package list

import (
	"context"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics/placement"
	"jigsaw/heuristics/state"
)

// Decision is everything that a decoder needs to make one definite schedule.
// Searches change decisions, never schedules.
type Decision struct {
	// Counts[j] is the depth multiset of job j in every iteration.
	Counts [][]int
	Where  *placement.Placement
	// Job j's iteration i = 0.. has the priority key Base[j] + i*Slope[j];
	// lower goes first, ties by job index.
	Base, Slope []int64
	// rule is the source of Base and Slope, up to changes of single jobs.
	rule Rule
	// Patience, in quarters: a GPU stays idle instead of starting a task if a job
	// with a better key comes back within that fraction of the task's length. 0
	// never waits.
	Patience int
	// eager: a synchronisation reserves its links as soon as the last task before
	// it starts, so that those with worse keys do not delay it.
	eager bool
	// lead, in quarters of its longest task, unless 0: while a job's next synchronisation has to wait for those of others, its
	// tasks yield to others until that long before its turn; see [Dispatcher.foresee].
	lead int
	// Even: the deep tasks of an iteration go to the GPUs with the least work left,
	// not to the first to start.
	Even bool
	// Slow[j] is the fastest rate level that job j may use, as an index into
	// Instance.RateLevels, so that others may share its links; nil: all levels.
	Slow []uint8
	// Latest, unless 0, lets the event-driven decoder give up once the makespan
	// appears to exceed it.
	Latest instance.Tick
	// Strict: no job enters memory before one with a better key that waits for a GPU of its own.
	Strict bool
	// serial selects the serial decoder; see insertion.go.
	serial bool
}

// key returns the priority key of iteration i of job j.
func (d *Decision) key(j int32, i int32) int64 {
	return d.Base[j] + int64(i)*d.Slope[j]
}

// fastest returns the index of the fastest rate level that job j may use.
func (d *Decision) fastest(j int) int {
	if d.Slow == nil {
		return 0
	}
	return int(d.Slow[j])
}

// slowDown makes a level the fastest that job j may use. It copies the levels, which other decisions may share.
func (d *Decision) slowDown(in *instance.Instance, j instance.JobID, level uint8) {
	before := d.Slow
	d.Slow = make([]uint8, len(in.Jobs))
	copy(d.Slow, before)
	d.Slow[j] = level
}

// syncs appends the rate levels at which job j may synchronise.
func (d *Decision) syncs(list []state.SyncLevel, in *instance.Instance, j int) []state.SyncLevel {
	return state.AppendSyncLevels(list, in, &in.Jobs[j], d.Counts[j], &d.Where.Span[j], d.fastest(j))
}

// decoder turns decisions into schedules. It keeps its memory from call to
// call; one decoder serves one goroutine.
type decoder interface {
	// Decode fills out. The error is that of the context.
	Decode(ctx context.Context, d *Decision, out *Record) error
}
