package codec

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/strictjson"
)

// maxScheduleBytes bounds a schedule file. A million tasks written out are about 80 MB.
const maxScheduleBytes = 512 << 20

// Names of a schedule's fields, in the order of the indices used below.
var (
	scheduleFields = []string{"period", "residency", "tasks", "syncs", "blocks"}
	blockFields    = []string{"start", "period", "repeats", "tasks", "syncs", "jobs"}
	taskFields     = []string{"job", "iteration", "gpu", "depth", "start", "end"}
	syncFields     = []string{"job", "iteration", "start", "end", "rate"}
)

// DecodeSchedule reads a schedule of the instance: a JSON object of the form
// of [ScheduleJSON], or any JSON object that has such an object under the key
// "schedule", like the result of a plan, whose other keys are ignored.
//
// It is strict about the schedule itself: unknown, repeated and missing keys,
// unknown jobs, GPUs, depths and rates are mistakes, reported together as
// [instance.Problems] with line and column. Whether the schedule is valid is for
// package check to say. The schedule comes back sorted, see [instance.Schedule.Sort]. The
// file is read as a stream of at most 512 MiB.
//
// A plan in blocks is refused; [DecodePlan] reads it.
func DecodeSchedule(in *instance.Instance, r io.Reader) (*instance.Schedule, error) {
	p, err := DecodePlan(in, r)
	if err != nil {
		return nil, err
	}
	s, ok := p.(*instance.Schedule)
	if !ok {
		return nil, whole("the schedule is one in blocks, and here every task has to be written out")
	}
	return s, nil
}

// DecodePlan is [DecodeSchedule] for plans of either form.
func DecodePlan(in *instance.Instance, r io.Reader) (instance.Plan, error) {
	limited := &io.LimitedReader{R: r, N: maxScheduleBytes + 1}
	d, err := decodeSchedule(in, bufio.NewReader(limited))
	if limited.N == 0 {
		return nil, whole("the schedule is larger than %d MiB", maxScheduleBytes>>20)
	}
	if err != nil {
		return nil, err
	}
	return d.schedule()
}

func decodeSchedule(in *instance.Instance, r *bufio.Reader) (*scheduleDecoder, error) {
	start, err := r.Peek(3)
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		return nil, fmt.Errorf("instance: %w", err)
	case string(start) == "\uFEFF":
		_, _ = r.Discard(len(start)) // they were peeked at
	case bytes.HasPrefix(start, []byte("\xff\xfe")) || bytes.HasPrefix(start, []byte("\xfe\xff")):
		return nil, whole("the file is UTF-16; save it as UTF-8")
	}
	j := strictjson.NewReader(r)
	jobs := make(map[string]instance.JobID, len(in.Jobs))
	for id := range in.Jobs {
		jobs[in.Jobs[id].Name] = instance.JobID(id)
	}
	bare := &scheduleDecoder{in: in, jobs: jobs, j: j}
	var inner *scheduleDecoder // what the key "schedule" holds
	// Whatever else it is, it is no JSON object.
	if first, _ := j.Token(); first != json.Delim('{') {
		return nil, j.Fail("a schedule is a JSON object, as jigsaw plan -o json prints; it begins with {")
	}
	err = j.Object(func(key strictjson.Key, first json.Token) error {
		if key.Name != "schedule" {
			return bare.member(key, first)
		}
		if inner != nil {
			return j.Fail(`the key "schedule" is given twice`)
		}
		if first == nil {
			return j.Fail("the plan holds no schedule")
		}
		inner = &scheduleDecoder{in: in, jobs: jobs, j: j, prefix: "schedule."}
		if first != json.Delim('{') {
			return j.Fail(`the key "schedule" must hold an object`)
		}
		return j.Object(inner.member)
	})
	if err != nil {
		return nil, err
	}
	if err := j.Finish(); err != nil {
		return nil, err
	}
	if inner != nil {
		return inner, nil
	}
	return bare, nil
}

// scheduleDecoder reads the keys of one schedule object.
type scheduleDecoder struct {
	in     *instance.Instance
	jobs   map[string]instance.JobID
	j      *strictjson.Reader
	prefix string

	s        instance.Schedule
	blocks   []instance.Block
	seen     uint64 // bit i for scheduleFields[i]
	patterns []jobPattern
	// patternTasks is how many tasks the patterns stand for.
	patternTasks int
	problems     instance.Problems
	unknown      map[string]bool // jobs that the instance does not have, which is told of each once

	// The list and index that are being read, where the values of the entry's
	// fields are, and the entry itself.
	list   string
	index  int
	fields []strictjson.Position
	entry  entryValues
}

// entryValues are the values of a task's or a synchronisation's fields.
type entryValues struct {
	job        instance.JobID
	iteration  int
	gpu        instance.GPUID
	layers     int // the depth
	start, end instance.Tick
	rate       instance.RateLevel
	columns    patternColumns // of a job pattern
}

// bad reports a problem of a field of the current entry, or of the whole
// entry if field is empty, at the last token.
func (d *scheduleDecoder) bad(field, format string, args ...any) {
	d.badAt(d.j.At, field, format, args...)
}

func (d *scheduleDecoder) noJob(at strictjson.Position, field, name string) {
	if d.unknown == nil {
		d.unknown = map[string]bool{}
	}
	if !d.unknown[name] {
		d.unknown[name] = true
		d.badAt(at, field, "the instance has no job %q", instance.Clip(name))
	}
}

func (d *scheduleDecoder) badAt(at strictjson.Position, field, format string, args ...any) {
	if len(d.problems) >= instance.MaxProblems {
		return
	}
	path := d.prefix + d.list
	if d.index >= 0 {
		path += "[" + strconv.Itoa(d.index) + "]"
	}
	if field != "" {
		path += "." + field
	}
	d.problems = append(d.problems, instance.Problem{
		Path: strings.Trim(path, "."), Line: at.Line, Column: at.Column, Message: fmt.Sprintf(format, args...),
	})
}

// schedule returns what was read, or what is wrong with it.
func (d *scheduleDecoder) schedule() (instance.Plan, error) {
	d.list, d.index = "", -1
	given := func(name string) bool { return d.seen&(1<<slices.Index(scheduleFields, name)) != 0 }
	for _, name := range scheduleFields {
		switch {
		case name == "period" || name == "blocks":
			if name == "period" && given(name) && given("blocks") {
				d.bad("", "the keys \"period\" and \"blocks\" are both given; each block has its own period")
			}
		case name == "residency" || !given("blocks"):
			if !given(name) {
				d.bad("", "the key %q is missing", name)
			}
		case given(name):
			d.bad("", "the keys %q and \"blocks\" are both given; blocks have their own", name)
		}
	}
	if len(d.problems) == 0 {
		d.expand()
	}
	if len(d.problems) > 0 {
		d.problems.Sort()
		return nil, d.problems
	}
	if given("blocks") {
		s := &instance.BlockSchedule{Residency: d.s.Residency, Blocks: d.blocks}
		s.Sort()
		return s, nil
	}
	d.s.Sort()
	return &d.s, nil
}

// key finds a key among those known and reports unknown and repeated ones.
func (d *scheduleDecoder) key(key strictjson.Key, known []string, seen *uint64) (i int, ok bool) {
	i = slices.Index(known, key.Name)
	switch {
	case i < 0:
		before := len(d.problems)
		d.badAt(key.At, "", "unknown key %q; the keys here are %s", instance.Clip(key.Name), strings.Join(known, ", "))
		if len(d.problems) > before {
			d.problems[before].Unknown = []string{key.Name}
		}
	case *seen&(1<<i) != 0:
		d.badAt(key.At, "", "the key %q is given twice", key.Name)
	default:
		*seen |= 1 << i
		return i, true
	}
	return i, false
}

// member reads one key of the schedule object.
func (d *scheduleDecoder) member(key strictjson.Key, first json.Token) error {
	d.list, d.index = "", -1
	i, ok := d.key(key, scheduleFields, &d.seen)
	if !ok {
		return d.j.Skip(first)
	}
	d.list = key.Name
	switch scheduleFields[i] {
	case "period":
		period, err := d.integer("", first, 1, int64(instance.MaxTime))
		d.s.Period = instance.Tick(period)
		return err
	case "residency":
		return d.residency(first)
	case "tasks":
		return d.entries(first, taskFields, len(taskFields), d.fileTask)
	case "blocks":
		return d.blockList(first)
	}
	return d.entries(first, syncFields, len(syncFields), d.fileSync)
}

// blockList reads a list of blocks. Lists within the block are read as those of a
// schedule of their own, which the block takes.
func (d *scheduleDecoder) blockList(first json.Token) error {
	if first != json.Delim('[') {
		d.bad("", "expected a list")
		return d.j.Skip(first)
	}
	return d.j.Array(func(index int, first json.Token) error {
		d.list, d.index = "blocks", index
		if first != json.Delim('{') {
			d.bad("", "expected an object with the keys %s", strings.Join(blockFields, ", "))
			return d.j.Skip(first)
		}
		start, seen, b := d.j.At, uint64(0), instance.Block{}
		err := d.j.Object(func(key strictjson.Key, first json.Token) error {
			d.list, d.index = "blocks", index
			i, ok := d.key(key, blockFields, &seen)
			if !ok {
				return d.j.Skip(first)
			}
			var err error
			switch name := blockFields[i]; name {
			case "start":
				b.Start, err = d.time(name, first)
			case "period":
				var period int64
				period, err = d.integer(name, first, 1, int64(instance.MaxTime))
				b.Period = instance.Tick(period)
			case "repeats":
				b.Repeats, err = d.integer(name, first, 1, instance.MaxIterations)
			case "tasks":
				d.list = fmt.Sprintf("blocks[%d].tasks", index)
				err = d.entries(first, taskFields, len(taskFields), d.fileTask)
				b.Tasks, d.s.Tasks = d.s.Tasks, nil
			case "syncs":
				d.list = fmt.Sprintf("blocks[%d].syncs", index)
				err = d.entries(first, syncFields, len(syncFields), d.fileSync)
				b.Syncs, d.s.Syncs = d.s.Syncs, nil
			case "jobs":
				d.list = fmt.Sprintf("blocks[%d].jobs", index)
				err = d.entries(first, jobPatternFields, jobPatternRequired, d.fileJobPattern)
			}
			return err
		})
		if err != nil {
			return err
		}
		d.list, d.index = "blocks", index
		given := func(name string) bool { return seen&(1<<slices.Index(blockFields, name)) != 0 }
		for _, name := range blockFields {
			switch out := name == "tasks" || name == "syncs"; {
			case out && given("jobs") && given(name):
				d.badAt(start, "", "the keys %q and \"jobs\" are both given; a pattern is written out or given by job", name)
			case given(name) || name == "period" || name == "jobs" || out && given("jobs"):
			default:
				d.badAt(start, "", "the key %q is missing", name)
			}
		}
		if len(d.problems) == 0 {
			d.blocks = append(d.blocks, b)
		}
		return nil
	})
}

func (d *scheduleDecoder) residency(first json.Token) error {
	d.s.Residency = make([][]instance.GPUID, len(d.in.Jobs))
	if first != json.Delim('{') {
		d.bad("", "expected an object that lists the GPUs of every job")
		return d.j.Skip(first)
	}
	seen := make([]bool, len(d.in.Jobs))
	return d.j.Object(func(key strictjson.Key, first json.Token) error {
		job, ok := d.jobs[key.Name]
		switch {
		case !ok:
			d.noJob(key.At, "", key.Name)
			return d.j.Skip(first)
		case seen[job]:
			d.badAt(key.At, "", "the job %q is given twice", instance.Clip(key.Name))
			return d.j.Skip(first)
		case first != json.Delim('['):
			d.bad("", "expected a list of the GPUs of %q", instance.Clip(key.Name))
			return d.j.Skip(first)
		}
		seen[job] = true
		return d.j.Array(func(_ int, first json.Token) error {
			gpu, err := d.gpu("", first)
			switch gpus := d.s.Residency[job]; {
			case len(d.problems) > 0:
			case len(gpus) == len(d.in.GPUs):
				d.bad("", "the job %q has more GPUs than the instance", instance.Clip(key.Name))
			default:
				d.s.Residency[job] = append(gpus, gpu)
			}
			return err
		})
	})
}

// entries reads a list of objects that have the given fields, the first of which are required. file keeps an entry
// that is complete.
func (d *scheduleDecoder) entries(first json.Token, fields []string, required int, file func()) error {
	if first != json.Delim('[') {
		d.bad("", "expected a list")
		return d.j.Skip(first)
	}
	d.fields = make([]strictjson.Position, len(fields))
	return d.j.Array(func(index int, first json.Token) error {
		d.index = index
		if first != json.Delim('{') {
			d.bad("", "expected an object with the keys %s", strings.Join(fields, ", "))
			return d.j.Skip(first)
		}
		before, seen := len(d.problems), uint64(0)
		start := d.j.At
		d.entry = entryValues{}
		err := d.j.Object(func(key strictjson.Key, first json.Token) error {
			i, ok := d.key(key, fields, &seen)
			if !ok {
				return d.j.Skip(first)
			}
			d.fields[i] = d.j.At
			return d.value(fields[i], first)
		})
		if err != nil {
			return err
		}
		for i, name := range fields[:required] {
			if seen&(1<<i) == 0 {
				d.badAt(start, "", "the key %q is missing", name)
			}
		}
		if len(d.problems) == before {
			file()
		}
		return nil
	})
}

// value reads the value of a field of a task, a synchronisation or a job pattern.
func (d *scheduleDecoder) value(field string, first json.Token) (err error) {
	e := &d.entry
	var n int64
	switch field {
	case "job":
		e.job, err = d.job(first)
	case "iteration":
		n, err = d.integer(field, first, 1, instance.MaxIterations)
		e.iteration = int(n)
	case "gpu":
		e.gpu, err = d.gpu(field, first)
	case "depth":
		e.layers, err = d.layers(field, first)
	case "start":
		e.start, err = d.time(field, first)
	case "end":
		e.end, err = d.time(field, first)
	case "rate":
		e.rate, err = d.rate(field, first)
	case "starts":
		e.columns.starts, err = column(d, field, first, d.time)
	case "depths":
		e.columns.layers, err = column(d, field, first, d.layers)
	case "syncs":
		e.columns.syncs, err = column(d, field, first, d.time)
	case "sync_times":
		e.columns.syncTimes, err = column(d, field, first, d.time)
	case "rates":
		e.columns.rates, err = column(d, field, first, d.rate)
	}
	return err
}

// fileTask translates the depth, which needs the job, and keeps the task.
func (d *scheduleDecoder) fileTask() {
	e := &d.entry
	depth := d.depth(d.fields[slices.Index(taskFields, "depth")], "depth", &d.in.Jobs[e.job], e.layers)
	// With a problem nothing more is kept, so that mistakes cannot fill memory.
	if len(d.problems) == 0 {
		d.s.Tasks = append(d.s.Tasks, instance.Task{Job: e.job, Iteration: e.iteration, GPU: e.gpu, Depth: depth, Start: e.start, End: e.end})
	}
}

// depth returns the index of a depth of a job, or -1 and reports that it is not allowed.
func (d *scheduleDecoder) depth(at strictjson.Position, field string, job *instance.Job, layers int) int {
	depth := slices.IndexFunc(job.Depths, func(depth instance.Depth) bool { return depth.Layers == layers })
	if depth < 0 {
		var allowed []string
		for _, depth := range job.Depths {
			allowed = append(allowed, strconv.Itoa(depth.Layers))
		}
		d.badAt(at, field, "%d layers are not an allowed depth of %q; it has %s", layers, instance.Clip(job.Name), strings.Join(allowed, ", "))
	}
	return depth
}

func (d *scheduleDecoder) fileSync() {
	if len(d.problems) == 0 {
		e := &d.entry
		d.s.Syncs = append(d.s.Syncs, instance.Sync{Job: e.job, Iteration: e.iteration, Start: e.start, End: e.end, Rate: e.rate})
	}
}

// integer reads a whole number in plain digits.
func (d *scheduleDecoder) integer(field string, first json.Token, least, most int64) (int64, error) {
	number, ok := first.(json.Number)
	if !ok {
		d.bad(field, "expected a whole number")
		return 0, d.j.Skip(first)
	}
	n, err := number.Int64()
	switch text := instance.Clip(string(number)); {
	case strings.ContainsAny(text, ".eE"):
		d.bad(field, "%s is not a whole number in plain decimal digits", text)
	case err != nil || n < least || n > most:
		d.bad(field, "%s is out of range; it goes from %d to %d", text, least, most)
	default:
		return n, nil
	}
	return 0, nil
}

func (d *scheduleDecoder) time(field string, first json.Token) (instance.Tick, error) {
	n, err := d.integer(field, first, 0, int64(instance.MaxTime))
	return instance.Tick(n), err
}

func (d *scheduleDecoder) layers(field string, first json.Token) (int, error) {
	n, err := d.integer(field, first, 1, math.MaxInt32)
	return int(n), err
}

func (d *scheduleDecoder) gpu(field string, first json.Token) (instance.GPUID, error) {
	n, err := d.integer(field, first, 0, int64(len(d.in.GPUs))-1)
	return instance.GPUID(n), err
}

func (d *scheduleDecoder) job(first json.Token) (instance.JobID, error) {
	name, ok := first.(string)
	if !ok {
		d.bad("job", "expected the name of a job")
		return 0, d.j.Skip(first)
	}
	job, ok := d.jobs[name]
	if !ok {
		d.noJob(d.j.At, "job", name)
	}
	return job, nil
}

// rate reads the share 1/n of a level of the instance.
func (d *scheduleDecoder) rate(field string, first json.Token) (instance.RateLevel, error) {
	number, ok := first.(json.Number)
	if !ok {
		d.bad(field, "expected a number like 0.5")
		return 0, d.j.Skip(first)
	}
	got, err := number.Float64()
	if err == nil {
		for _, level := range d.in.RateLevels {
			if math.Abs(got-share(level)) <= 1e-9 {
				return level, nil
			}
		}
	}
	d.bad(field, "%s is not the rate of a level; the levels are %v", instance.Clip(string(number)), d.in.RateLevels)
	return 0, nil
}
