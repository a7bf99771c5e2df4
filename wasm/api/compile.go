package api

import (
	"context"
	"fmt"

	"jigsaw/formulation/instance"
)

// textParams are the parameters of methods that take only a scenario.
type textParams struct {
	Text string `json:"text"`
}

type compileResult struct {
	Instance *Compiled `json:"instance"`
	Spec     JSON      `json:"spec"`
	Problems []Problem `json:"problems"`
	Special  string    `json:"special,omitempty"`
}

// compile reads an instance file. Mistakes in it are part of the answer.
func (a *API) compile(_ context.Context, p *textParams) (*compileResult, error) {
	s, err := a.compiled.read(p.Text)
	if err != nil {
		return nil, err
	}
	r := &compileResult{Problems: problemList(s.problems), Special: s.special()}
	if s.document != nil {
		if r.Spec, err = newSpec(s.document.Spec); err != nil {
			return nil, err
		}
	}
	if s.in != nil {
		r.Instance = newCompiled(s)
	}
	return r, nil
}

// Compiled is an instance as the planner sees it.
type Compiled struct {
	Name      string         `json:"name"`
	Lesson    string         `json:"lesson"`
	Digest    string         `json:"digest"`
	TickUS    int64          `json:"tick_us"`
	Objective string         `json:"objective"`
	Periodic  bool           `json:"periodic"`
	Queues    bool           `json:"queues"`
	Types     []CompiledType `json:"types"`
	Racks     []CompiledRack `json:"racks"`
	Nodes     []CompiledNode `json:"nodes"`
	Links     []CompiledLink `json:"links"`
	Latency   int64          `json:"latency"`
	Jobs      []CompiledJob  `json:"jobs"`
}

// CompiledType is a kind of GPU.
type CompiledType struct {
	Name   string `json:"name"`
	Memory int64  `json:"memory"`
}

// CompiledRack is a leaf switch.
type CompiledRack struct {
	Name  string `json:"name"`
	Nodes []int  `json:"nodes"`
}

// CompiledNode is a server.
type CompiledNode struct {
	Name     string `json:"name"`
	Rack     int    `json:"rack"`
	Type     int    `json:"type"`
	FirstGPU int    `json:"first_gpu"`
	GPUs     int    `json:"gpus"`
	Places   []int  `json:"places,omitempty"`
}

// CompiledLink is a directed link, or the ring inside a node.
type CompiledLink struct {
	Name     string `json:"name"`
	Kind     string `json:"kind"`
	Capacity int64  `json:"capacity"`
	Failed   bool   `json:"failed"`
}

// CompiledJob is a job; rules count workers, costs are for each of a worker's GPUs, and lists by depth have the length of Depths.
type CompiledJob struct {
	Name         string          `json:"name"`
	Model        string          `json:"model"`
	Batch        int             `json:"batch"`
	Workers      int             `json:"workers"`
	Group        int             `json:"gpus_per_worker"`
	Iterations   int             `json:"iterations"`
	Weight       int64           `json:"weight"`
	Release      int64           `json:"release"`
	Deadline     int64           `json:"deadline"`
	Load         int64           `json:"load"`
	Gang         bool            `json:"gang"`
	Within       string          `json:"within"`
	Class        int             `json:"class"`
	Source       int             `json:"source"`
	Depths       []CompiledDepth `json:"depths"`
	SegmentBytes []int64         `json:"segment_bytes"`
	Reductions   int64           `json:"reductions"`
	Gathers      int64           `json:"gathers"`
	Rule         CompiledRule    `json:"rule"`
	On           []*CompiledCost `json:"on"`
}

// CompiledDepth is an allowed depth.
type CompiledDepth struct {
	Layers int     `json:"layers"`
	Share  float64 `json:"share"`
}

// CompiledRule is an SPB rule; Fixed is null for a free rule, whose mean depth-fraction is at
// least MinShare.
type CompiledRule struct {
	Fixed    []int   `json:"fixed"`
	MinFull  int     `json:"min_full"`
	MinShare float64 `json:"min_share"`
}

// CompiledCost is what a job costs on one type of GPU.
type CompiledCost struct {
	Time       []int64 `json:"time"`
	Persistent int64   `json:"persistent"`
	Ephemeral  []int64 `json:"ephemeral"`
}

func newCompiled(s *scenario) *Compiled {
	in := s.in
	c := &Compiled{
		Name: in.Name, Lesson: s.document.Spec.Lesson, Digest: in.Digest(), TickUS: in.TickUS,
		Objective: string(in.Objective), Periodic: in.Objective.Periodic(), Queues: in.Queues(), Latency: int64(in.Latency),
	}
	if in.Priced() {
		// For the page, an instance with another price is another instance, though not for the checker.
		c.Digest += fmt.Sprint(in.Types)
	}
	for _, t := range in.Types {
		c.Types = append(c.Types, CompiledType{t.Name, int64(t.Memory)})
	}
	for _, r := range in.Racks {
		c.Racks = append(c.Racks, CompiledRack{r.Name, integers[int](r.Nodes)})
	}
	for _, n := range in.Nodes {
		c.Nodes = append(c.Nodes, CompiledNode{n.Name, n.Rack, int(n.Type), int(n.FirstGPU), n.GPUs, n.Places})
	}
	for _, l := range in.Links {
		c.Links = append(c.Links, CompiledLink{l.Name, string(l.Kind), int64(l.Capacity), l.Failed})
	}
	class, sources := in.ClassOf(), s.document.Spec.Sources()
	for j := range in.Jobs {
		c.Jobs = append(c.Jobs, newCompiledJob(&in.Jobs[j], class[j], sources[j]))
	}
	return c
}

func newCompiledJob(j *instance.Job, class, source int) CompiledJob {
	group := j.Group()
	whole := float64(j.Workers) * float64(j.Depths[j.Full()].Share)
	c := CompiledJob{
		Name: j.Name, Model: j.Model, Batch: j.Batch, Workers: j.Workers / group, Group: group, Iterations: j.Iterations, Weight: j.Weight,
		Release: int64(j.Release), Deadline: int64(j.Deadline), Load: int64(j.Load), Gang: j.Gang, Within: within(j.Within),
		Class: class, Source: source, SegmentBytes: integers[int64](j.SegmentBytes),
		Reductions: 1 + j.MoreReductions, Gathers: 1 + j.MoreGathers,
		Rule: CompiledRule{nil, j.Rule.MinFull / group, float64(j.Rule.MinShare) / whole},
	}
	for _, n := range j.Rule.Fixed {
		c.Rule.Fixed = append(c.Rule.Fixed, n/group)
	}
	for i, d := range j.Depths {
		c.Depths = append(c.Depths, CompiledDepth{d.Layers, j.Fraction(i)})
	}
	for _, on := range j.On {
		if on == nil {
			c.On = append(c.On, nil)
			continue
		}
		c.On = append(c.On, &CompiledCost{integers[int64](on.Time), int64(on.Persistent), integers[int64](on.Ephemeral)})
	}
	return c
}

func within(w instance.Within) string {
	switch w {
	case instance.WithinNode:
		return "node"
	case instance.WithinRack:
		return "rack"
	}
	return "cluster"
}

// integers changes the type of a list of integers.
func integers[To, From ~int | ~int64](list []From) []To {
	out := make([]To, len(list))
	for i, v := range list {
		out[i] = To(v)
	}
	return out
}
