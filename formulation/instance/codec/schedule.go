package codec

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"

	"jigsaw/formulation/instance"
)

// ScheduleJSON is the form that a [Schedule] has in files and results: jobs by
// name, depths in layers, rates as fractions of the slowest link, times in
// ticks.
type ScheduleJSON struct {
	// Period of a periodic plan in ticks; absent from a plan that runs once.
	Period instance.Tick `json:"period,omitempty"`
	// Residency lists the GPUs of every job.
	Residency map[string][]instance.GPUID `json:"residency"`
	// Tasks and Syncs of a plan that writes out every one.
	Tasks []TaskJSON `json:"tasks,omitzero"`
	Syncs []SyncJSON `json:"syncs,omitzero"`
	// Blocks, in place of tasks and syncs, of a plan whose patterns repeat.
	Blocks []BlockJSON `json:"blocks,omitzero"`
}

// BlockJSON is a [Block] in a file.
type BlockJSON struct {
	Start instance.Tick `json:"start"`
	// Period from one repeat to the next, in ticks; absent where there is one.
	Period  instance.Tick `json:"period,omitempty"`
	Repeats int64         `json:"repeats"`
	// Jobs is the pattern, which is one repeat, by job.
	Jobs []JobPatternJSON `json:"jobs,omitzero"`
	// Tasks and Syncs, in place of jobs, of a pattern that is written out: times count from Start, and the iterations of a job
	// from 1 in every block.
	Tasks []TaskJSON `json:"tasks,omitzero"`
	Syncs []SyncJSON `json:"syncs,omitzero"`
}

// TaskJSON is a [Task] in a file.
type TaskJSON struct {
	Job string `json:"job"`
	// Iteration counts from 1.
	Iteration int            `json:"iteration"`
	GPU       instance.GPUID `json:"gpu"`
	// Depth is the number of layers back-propagated, counted from the loss.
	Depth int           `json:"depth"`
	Start instance.Tick `json:"start"`
	End   instance.Tick `json:"end"`
}

// SyncJSON is a [Sync] in a file.
type SyncJSON struct {
	Job string `json:"job"`
	// Iteration counts from 1.
	Iteration int           `json:"iteration"`
	Start     instance.Tick `json:"start"`
	End       instance.Tick `json:"end"`
	// Rate is the share of the slowest link on the routes: 1, 0.5, 0.25.
	Rate float64 `json:"rate"`
}

// NewScheduleJSON returns the form of a plan in files, for use inside larger results.
// The plan must refer to jobs and depths of the instance.
func NewScheduleJSON(in *instance.Instance, p instance.Plan) *ScheduleJSON {
	if s, ok := p.(*instance.Schedule); ok {
		f := &ScheduleJSON{Period: s.Period, Residency: homesJSON(in, s.Residency)}
		f.Tasks, f.Syncs = patternJSON(in, s.Tasks, s.Syncs)
		return f
	}
	s := p.(*instance.BlockSchedule)
	f := &ScheduleJSON{Residency: homesJSON(in, s.Residency), Blocks: make([]BlockJSON, len(s.Blocks))}
	for i := range s.Blocks {
		b := &s.Blocks[i]
		f.Blocks[i] = BlockJSON{Start: b.Start, Period: b.Period, Repeats: b.Repeats}
		if jobs, ok := jobPatterns(in, s.Residency, b); ok {
			f.Blocks[i].Jobs = jobs
		} else {
			f.Blocks[i].Tasks, f.Blocks[i].Syncs = patternJSON(in, b.Tasks, b.Syncs)
		}
	}
	return f
}

func homesJSON(in *instance.Instance, residency [][]instance.GPUID) map[string][]instance.GPUID {
	homes := make(map[string][]instance.GPUID, len(residency))
	for j, gpus := range residency {
		homes[in.Jobs[j].Name] = append([]instance.GPUID{}, gpus...)
	}
	return homes
}

func patternJSON(in *instance.Instance, tasks []instance.Task, syncs []instance.Sync) ([]TaskJSON, []SyncJSON) {
	t, y := make([]TaskJSON, len(tasks)), make([]SyncJSON, len(syncs))
	for i := range tasks {
		t[i] = taskJSON(in, tasks[i])
	}
	for i := range syncs {
		y[i] = syncJSON(in, syncs[i])
	}
	return t, y
}

func taskJSON(in *instance.Instance, t instance.Task) TaskJSON {
	j := &in.Jobs[t.Job]
	return TaskJSON{j.Name, t.Iteration, t.GPU, j.Depths[t.Depth].Layers, t.Start, t.End}
}

func syncJSON(in *instance.Instance, y instance.Sync) SyncJSON {
	return SyncJSON{in.Jobs[y.Job].Name, y.Iteration, y.Start, y.End, share(y.Rate)}
}

// share returns 1/n.
func share(l instance.RateLevel) float64 { return 1 / float64(l) }

// EncodeSchedule writes s as a JSON object of the form of [ScheduleJSON], in
// the order of the schedule, one job, task or sync per line.
func EncodeSchedule(w io.Writer, in *instance.Instance, s *instance.Schedule) error {
	if err := refers(in, s); err != nil {
		return err
	}
	b := bufio.NewWriter(w)
	b.WriteString("{\n")
	if s.Period != 0 {
		fmt.Fprintf(b, "  \"period\": %d,\n", s.Period)
	}
	err := writeLines(b, "residency", "{}", len(s.Residency), func(j int) (any, any) {
		return in.Jobs[j].Name, append([]instance.GPUID{}, s.Residency[j]...)
	})
	b.WriteString(",\n")
	if err == nil {
		err = writeLines(b, "tasks", "[]", len(s.Tasks), func(i int) (any, any) { return nil, taskJSON(in, s.Tasks[i]) })
	}
	b.WriteString(",\n")
	if err == nil {
		err = writeLines(b, "syncs", "[]", len(s.Syncs), func(i int) (any, any) { return nil, syncJSON(in, s.Syncs[i]) })
	}
	b.WriteString("\n}\n")
	if err == nil {
		err = b.Flush()
	}
	if err != nil {
		return fmt.Errorf("instance: %w", err)
	}
	return nil
}

// writeLines writes a field that holds n entries in the given brackets, each
// on a line. The key of an entry is nil in a list.
func writeLines(b *bufio.Writer, name, brackets string, n int, entry func(i int) (key, value any)) error {
	fmt.Fprintf(b, "  %q: %c", name, brackets[0])
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString("\n    ")
		key, value := entry(i)
		if key != nil {
			text, err := json.Marshal(key)
			if err != nil {
				return err
			}
			b.Write(text)
			b.WriteString(": ")
		}
		text, err := json.Marshal(value)
		if err != nil {
			return err
		}
		if _, err := b.Write(text); err != nil {
			return err
		}
	}
	if n > 0 {
		b.WriteString("\n  ")
	}
	return b.WriteByte(brackets[1])
}

// refers checks that the schedule's indices are those of the instance.
func refers(in *instance.Instance, s *instance.Schedule) error {
	job := func(j instance.JobID) bool { return j >= 0 && int(j) < len(in.Jobs) }
	if len(s.Residency) != len(in.Jobs) {
		return fmt.Errorf("instance: the schedule has residencies of %d jobs, the instance has %d jobs", len(s.Residency), len(in.Jobs))
	}
	for i, t := range s.Tasks {
		if !job(t.Job) || t.Depth < 0 || t.Depth >= len(in.Jobs[t.Job].Depths) {
			return fmt.Errorf("instance: tasks[%d]: job %d at depth %d is not of the instance", i, t.Job, t.Depth)
		}
	}
	for i, y := range s.Syncs {
		if !job(y.Job) || y.Rate < 1 {
			return fmt.Errorf("instance: syncs[%d]: job %d at level %d is not of the instance", i, y.Job, y.Rate)
		}
	}
	return nil
}
