package codec

import (
	"encoding/json"
	"slices"
	"strconv"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/strictjson"
)

// JobPatternJSON is what one job does in a repeat of a [Block], in columns: a tenth of the size of its
// tasks and syncs written out. The ends of tasks follow from their depths. Depths, SyncTimes
// and Rates that repeat are written once: a list that is shorter than the number of tasks, or of syncs, starts
// again from its beginning, and that number has to be a multiple of its length.
type JobPatternJSON struct {
	Job string `json:"job"`
	// Starts of the tasks, counted from the start of the block: those of the first iteration, in the order in
	// which the residency lists the job's GPUs, then those of the second.
	Starts []instance.Tick `json:"starts"`
	// Depths of the tasks, in layers.
	Depths []int `json:"depths"`
	// Syncs are the starts of the synchronisations, one for each iteration; absent if the job has none.
	Syncs []instance.Tick `json:"syncs,omitzero"`
	// SyncTimes are how long the synchronisations take, in ticks.
	SyncTimes []instance.Tick `json:"sync_times,omitzero"`
	// Rates are shares of the slowest link on the routes.
	Rates []float64 `json:"rates,omitzero"`
}

// jobPatterns returns the pattern of a block by job. It is not ok if tasks or syncs of the block are not
// complete and in order, or a task does not take the time of its depth: these have to be written out.
func jobPatterns(in *instance.Instance, residency [][]instance.GPUID, b *instance.Block) (jobs []JobPatternJSON, ok bool) {
	jobs = []JobPatternJSON{}
	tasks, syncs, last := b.Tasks, b.Syncs, instance.NoJob
	for len(tasks) > 0 {
		j := tasks[0].Job
		if j <= last {
			return nil, false
		}
		last = j
		gpus, p := residency[j], JobPatternJSON{Job: in.Jobs[j].Name}
		for ; len(tasks) > 0 && tasks[0].Job == j; tasks = tasks[1:] {
			t, n := tasks[0], len(p.Starts)
			if len(gpus) == 0 || t.Iteration != n/len(gpus)+1 || t.GPU != gpus[n%len(gpus)] || in.Jobs[j].On[in.GPUs[t.GPU].Type] == nil ||
				t != in.Task(j, t.Iteration, t.GPU, t.Depth, t.Start) {
				return nil, false
			}
			p.Starts = append(p.Starts, t.Start)
			p.Depths = append(p.Depths, in.Jobs[j].Depths[t.Depth].Layers)
		}
		for ; len(syncs) > 0 && syncs[0].Job == j; syncs = syncs[1:] {
			y := syncs[0]
			if p.Syncs = append(p.Syncs, y.Start); y.Iteration != len(p.Syncs) || y.End < y.Start {
				return nil, false
			}
			p.SyncTimes, p.Rates = append(p.SyncTimes, y.End-y.Start), append(p.Rates, share(y.Rate))
		}
		if n := len(p.Syncs); n > 0 && n*len(gpus) != len(p.Starts) || len(p.Starts)%len(gpus) != 0 {
			return nil, false
		}
		p.Depths, p.SyncTimes, p.Rates = once(p.Depths), once(p.SyncTimes), once(p.Rates)
		jobs = append(jobs, p)
	}
	return jobs, len(syncs) == 0
}

// once returns the shortest list that, repeated, gives the list.
func once[E comparable](list []E) []E {
	for n := 1; n < len(list); n++ {
		if len(list)%n == 0 && slices.Equal(list[n:], list[:len(list)-n]) {
			return list[:n]
		}
	}
	return list
}

// Names of a job pattern's fields, in the order of the indices used in their decoder, and how many of them are required.
var jobPatternFields = []string{"job", "starts", "depths", "syncs", "sync_times", "rates"}

const jobPatternRequired = 3

// mostPatternTasks bounds the tasks that the patterns of a file stand for, half a GiB of them: a task takes few bytes there.
const mostPatternTasks = 10_000_000

// jobPattern is a job pattern that was read: its tasks are known once the job's GPUs are.
type jobPattern struct {
	block, index int
	at           strictjson.Position
	columns      patternColumns
	job          instance.JobID
}

// patternColumns are the lists of a job pattern.
type patternColumns struct {
	starts, syncs, syncTimes []instance.Tick
	layers                   []int
	rates                    []instance.RateLevel
}

// fileJobPattern keeps the pattern that was read, which is of the block after those kept.
func (d *scheduleDecoder) fileJobPattern() {
	if len(d.problems) > 0 {
		return
	}
	if d.patternTasks += len(d.entry.columns.starts); d.patternTasks > mostPatternTasks {
		d.bad("starts", "the patterns of the plan have more than %d tasks", mostPatternTasks)
		return
	}
	d.patterns = append(d.patterns, jobPattern{len(d.blocks), d.index, d.fields[0], d.entry.columns, d.entry.job})
}

// expand gives blocks the tasks and syncs of the job patterns. Without problems all GPUs have been read.
func (d *scheduleDecoder) expand() {
	for i := range d.patterns {
		p := &d.patterns[i]
		d.list, d.index = "blocks["+strconv.Itoa(p.block)+"].jobs", p.index
		d.expandPattern(p, &d.blocks[p.block])
	}
}

func (d *scheduleDecoder) expandPattern(p *jobPattern, b *instance.Block) {
	c, job, gpus := &p.columns, &d.in.Jobs[p.job], d.s.Residency[p.job]
	bad := func(field, format string, args ...any) { d.badAt(p.at, field, format, args...) }
	tasks := len(c.starts)
	if len(gpus) == 0 || tasks == 0 || tasks%len(gpus) != 0 {
		bad("starts", "%d starts are not whole iterations on the %d GPUs of %q", tasks, len(gpus), instance.Clip(job.Name))
		return
	}
	iterations := tasks / len(gpus)
	if n := len(c.syncs); n != 0 && n != iterations {
		bad("syncs", "%d syncs are not one for each of %d iterations", n, iterations)
		return
	}
	for _, column := range []struct {
		name     string
		have, of int
	}{{"depths", len(c.layers), tasks}, {"sync_times", len(c.syncTimes), len(c.syncs)}, {"rates", len(c.rates), len(c.syncs)}} {
		if column.have != column.of && (column.have == 0 || column.of%column.have != 0) {
			bad(column.name, "a list of %d, repeated, does not give one of %d", column.have, column.of)
			return
		}
	}
	depths := make([]int, len(c.layers))
	for i, layers := range c.layers {
		if depths[i] = d.depth(p.at, "depths", job, layers); depths[i] < 0 {
			return
		}
	}
	for i, start := range c.starts {
		g := gpus[i%len(gpus)]
		if job.On[d.in.GPUs[g].Type] == nil {
			bad("job", "%q cannot run on GPU %d", instance.Clip(job.Name), g)
			return
		}
		b.Tasks = append(b.Tasks, d.in.Task(p.job, i/len(gpus)+1, g, depths[i%len(depths)], start))
	}
	for i, start := range c.syncs {
		b.Syncs = append(b.Syncs, instance.Sync{Job: p.job, Iteration: i + 1, Start: start, End: start + c.syncTimes[i%len(c.syncTimes)], Rate: c.rates[i%len(c.rates)]})
	}
}

// column reads a list of values.
func column[E any](d *scheduleDecoder, field string, first json.Token, read func(field string, first json.Token) (E, error)) (list []E, err error) {
	if first != json.Delim('[') {
		d.bad(field, "expected a list")
		return nil, d.j.Skip(first)
	}
	err = d.j.Array(func(_ int, first json.Token) error {
		value, err := read(field, first)
		if len(d.problems) == 0 {
			list = append(list, value)
		}
		return err
	})
	return list, err
}
