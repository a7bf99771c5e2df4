package sweep

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"time"

	"jigsaw"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/codec"
	"jigsaw/formulation/instance/profiles"
	"jigsaw/formulation/instance/view"
	"jigsaw/study/store"
)

// drawnTasks is the largest number of tasks for which schedules are stored, for
// drawing.
const drawnTasks = 3000

// measure plans a cell. The schedule is nil if there is none, or if it is too
// large to be drawn. A plan that fails is a row of status [store.Failed].
func measure(ctx context.Context, c *Cell, p Program, library *profiles.Library) (row *store.Row, schedule []byte) {
	start := time.Now()
	row = &store.Row{Parameters: c.parameters(p)}
	row.Started, row.Cores = start.UTC().Format(time.RFC3339Nano), int64(runtime.GOMAXPROCS(0))
	defer func() { row.Seconds = time.Since(start).Seconds() }()

	in, err := c.Instance(library)
	if err != nil {
		row.Status, row.Reason = store.Failed, err.Error()
		return row, nil
	}
	row.Digest, row.TickUS, row.Jobs, row.Tasks = in.Digest(), in.TickUS, int64(len(in.Jobs)), tasks(in)
	result, err := jigsaw.Plan(ctx, in, c.Method.options(c.Seed))
	if err == nil {
		fill(&row.Outcome, result)
	}
	if err == nil && result.Schedule != nil && row.Tasks <= drawnTasks {
		var b bytes.Buffer
		err = codec.EncodeSchedule(&b, in, result.Schedule)
		schedule = b.Bytes()
	}
	if err != nil {
		row.Status, row.Reason = store.Failed, err.Error()
		return row, nil
	}
	return row, schedule
}

// options for the planner.
func (m *Method) options(seed int64) jigsaw.Options {
	return jigsaw.Options{
		Seed: uint64(seed), Time: time.Duration(m.Time), Effort: max(1, m.Effort), Gap: m.Gap.Float(), Quick: m.Quick, NoLP: m.NoLP,
		EqualBaselines: true, // a study compares them
	}
}

// Flags are the flags of `jigsaw plan` that plan like the method.
func (m *Method) Flags(seed int64) string {
	flags := fmt.Sprintf("--seed %d", seed)
	if m.Time > 0 {
		flags += fmt.Sprintf(" --time %v", time.Duration(m.Time))
	} else if m.Effort > 1 && !m.Quick {
		flags += fmt.Sprintf(" --effort %d", m.Effort)
	}
	if m.Gap > 0 {
		flags += fmt.Sprintf(" --gap %v", m.Gap)
	}
	if m.Quick {
		flags += " --quick"
	}
	if m.NoLP {
		flags += " --no-lp"
	}
	return flags
}

// parameters returns the cell's parameters.
func (c *Cell) parameters(p Program) store.Parameters {
	return store.Parameters{
		Key: c.Key(p), Cluster: c.Cluster.String(), GPUs: int64(c.Cluster.Total()), GPU: c.GPU, Speed: c.Speed.Float(),
		Memory: int64(c.Memory), Residence: c.residence(), NIC: int64(c.NIC), Fabric: int64(c.Fabric), Oversubscription: c.Oversubscription.Float(),
		Mix: c.Mix.Name, Load: c.Load.Float(), Workers: int64(c.Workers), SPB: RuleName(c.SPB),
		Objective: string(c.Objective), Method: c.Method.Name, Seed: c.Seed, Planner: p.Planner, Engine: p.Engine,
	}
}

// tasks of an instance; for periodic objectives those of a period with one iteration
// each.
func tasks(in *instance.Instance) (n int64) {
	for i := range in.Jobs {
		n += int64(in.Jobs[i].Workers) * int64(in.Jobs[i].Iterations)
	}
	return n
}

// fill copies the plan's result.
func fill(o *store.Outcome, r *jigsaw.Result) {
	o.Status, o.Certified = string(r.Status), r.Certified
	o.Reason, o.PlanNotes = strings.Join(r.Reasons, "; "), strings.Join(r.Notes, "; ")
	o.Plan, o.Bound = jigsaw.Number(r.Primal), jigsaw.Number(r.Dual)
	if gap := r.Gap(); !math.IsNaN(gap) {
		o.Gap = &gap
	}
	for _, b := range r.Bounds {
		if r.Dual != nil && b.Value.Cmp(r.Dual) == 0 {
			o.BoundKind = string(b.Kind)
			break
		}
	}
	for _, p := range r.Series {
		o.PlanColumns, o.PlanNodes = int64(p.Columns), int64(p.Nodes)
	}
	for _, b := range []struct {
		from                     *jigsaw.Baseline
		value, efficiency, share **float64
	}{
		{&r.Queue, &o.Queue, &o.QueueEfficiency, &o.QueueGPUs},
		{&r.Exclusive, &o.Exclusive, &o.ExclusiveEfficiency, &o.ExclusiveGPUs},
		{&r.InterleavedFull, &o.InterleavedFull, &o.InterleavedFullEfficiency, &o.InterleavedFullGPUs},
		{&r.FewerExclusive, &o.FewerExclusive, &o.FewerExclusiveEfficiency, &o.FewerExclusiveGPUs},
		{&r.FewerInterleaved, &o.FewerInterleaved, &o.FewerInterleavedEfficiency, &o.FewerInterleavedGPUs},
		{&r.Greedy, &o.Greedy, &o.GreedyEfficiency, &o.GreedyGPUs},
	} {
		plan, period := inBlocks(b.from.Schedule, b.from.Blocks)
		if plan == nil {
			continue
		}
		*b.value, *b.efficiency = jigsaw.Number(b.from.Value), &b.from.Efficiency
		mean := view.UtilisationOfBlocks(b.from.Instance, plan, period).MeanGPU()
		*b.share = &mean
	}
	if plan, period := inBlocks(r.Schedule, r.Blocks); plan != nil {
		use(o, r, plan, period)
	}
}

// inBlocks returns a plan in blocks, and its period if it repeats; nil if there is none.
func inBlocks(s *instance.Schedule, blocks *instance.BlockSchedule) (*instance.BlockSchedule, instance.Tick) {
	if blocks != nil || s == nil {
		return blocks, 0
	}
	return s.Block(), s.Period
}

// use fills in the efficiency, and the plan's use of the cluster.
func use(o *store.Outcome, r *jigsaw.Result, plan *instance.BlockSchedule, period instance.Tick) {
	in := r.Instance
	efficiency := r.Efficiency()
	o.PlanEfficiency = &efficiency
	if in.Objective == instance.Makespan && o.Bound != nil && *o.Bound > 0 {
		// The work in the efficiency is the same in every schedule only if GPUs are
		// identical, as they are in every cell.
		best := efficiency * *o.Plan / *o.Bound
		o.BoundEfficiency = &best
	}
	u := view.UtilisationOfBlocks(in, plan, period)
	o.PlanWork, o.FullWork = work(in, plan, u)
	gpus, memory := u.MeanGPU(), 0.0
	for g := range u.GPUs {
		memory = max(memory, float64(u.GPUs[g].Memory)/float64(in.Types[in.GPUs[g].Type].Memory))
	}
	o.PlanGPUs, o.PlanMemory = &gpus, &memory
	nics := 0.0
	for _, n := range in.Nodes {
		nics += (u.Links[n.Up].Share + u.Links[n.Down].Share) / float64(2*len(in.Nodes))
	}
	link := slices.MaxFunc(u.Links, func(a, b view.LinkUsage) int { return cmp.Compare(a.Share, b.Share) }).Share
	o.PlanNICs, o.PlanLink = &nics, &link
}

// work returns the GPU-ticks of a plan's tasks, and those at full depth on the same GPUs.
func work(in *instance.Instance, plan *instance.BlockSchedule, u *view.Usage) (taken, full *int64) {
	taken, full = new(int64), new(int64)
	for _, g := range u.GPUs {
		*taken += int64(g.Busy)
	}
	for _, b := range plan.Blocks {
		for _, t := range b.Tasks {
			job := &in.Jobs[t.Job]
			*full += int64(job.On[in.GPUs[t.GPU].Type].Time[job.Full()]) * b.Repeats
		}
	}
	return taken, full
}
