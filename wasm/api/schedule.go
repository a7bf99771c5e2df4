package api

import (
	"fmt"
	"math"
	"time"

	"jigsaw"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
	"jigsaw/formulation/instance/view"
)

// Schedule is a schedule in columns: row i of Tasks is one task.
type Schedule struct {
	Period    int64   `json:"period"`
	Residency [][]int `json:"residency"`
	Tasks     Tasks   `json:"tasks"`
	Syncs     Syncs   `json:"syncs"`
	Spans     []Span  `json:"spans"`
}

// LongPlan is a plan in blocks, patterns that repeat, with the stay of every job. Lists are by job.
type LongPlan struct {
	Residency [][]int  `json:"residency"`
	Admitted  Float64s `json:"admitted"`
	Start     Float64s `json:"start"`
	End       Float64s `json:"end"`
	// Slowdown relative to the job alone; 0 if that is unknown.
	Slowdown Float64s `json:"slowdown"`
	Blocks   []Block  `json:"blocks"`
	Spans    []Span   `json:"spans"`
	// Why says in a sentence when each job ends and why, and Chain is the chain of jobs that ends last, from
	// late to early; both are empty if there are more than mostExplained jobs.
	Why   []string   `json:"why"`
	Chain []StayLink `json:"chain"`
}

// StayLink is a job of the chain that ends last in a plan in blocks, and why it did not start sooner.
type StayLink struct {
	Job  int    `json:"job"`
	Text string `json:"text"`
}

// mostExplained keeps the explanations of all jobs within some hundred kilobytes.
const mostExplained = 2000

// Block is a pattern that runs Repeats times, one every Period; its times count from
// Start.
type Block struct {
	Start   int64 `json:"start"`
	Period  int64 `json:"period"`
	Repeats int64 `json:"repeats"`
	Tasks   Tasks `json:"tasks"`
	Syncs   Syncs `json:"syncs"`
}

// Tasks are lists of equal lengths.
type Tasks struct {
	Job       Int32s   `json:"job"`
	Iteration Int32s   `json:"iteration"`
	GPU       Int32s   `json:"gpu"`
	Depth     Int32s   `json:"depth"`
	Start     Float64s `json:"start"`
	End       Float64s `json:"end"`
}

// Syncs are lists of equal lengths.
type Syncs struct {
	Job       Int32s   `json:"job"`
	Iteration Int32s   `json:"iteration"`
	Rate      Int32s   `json:"rate"`
	Start     Float64s `json:"start"`
	End       Float64s `json:"end"`
}

// Span is what the synchronisations of a job use.
type Span struct {
	Parties int       `json:"parties"`
	Slowest int64     `json:"slowest"`
	Links   []LinkUse `json:"links"`
}

// LinkUse says how often a synchronisation crosses a link.
type LinkUse struct {
	Link  int `json:"link"`
	Times int `json:"times"`
}

// canonical returns the schedule in canonical order, which the page expects.
func canonical(s *instance.Schedule) *instance.Schedule {
	if !s.Sorted() {
		s = s.Clone()
		s.Sort()
	}
	return s
}

// newSchedule puts a valid schedule into columns, in canonical order.
func newSchedule(in *instance.Instance, s *instance.Schedule) *Schedule {
	s = canonical(s)
	residency, spans := homes(in, s.Residency)
	return &Schedule{int64(s.Period), residency, taskColumns(s.Tasks), syncColumns(s.Syncs), spans}
}

// newLongPlan puts a valid plan in blocks into columns.
func newLongPlan(in *instance.Instance, plan *instance.BlockSchedule) *LongPlan {
	p := &LongPlan{Blocks: make([]Block, len(plan.Blocks)), Why: []string{}, Chain: []StayLink{}}
	p.Residency, p.Spans = homes(in, plan.Residency)
	from, to := plan.Spans(in)
	for j, stay := range jigsaw.Stays(in, plan) {
		p.Admitted = append(p.Admitted, float64(max(0, from[j]-in.Jobs[j].Load)))
		p.Start, p.End = append(p.Start, float64(from[j])), append(p.End, float64(to[j]))
		p.Slowdown = append(p.Slowdown, stay.Slowdown)
	}
	if len(in.Jobs) <= mostExplained {
		why, chain := jigsaw.ExplainBlocks(in, plan, time.Time{})
		p.Why = append(p.Why, why...)
		for _, l := range chain {
			p.Chain = append(p.Chain, StayLink{int(l.Job), l.Text})
		}
	}
	for i := range plan.Blocks {
		b := &plan.Blocks[i]
		p.Blocks[i] = Block{int64(b.Start), int64(b.Period), b.Repeats, taskColumns(b.Tasks), syncColumns(b.Syncs)}
	}
	return p
}

// homes returns the residencies of jobs, and the links that their synchronisations use there.
func homes(in *instance.Instance, residency [][]instance.GPUID) ([][]int, []Span) {
	lists, spans := make([][]int, len(residency)), make([]Span, len(residency))
	for j, gpus := range residency {
		lists[j] = integers[int](gpus)
		span, _ := in.SpanOf(&in.Jobs[j], gpus)
		spans[j] = Span{span.Parties, int64(in.BitRate(span.Slowest)), make([]LinkUse, len(span.Uses))}
		for i, u := range span.Uses {
			spans[j].Links[i] = LinkUse{int(u.Link), u.Times}
		}
	}
	return lists, spans
}

func taskColumns(tasks []instance.Task) Tasks {
	n := len(tasks)
	k := Tasks{make(Int32s, n), make(Int32s, n), make(Int32s, n), make(Int32s, n), make(Float64s, n), make(Float64s, n)}
	for i, t := range tasks {
		k.Job[i], k.Iteration[i], k.GPU[i], k.Depth[i] = int32(t.Job), int32(t.Iteration), int32(t.GPU), int32(t.Depth)
		k.Start[i], k.End[i] = float64(t.Start), float64(t.End)
	}
	return k
}

func syncColumns(syncs []instance.Sync) Syncs {
	n := len(syncs)
	k := Syncs{make(Int32s, n), make(Int32s, n), make(Int32s, n), make(Float64s, n), make(Float64s, n)}
	for i, y := range syncs {
		k.Job[i], k.Iteration[i], k.Rate[i] = int32(y.Job), int32(y.Iteration), int32(y.Rate)
		k.Start[i], k.End[i] = float64(y.Start), float64(y.End)
	}
	return k
}

// schedule converts columns back into a schedule, which need not be valid for the
// instance: [check.Schedule] says whether it is. Spans are not read.
func (c *Schedule) schedule() (*instance.Schedule, error) {
	t, y := &c.Tasks, &c.Syncs
	n, m := len(t.Job), len(y.Job)
	for _, l := range []int{len(t.Iteration), len(t.GPU), len(t.Depth), len(t.Start), len(t.End)} {
		if l != n {
			return nil, invalid("schedule: the columns of tasks differ in length: %d and %d", n, l)
		}
	}
	for _, l := range []int{len(y.Iteration), len(y.Rate), len(y.Start), len(y.End)} {
		if l != m {
			return nil, invalid("schedule: the columns of syncs differ in length: %d and %d", m, l)
		}
	}
	s := &instance.Schedule{
		Period:    instance.Tick(c.Period),
		Residency: make([][]instance.GPUID, len(c.Residency)),
		Tasks:     make([]instance.Task, n),
		Syncs:     make([]instance.Sync, m),
	}
	for j, gpus := range c.Residency {
		s.Residency[j] = integers[instance.GPUID](gpus)
	}
	var err error
	tick := func(v float64) instance.Tick {
		if v != math.Trunc(v) || math.Abs(v) > 1<<52 {
			err = invalid("schedule: %v is not a time in ticks", v)
			return 0
		}
		return instance.Tick(v)
	}
	for i := range s.Tasks {
		s.Tasks[i] = instance.Task{
			Job: instance.JobID(t.Job[i]), Iteration: int(t.Iteration[i]), GPU: instance.GPUID(t.GPU[i]), Depth: int(t.Depth[i]),
			Start: tick(t.Start[i]), End: tick(t.End[i]),
		}
	}
	for i := range s.Syncs {
		s.Syncs[i] = instance.Sync{
			Job: instance.JobID(y.Job[i]), Iteration: int(y.Iteration[i]), Rate: instance.RateLevel(y.Rate[i]),
			Start: tick(y.Start[i]), End: tick(y.End[i]),
		}
	}
	return s, err
}

// valid is [Schedule.schedule] for a schedule that must be valid for the instance.
func (c *Schedule) valid(in *instance.Instance) (*instance.Schedule, error) {
	if c == nil {
		return nil, invalid("this needs a schedule")
	}
	s, err := c.schedule()
	if err != nil {
		return nil, err
	}
	if violations := check.Schedule(in, s); len(violations) > 0 {
		return nil, invalid("the schedule is not one of this instance: %s", violations[0])
	}
	if !s.Sorted() {
		return nil, invalid("the schedule is not in the order that the planner gave it")
	}
	return s, nil
}

// Usage is the utilisation of a schedule, until its makespan or within its period.
type Usage struct {
	Span      int64    `json:"span"`
	GPUShare  Float64s `json:"gpu_share"`
	GPUMemory Float64s `json:"gpu_memory"`
	LinkShare Float64s `json:"link_share"`
	MeanGPU   float64  `json:"mean_gpu"`
}

func newUsage(in *instance.Instance, s *instance.Schedule) (*Usage, error) {
	u, err := view.Utilisation(in, s)
	if err != nil {
		return nil, fmt.Errorf("usage: %w", err)
	}
	c := &Usage{Span: int64(u.Span), MeanGPU: u.MeanGPU()}
	for _, g := range u.GPUs {
		c.GPUShare, c.GPUMemory = append(c.GPUShare, g.Share), append(c.GPUMemory, float64(g.Memory))
	}
	for _, l := range u.Links {
		c.LinkShare = append(c.LinkShare, l.Share)
	}
	return c, nil
}
