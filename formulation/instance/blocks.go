package instance

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
)

// BlockSchedule is a plan that runs once, written as blocks: patterns that repeat. It stands
// for its expansion, [BlockSchedule.Expand], the plain [Schedule] in which every
// repeat is written out. The package check decides whether it is valid without expanding it.
type BlockSchedule struct {
	// Residency[j] lists the k distinct GPUs of job j, ascending.
	Residency [][]GPUID
	// Blocks in any order, except that those with iterations of the same job come in the order
	// of these iterations.
	Blocks []Block
}

// Block is a cyclic schedule: a pattern of tasks and synchronisations that is done
// Repeats times, each time a Period after the last. Repeat m = 0, 1, ... of what starts at
// tick t of the pattern starts at Start + m x Period + t.
type Block struct {
	Start Tick
	// Period is at least 1 if Repeats is above 1; it is 0 for a pattern that is done once.
	Period  Tick
	Repeats int64
	// Tasks and Syncs of the pattern: times count from Start, and the iterations of a job
	// from 1 in every block. They may pass the period, as in a periodic plan.
	Tasks []Task
	Syncs []Sync
}

// LastStart returns when the last repeat starts, after Start.
func (b *Block) LastStart() Tick { return Tick(b.Repeats-1) * b.Period }

// Of returns the part of a block that belongs to some jobs: job returns the new number of a job, or -1 to leave it out.
func (b Block) Of(job func(JobID) JobID) Block {
	tasks, syncs := b.Tasks, b.Syncs
	b.Tasks, b.Syncs = nil, nil
	for _, t := range tasks {
		if t.Job = job(t.Job); t.Job >= 0 {
			b.Tasks = append(b.Tasks, t)
		}
	}
	for _, y := range syncs {
		if y.Job = job(y.Job); y.Job >= 0 {
			b.Syncs = append(b.Syncs, y)
		}
	}
	return b
}

// Block returns a plain schedule that runs once as a single block without repeats.
func (s *Schedule) Block() *BlockSchedule {
	return &BlockSchedule{Residency: s.Residency, Blocks: []Block{{Repeats: 1, Tasks: s.Tasks, Syncs: s.Syncs}}}
}

// Tasks returns how many tasks the expansion has, saturating.
func (s *BlockSchedule) Tasks() int64 {
	sum := int64(0)
	for i := range s.Blocks {
		b := &s.Blocks[i]
		sum += min(saturatingMul(int64(len(b.Tasks)), b.Repeats), 1<<62-sum)
	}
	return sum
}

// Expand writes out all repeats of a schedule whose jobs are those of the instance. It is an error if there would be more than [MostWritten] tasks.
func (s *BlockSchedule) Expand(in *Instance) (*Schedule, error) {
	if tasks := s.Tasks(); tasks > MostWritten {
		return nil, fmt.Errorf("instance: written out, the plan has %d tasks, more than %d", tasks, MostWritten)
	}
	e := &Schedule{Residency: s.Residency}
	done := make([]int, len(in.Jobs)) // iterations, by job
	for i := range s.Blocks {
		b := &s.Blocks[i]
		per := b.IterationsOf()
		for m := range b.Repeats {
			shift := b.Start + Tick(m)*b.Period
			for _, t := range b.Tasks {
				t.Iteration += done[t.Job] + int(m)*per[t.Job]
				t.Start, t.End = t.Start+shift, t.End+shift
				e.Tasks = append(e.Tasks, t)
			}
			for _, y := range b.Syncs {
				y.Iteration += done[y.Job] + int(m)*per[y.Job]
				y.Start, y.End = y.Start+shift, y.End+shift
				e.Syncs = append(e.Syncs, y)
			}
		}
		for j, n := range per {
			done[j] += n * int(b.Repeats)
		}
	}
	e.Sort()
	return e, nil
}

// IterationsOf returns how many iterations each job does in a repeat, if it does any.
func (b *Block) IterationsOf() map[JobID]int {
	per := map[JobID]int{}
	for _, t := range b.Tasks {
		per[t.Job] = max(per[t.Job], t.Iteration)
	}
	for _, y := range b.Syncs {
		per[y.Job] = max(per[y.Job], y.Iteration)
	}
	return per
}

// Sort brings residencies, and the tasks and syncs of each block, into their canonical
// order, and sorts blocks by their starts as far as the order of each job's own blocks allows.
func (s *BlockSchedule) Sort() {
	for _, gpus := range s.Residency {
		slices.Sort(gpus)
	}
	for i := range s.Blocks {
		slices.SortFunc(s.Blocks[i].Tasks, Task.Compare)
		slices.SortFunc(s.Blocks[i].Syncs, Sync.Compare)
	}
	slices.SortStableFunc(s.Blocks, func(a, b Block) int { return cmp.Compare(a.Start, b.Start) })
}

// Spans returns when every job runs: from the start of its first
// task to the end of its last synchronisation, or task. In a valid schedule the job
// has been in residence since from[j] - Load.
func (s *BlockSchedule) Spans(in *Instance) (from, to []Tick) {
	from = make([]Tick, len(in.Jobs))
	for j := range from {
		from[j] = -1
	}
	for i := range s.Blocks {
		b := &s.Blocks[i]
		for _, t := range b.Tasks {
			if start := b.Start + t.Start; from[t.Job] < 0 || start < from[t.Job] {
				from[t.Job] = start
			}
		}
	}
	for j := range from {
		from[j] = max(0, from[j])
	}
	return from, s.Completion(in)
}

// EndsOf returns when each of a number of jobs ends in blocks; 0 for jobs that are in none.
func EndsOf(blocks []Block, jobs int) []Tick {
	ends := make([]Tick, jobs)
	for i := range blocks {
		b := &blocks[i]
		last := b.Start + b.LastStart()
		for _, t := range b.Tasks {
			ends[t.Job] = max(ends[t.Job], last+t.End)
		}
		for _, y := range b.Syncs {
			ends[y.Job] = max(ends[y.Job], last+y.End)
		}
	}
	return ends
}

// Completion implements [Plan].
func (s *BlockSchedule) Completion(in *Instance) []Tick { return EndsOf(s.Blocks, len(in.Jobs)) }

// Makespan implements [Plan].
func (s *BlockSchedule) Makespan(in *Instance) Tick {
	return slices.Max(append(s.Completion(in), 0))
}

func (s *BlockSchedule) value(in *Instance) *big.Rat { return in.ValueAt(s.Completion(in)) }

// Efficiency implements [Plan].
func (s *BlockSchedule) Efficiency(in *Instance) float64 {
	iterations := make([]int, len(in.Jobs))
	for j := range iterations {
		iterations[j] = in.Jobs[j].Iterations
	}
	return in.efficiency(s.Residency, iterations, s.Makespan(in))
}
