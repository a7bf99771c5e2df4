package whatif

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strings"
	"sync"

	"jigsaw"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/change"
	"jigsaw/formulation/instance/check"
	"jigsaw/formulation/instance/view"
	"jigsaw/heuristics/repair"
	"jigsaw/heuristics/resume"
	"jigsaw/heuristics/state"
)

// Harm is what failures do to a plan.
type Harm struct {
	Failures []Failure
	// Touched are the jobs that lost a GPU, or whose synchronisations used a link that
	// failed; Moved those that the old plan, carried over, has on other GPUs. In plans in blocks they
	// may include jobs that wait and lost nothing.
	Touched, Moved []string
	// Repaired is the value of the old plan carried over in its order; nil where it
	// cannot be, which Unrepaired explains.
	Repaired   *big.Rat
	Unrepaired string
	// Replanned is the value of the best plan found, the repaired one included, and Bound
	// what no plan beats. Nil where there is none.
	Replanned, Bound *big.Rat
	Certified        bool
	// Infeasible says why there is no plan at all, if that was proven; jobs that lost all
	// routes they may take are among the reasons.
	Infeasible []string
}

// ResilienceOptions of [Resilience].
type ResilienceOptions struct {
	// Seed of all randomness: same seed, same answer.
	Seed uint64
	// Failures at once: 1 or 2.
	Failures int
	// Sample is the most pairs of failures to look at, drawn at random; 0 means 200.
	Sample int
	// NoLP leaves out bounds that need a linear program.
	NoLP bool
	// Progress is told how many cases of how many are done, one call at a time; of cases that come to
	// the same, one counts.
	Progress func(done, of int)
}

// ResilienceResult is what failures do to the plan of an instance.
type ResilienceResult struct {
	// Plan is that of the whole cluster.
	Plan *jigsaw.Result
	// Harm by case, the greatest first: no plan at all, then the worst plan.
	Harm []Harm
	// Cases is how many there are; more than len(Harm) where the run was interrupted.
	Cases int
}

// Resilience plans an instance, and says for every link and node, or for pairs of them,
// what its failure does: to the plan carried over at once, and to one made anew. All plans
// are quick ones, of a fixed amount of work. Cases run side by side. Cancelling ctx returns
// what is there. models are where jobs find their profiles, as [jigsaw.Models]. Plans that repeat
// are not looked at.
func Resilience(ctx context.Context, spec *instance.Spec, models instance.ProfileSource, opt ResilienceOptions) (*ResilienceResult, error) {
	in, err := instance.Compile(spec, models)
	if err != nil {
		return nil, err
	}
	if in.Objective.Periodic() {
		return nil, instance.Problems{{Path: "objective", Message: "failures are examined for plans that run once; choose makespan or weighted_completion"}}
	}
	if opt.Failures < 1 || opt.Failures > 2 {
		return nil, fmt.Errorf("whatif: %d failures at once; choose 1 or 2", opt.Failures)
	}
	r := &ResilienceResult{}
	if r.Plan, err = jigsaw.Plan(ctx, in, jigsaw.Options{Seed: opt.Seed, Quick: true, NoLP: opt.NoLP}); err != nil || r.Plan.Primal == nil {
		return r, err
	}
	cases := failures(in, opt)
	r.Cases = len(cases)
	// Equivalent cases are worked out once, and of those alike all but the old plan.
	var works [][]Failure
	var groups [][]int // of works alike
	first, group := map[string]int{}, map[string]int{}
	work := make([]int, len(cases))
	for i, c := range cases {
		c = equivalent(in, c)
		key := fmt.Sprint(c)
		at, known := first[key]
		if !known {
			at = len(works)
			first[key], works = at, append(works, c)
			like := fmt.Sprint(alike(in, c))
			if _, known := group[like]; !known {
				group[like], groups = len(groups), append(groups, nil)
			}
			groups[group[like]] = append(groups[group[like]], at)
		}
		work[i] = at
	}
	found := make([]*Harm, len(works))
	faults := make([]error, len(works))
	var done int
	var mu sync.Mutex
	state.Parallel(len(groups), func(k int) {
		var anew *jigsaw.Result // of the first that needs one
		for _, i := range groups[k] {
			if ctx.Err() != nil {
				return
			}
			h, err := harm(ctx, spec, models, r.Plan, works[i], opt, &anew)
			if ctx.Err() != nil && err == nil {
				return // it was cut short
			}
			mu.Lock()
			found[i], faults[i] = h, err
			if done++; opt.Progress != nil {
				opt.Progress(done, len(works))
			}
			mu.Unlock()
		}
	})
	for i, c := range cases {
		if h := found[work[i]]; h != nil {
			h := *h
			h.Failures = c
			r.Harm = append(r.Harm, h)
		}
	}
	r.avoid()
	slices.SortStableFunc(r.Harm, compareHarm)
	return r, errors.Join(faults...)
}

// avoid takes the new plan without a node as the new plan after the failure of one of its links, if it is better: it uses none of them. So it
// does with the old plan carried over, if that is in blocks, whose jobs may move though they lost nothing.
func (r *ResilienceResult) avoid() {
	in := r.Plan.Instance
	without := map[string]*Harm{} // by link
	for i := range r.Harm {
		h := &r.Harm[i]
		if n := slices.IndexFunc(in.Nodes, func(n instance.Node) bool { return len(h.Failures) == 1 && n.Name == h.Failures[0].Node }); n >= 0 {
			for _, l := range []instance.LinkID{in.Nodes[n].Up, in.Nodes[n].Down, in.Nodes[n].Fabric} {
				without[in.Links[l].Name] = h
			}
		}
	}
	less := func(a, b *big.Rat) bool { return a != nil && (b == nil || in.Objective.Better(a, b)) }
	for i := range r.Harm {
		h := &r.Harm[i]
		node := without[h.Failures[0].Link]
		if len(h.Failures) > 1 || node == nil || len(h.Touched) == 0 {
			continue
		}
		if less(node.Replanned, h.Replanned) {
			h.Replanned = node.Replanned
		}
		if r.Plan.Schedule == nil && less(node.Repaired, h.Repaired) {
			h.Repaired, h.Unrepaired, h.Moved = node.Repaired, "", node.Moved
		}
	}
}

// compareHarm puts the greatest first.
func compareHarm(a, b Harm) int {
	rank := func(h *Harm) int {
		switch {
		case len(h.Infeasible) > 0:
			return 0
		case h.Replanned == nil:
			return 1
		case h.Repaired == nil:
			return 2
		}
		return 3
	}
	if c := cmp.Compare(rank(&a), rank(&b)); c != 0 {
		return c
	}
	if a.Repaired != nil && b.Repaired != nil {
		if c := b.Repaired.Cmp(a.Repaired); c != 0 {
			return c
		}
	}
	if a.Replanned != nil && b.Replanned != nil {
		if c := b.Replanned.Cmp(a.Replanned); c != 0 {
			return c
		}
	}
	return cmp.Compare(len(b.Touched), len(a.Touched))
}

// harm works one case out. anew is the plan without the old one of a case alike, if there is one yet.
func harm(ctx context.Context, spec *instance.Spec, models instance.ProfileSource, whole *jigsaw.Result, failed []Failure, opt ResilienceOptions, anew **jigsaw.Result) (*Harm, error) {
	h := &Harm{Failures: failed}
	changed := *spec
	changed.Cluster.FailedLinks = slices.Clone(spec.Cluster.FailedLinks)
	lost := map[string]bool{}
	for _, f := range failed {
		if f.Node != "" {
			lost[f.Node] = true
		} else {
			changed.Cluster.FailedLinks = append(changed.Cluster.FailedLinks, f.Link)
		}
	}
	in, err := instance.Compile(&changed, models)
	if err != nil {
		return nil, err
	}
	before := whole.Instance
	for j, home := range residency(whole) {
		was, _ := before.SpanOf(&before.Jobs[j], home)
		hit := slices.ContainsFunc(home, func(g instance.GPUID) bool { return lost[before.Nodes[before.GPUs[g].Node].Name] })
		for _, u := range was.Uses {
			hit = hit || in.Links[u.Link].Failed
		}
		if hit {
			h.Touched = append(h.Touched, before.Jobs[j].Name)
		}
	}
	if len(h.Touched) == 0 && in.KeepsRoutes(before) {
		// The plan goes on as it was. And the bound holds, since only residencies are lost: no ring
		// has another, perhaps faster, route.
		h.Repaired, h.Replanned, h.Bound, h.Certified = whole.Primal, whole.Primal, whole.Dual, whole.Certified
		return h, nil
	}

	if len(lost) > 0 {
		nodes := slices.DeleteFunc(in.AllNodes(), func(n instance.NodeID) bool { return lost[in.Nodes[n].Name] })
		if len(nodes) == 0 {
			h.Infeasible = []string{"no node is left"}
			return h, nil
		}
		in = in.Part(in.AllJobs(), nodes, nil).Instance
	}
	carried, moved, err := carry(in, whole)
	if err != nil {
		h.Unrepaired = err.Error()
	} else {
		for _, j := range moved {
			h.Moved = append(h.Moved, in.Jobs[j].Name)
		}
		for _, v := range check.Plan(in, carried) {
			if h.Unrepaired = v.String(); v.Rule != check.Deadline {
				return nil, fmt.Errorf("whatif: after the failure of %v the repair broke a rule: %v", failed, v)
			}
		}
		if h.Unrepaired == "" {
			h.Repaired = in.Value(carried)
			h.Replanned = h.Repaired
		}
	}
	if *anew == nil || (*anew).Status == jigsaw.Infeasible { // which is proven with names
		if *anew, err = jigsaw.Plan(ctx, in, jigsaw.Options{Seed: opt.Seed, Quick: true, NoLP: opt.NoLP, NoBaselines: true}); err != nil {
			return nil, fmt.Errorf("after the failure of %v: %w", failed, err)
		}
	}
	if (*anew).Status == jigsaw.Infeasible {
		h.Infeasible = (*anew).Reasons
		return h, nil
	}
	if v := (*anew).Primal; v != nil && (h.Replanned == nil || in.Objective.Better(v, h.Replanned)) {
		h.Replanned = v
	}
	h.Bound, h.Certified = (*anew).Dual, (*anew).Certified
	return h, nil
}

// carry carries the plan of the whole cluster over to an instance of the same jobs, without a search, and names the jobs that are not
// where they were planned. Deadlines may be missed.
func carry(in *instance.Instance, whole *jigsaw.Result) (plan instance.Plan, moved []instance.JobID, err error) {
	before, same := whole.Instance, change.SameGPU(whole.Instance, in)
	if whole.Schedule != nil {
		fixed, err := repair.Repair(in, whole.Schedule, repair.Damage{GPU: func(_ instance.JobID, g instance.GPUID) (instance.GPUID, bool) { return same(g) }})
		if err != nil {
			return nil, nil, err
		}
		return fixed.Schedule, fixed.Moved, nil
	}
	none := make([]bool, len(in.Jobs))
	was := resume.Interrupted{Plan: whole.Blocks, GPU: same, Begun: none, Left: none}
	was.Moves, was.Changed = change.Affected(before, in, whole.Blocks.Residency, same)
	r, err := resume.Resume(in, was)
	if err != nil {
		return nil, nil, err
	}
	for j, home := range r.Plan.Residency {
		was := whole.Blocks.Residency[j]
		if !slices.EqualFunc(home, was, func(g, w instance.GPUID) bool { at, _ := same(w); return at == g }) {
			moved = append(moved, instance.JobID(j))
		}
	}
	return r.Plan, moved, nil
}

// residency of the jobs of a result's plan.
func residency(r *jigsaw.Result) [][]instance.GPUID {
	if r.Schedule != nil {
		return r.Schedule.Residency
	}
	return r.Blocks.Residency
}

// ResilienceDocument is a [ResilienceResult] as it is printed. Values are in the objective's unit in files,
// ticks or weighted ticks.
type ResilienceDocument struct {
	Objective   instance.Objective `json:"objective"`
	Plan        *float64           `json:"plan"`
	Bound       *float64           `json:"dual_bound"`
	Certified   bool               `json:"certified"`
	Cases       int                `json:"cases"`
	Interrupted bool               `json:"interrupted,omitempty"`
	Harm        []HarmDocument     `json:"harm"`
}

// HarmDocument is a [Harm] as it is printed.
type HarmDocument struct {
	Failures   []Failure `json:"failures"`
	Touched    []string  `json:"touched"`
	Moved      []string  `json:"moved,omitempty"`
	Repaired   *float64  `json:"repaired"`
	Unrepaired string    `json:"unrepaired,omitempty"`
	Replanned  *float64  `json:"replanned"`
	Bound      *float64  `json:"dual_bound"`
	Certified  bool      `json:"certified"`
	Infeasible []string  `json:"infeasible,omitempty"`
}

// Document is the printed form.
func (r *ResilienceResult) Document() *ResilienceDocument {
	d := &ResilienceDocument{
		Objective: r.Plan.Instance.Objective, Plan: jigsaw.Number(r.Plan.Primal), Bound: jigsaw.Number(r.Plan.Dual), Certified: r.Plan.Certified,
		Cases: r.Cases, Interrupted: len(r.Harm) < r.Cases, Harm: []HarmDocument{},
	}
	for i := range r.Harm {
		h := &r.Harm[i]
		d.Harm = append(d.Harm, HarmDocument{
			h.Failures, append([]string{}, h.Touched...), h.Moved, jigsaw.Number(h.Repaired), h.Unrepaired, jigsaw.Number(h.Replanned), jigsaw.Number(h.Bound), h.Certified, h.Infeasible,
		})
	}
	return d
}

// Beaten returns the case whose new plan is the best, if that is better than the plan of the whole cluster: all plans are quick ones, and
// what was tried after a failure was not before. nil where there is none.
func (r *ResilienceResult) Beaten() *Harm {
	var best *Harm
	value := r.Plan.Primal
	for i := range r.Harm {
		if h := &r.Harm[i]; h.Replanned != nil && r.Plan.Instance.Objective.Better(h.Replanned, value) {
			best, value = h, h.Replanned
		}
	}
	return best
}

// rise is how much longer the plan that is carried over at once is, or the new one where none can be; nil
// where there is neither.
func (r *ResilienceResult) rise(h *Harm) *big.Rat {
	v := h.Repaired
	if v == nil {
		v = h.Replanned
	}
	if v == nil {
		return nil
	}
	return new(big.Rat).Sub(v, r.Plan.Primal)
}

// Draw writes a picture of the network as SVG, each link and node by the worst case that it is part of: how
// much longer the repaired plan is.
func (r *ResilienceResult) Draw(w io.Writer) error {
	in := r.Plan.Instance
	worst := new(big.Rat)
	for i := range r.Harm {
		if d := r.rise(&r.Harm[i]); d != nil && d.Cmp(worst) > 0 {
			worst = d
		}
	}
	o := view.NetworkOptions{
		Title: in.Name + ": harm by failures", Links: map[string]view.NetworkMark{}, Nodes: map[string]view.NetworkMark{},
		Least: "no harm", Most: "+" + jigsaw.FormatValue(in, worst), Beyond: "no plan found",
	}
	for i := range r.Harm {
		h := &r.Harm[i]
		mark := view.NetworkMark{Level: 2, Text: "no plan found"}
		if len(h.Infeasible) > 0 {
			mark.Text = strings.Join(h.Infeasible, "; ")
		} else if d := r.rise(h); d != nil {
			mark.Level = 0
			if worst.Sign() > 0 && d.Sign() > 0 {
				mark.Level, _ = new(big.Rat).Quo(d, worst).Float64()
			}
			mark.Text = fmt.Sprintf("%s affected, repaired %s, re-planned %s", view.Count(len(h.Touched), "job"), jigsaw.FormatValue(in, h.Repaired), jigsaw.FormatValue(in, h.Replanned))
		}
		for _, f := range h.Failures {
			marks, name := o.Links, f.Link
			if f.Node != "" {
				marks, name = o.Nodes, f.Node
			}
			if before, ok := marks[name]; !ok || mark.Level > before.Level {
				marks[name] = mark
			}
		}
	}
	return view.Network(w, in, o)
}
