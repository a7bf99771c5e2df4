package instance

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// jobs compiles all jobs, expanding those with a count.
func (c *compiler) jobs() {
	if len(c.spec.Jobs) == 0 {
		c.problems.Add("jobs", "list at least one job")
	} else if !slices.ContainsFunc(c.spec.Jobs, func(j JobSpec) bool { return !j.Disabled }) {
		c.problems.Add("jobs", "every job is disabled; enable at least one")
	}
	usable := len(c.problems) == 0 // cluster and profiles can be referred to
	seen := map[string]bool{}
	for i := range c.spec.Jobs {
		spec, path := &c.spec.Jobs[i], fmt.Sprintf("jobs[%d]", i)
		if spec.Disabled {
			continue
		}
		c.kind(path, spec)
		count := max(1, spec.Count)
		if spec.Count < 0 || spec.Count > MaxJobs {
			c.problems.Add(path+".count", "%d jobs are too many or too few; choose 1 to %d in all", spec.Count, MaxJobs)
			continue
		}
		if len(c.in.Jobs)+count > MaxJobs {
			c.problems.Add(path, "up to this one there are more than %d jobs", MaxJobs)
			return
		}
		if spec.Name == "" {
			c.problems.Add(path+".name", "a job needs a name")
			continue
		}
		j, ok := c.job(path, spec, usable)
		for n := range count {
			j.Name = spec.Name
			if count > 1 {
				j.Name += "-" + strconv.Itoa(n+1)
			}
			c.name(path+".name", j.Name, "job", seen)
			if ok {
				c.in.Jobs = append(c.in.Jobs, j)
			}
		}
	}
}

// job compiles one job; ok is false if it had problems. Where the cluster is
// not usable only the job's own fields are checked.
func (c *compiler) job(path string, s *JobSpec, usable bool) (j Job, ok bool) {
	before := len(c.problems)
	defer func() {
		for i := before; i < len(c.problems); i++ {
			c.problems[i].Subject = s.Name
		}
	}()
	bad := func(field, format string, args ...any) { c.problems.Add(path+field, format, args...) }

	j = Job{
		Model: s.Model, Batch: s.Batch, Workers: s.Workers, Iterations: max(1, s.Iterations), Weight: max(1, s.Weight),
		Gang: s.Gang, Release: c.ceilTicks(path+".release", s.Release, One),
	}
	if s.Workers < 1 || s.Workers > MaxGPUs {
		bad(".workers", "%d workers; a job needs 1 to %d", s.Workers, MaxGPUs)
	}
	if s.GPUsPerWorker < 0 || s.GPUsPerWorker > MaxNodeGPUs {
		bad(".gpus_per_worker", "%d GPUs; a worker has 1 to the %d of a node at most", s.GPUsPerWorker, MaxNodeGPUs)
	}
	if s.Iterations < 0 || s.Iterations > MaxIterations {
		bad(".iterations", "%d iterations; choose 1 to %d", s.Iterations, MaxIterations)
	}
	if s.Weight < 0 || s.Weight > MaxWeight {
		bad(".weight", "a weight of %d is out of range; choose 1 to %d", s.Weight, MaxWeight)
	}
	if s.Batch < 0 {
		bad(".batch", "the batch size %d is negative", s.Batch)
	}
	if s.Deadline < 0 {
		bad(".deadline", "must not be negative")
	}
	if s.Deadline > 0 {
		// A deadline is rounded down: ticks are whole.
		j.Deadline = c.floorTicks(path+".deadline", s.Deadline)
	}
	if c.in.Objective.Periodic() && (s.Release != 0 || s.Deadline != 0) {
		bad("", "a periodic plan has no beginning: remove release and deadline, or change the objective")
	}
	c.training(path, s, &j)
	switch s.Placement.Within {
	case "", "cluster":
	case "rack":
		j.Within = WithinRack
	case "node":
		j.Within = WithinNode
	default:
		bad(".placement.within", "unknown limit %q; choose node, rack or cluster", Clip(s.Placement.Within))
	}
	if name := s.Placement.Policy; name != "" {
		if at, ok := slices.BinarySearch(c.in.Policies, name); ok {
			j.Policy = at + 1
		} else if _, listed := c.spec.Cluster.Policies[name]; !listed {
			bad(".placement.policy", "unknown policy %q%s", Clip(name), DidYouMean(name, slices.Sorted(maps.Keys(c.spec.Cluster.Policies)), "; list it in cluster.policies"))
		}
	}
	allowed := c.allowedTypes(path, s)
	if !usable || len(c.problems) > before {
		c.rule(path, s, &j) // its fields can be checked all the same
		return j, false
	}

	reference := c.costs(path, s, &j, allowed)
	if reference == nil {
		return j, false
	}
	j.Batch = reference.Batch
	c.load(path, s, &j)
	if c.spec.Activations == Kept {
		j.keepActivations()
	}
	c.rule(path, s, &j)
	if len(c.problems) == before {
		j.group(s)
		c.room(path, &j)
		c.resident(path, s, &j)
	}
	return j, len(c.problems) == before
}

// allowedTypes returns which GPU types the placement admits.
func (c *compiler) allowedTypes(path string, s *JobSpec) []bool {
	allowed := make([]bool, len(c.in.Types))
	for t := range allowed {
		allowed[t] = len(s.Placement.GPUTypes) == 0
	}
	for i, name := range s.Placement.GPUTypes {
		if t, ok := c.types[name]; ok {
			allowed[t] = true
		} else {
			c.problems.Add(fmt.Sprintf("%s.placement.gpu_types[%d]", path, i), "%s", c.unknownType(name))
		}
	}
	return allowed
}

// costs finds the job's profile for every allowed GPU type, chooses the
// depths from the first one, and fills the cost tables. It returns that first
// profile, nil on a problem.
func (c *compiler) costs(path string, s *JobSpec, j *Job, allowed []bool) *Profile {
	profiles := c.modelProfiles(s.Model)
	if len(profiles) == 0 {
		known := c.modelNames()
		c.problems.Add(path+".model", "no profile of model %q%s", Clip(s.Model),
			DidYouMean(s.Model, known, "; add one under profiles, or choose "+strings.Join(known, ", ")))
		return nil
	}
	var reference *Profile
	batch, group := s.Batch, max(1, s.GPUsPerWorker)
	j.On = make([]*Costs, len(c.in.Types))
	for t, admitted := range allowed {
		if !admitted {
			continue
		}
		p, speed, ambiguous := c.profileFor(profiles, t, batch, group)
		if ambiguous != "" {
			c.problems.Add(path+".batch", "model %q has profiles at batch sizes %s on %q; choose one",
				Clip(s.Model), batchSizes(profiles, ambiguous, group), ambiguous)
			return nil
		}
		if p == nil {
			continue
		}
		if reference == nil {
			reference, batch = p, p.Batch
			if !c.depths(path, s, p, j) {
				return nil
			}
		} else if !sameLayers(reference, p) {
			c.problems.Add(path+".placement.gpu_types", "the profiles of %q on %q and %q split the model into different layers, so depths do not match; allow only one of these GPU types",
				Clip(s.Model), reference.GPU, p.GPU)
			return nil
		}
		if s.Checkpointing && !slices.ContainsFunc(p.Layers, func(l Layer) bool { return l.Input > 0 }) {
			c.problems.Add(path+".checkpointing", "the profile of %q on %q does not have the inputs of its layers (input), like all that were measured with checkpointing; leave checkpointing out",
				Clip(s.Model), p.GPU)
			return nil
		}
		j.On[t] = c.table(path, s, p, speed, j)
	}
	if reference == nil {
		c.unprofiled(path, s, profiles, allowed)
	}
	return reference
}

// unprofiled says what a model lacks that has a profile on none of the GPU types that a job may use.
func (c *compiler) unprofiled(path string, s *JobSpec, profiles []*Profile, allowed []bool) {
	group := max(1, s.GPUsPerWorker)
	var on, groups []string
	for _, p := range profiles {
		if p.Group() == group && !slices.Contains(on, p.GPU) {
			on = append(on, p.GPU)
		}
		if of := GPUCount(p.Group()); !slices.Contains(groups, of) {
			groups = append(groups, of)
		}
	}
	if len(on) == 0 {
		together, mend := " together", fmt.Sprintf("estimate one (jigsaw profile estimate --gpus-per-worker %d), or describe one with gpus: %d", group, group)
		if group == 1 {
			together, mend = "", fmt.Sprintf("set gpus_per_worker: %d", profiles[0].Group())
		}
		c.problems.Add(path+".gpus_per_worker", "model %q has no profile of %s%s, only of %s; %s",
			Clip(s.Model), GPUCount(group), together, strings.Join(groups, " and "), mend)
		return
	}
	var missing []string
	for t, admitted := range allowed {
		if !admitted {
			continue
		}
		found, _, gpu := c.profileFor(profiles, t, 0, group)
		if found != nil {
			gpu = found.GPU
		}
		if gpu != "" {
			c.problems.Add(path+".batch", "model %q has no profile at batch %d on %s, only at %s", Clip(s.Model), s.Batch, gpu, batchSizes(profiles, gpu, group))
			return
		}
		missing = append(missing, c.in.Types[t].Name)
	}
	c.problems.Add(path+".model", "model %q has no profile on %s, only on %s; choose another model, or for %s in cluster.gpu_types say whose profiles to use: profiled_as: [{gpu: %s, speed: 1}]",
		Clip(s.Model), strings.Join(missing, " or "), strings.Join(on, ", "), missing[0], on[0])
}

// profileFor returns the profile that serves for GPU type t, and the relative
// speed to run it at. Ambiguous is the profiled GPU whose batch must be named, if one must.
func (c *compiler) profileFor(profiles []*Profile, t, batch, group int) (p *Profile, speed Ratio, ambiguous string) {
	spec := &c.spec.Cluster.GPUTypes[t]
	as := spec.ProfiledAs
	if len(as) == 0 {
		as = []ProfiledAs{{GPU: spec.Name}}
	}
	for _, a := range as {
		var found *Profile
		for _, candidate := range profiles {
			if candidate.GPU != a.GPU || candidate.Group() != group || batch != 0 && candidate.Batch != batch {
				continue
			}
			if found != nil {
				return nil, 0, a.GPU
			}
			found = candidate
		}
		if found != nil {
			if a.Speed == 0 {
				a.Speed = One
			}
			return found, a.Speed, ""
		}
	}
	return nil, 0, ""
}

// batchSizes lists those that there are profiles of on a GPU.
func batchSizes(profiles []*Profile, gpu string, group int) string {
	var sizes []int
	for _, p := range profiles {
		if p.GPU == gpu && p.Group() == group {
			sizes = append(sizes, p.Batch)
		}
	}
	slices.Sort(sizes)
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(slices.Compact(sizes)), "[]"), " ", ", ")
}

// GPUCount is a number of GPUs in words.
func GPUCount(n int) string {
	if n == 1 {
		return "one GPU"
	}
	return fmt.Sprintf("%d GPUs", n)
}

// sameLayers reports whether depths mean the same in both profiles.
func sameLayers(a, b *Profile) bool {
	return slices.EqualFunc(a.Layers, b.Layers, func(x, y Layer) bool {
		return x.Parameters == y.Parameters && x.Joined == y.Joined
	})
}

// depths chooses the allowed depths: those listed, or as many as asked for,
// each the shallowest legal cut that covers its even part of the backward time.
func (c *compiler) depths(path string, s *JobSpec, p *Profile, j *Job) bool {
	full := len(p.Layers)
	chosen := slices.Clone(s.SPB.Depths)
	for i, d := range chosen {
		if !p.CutAllowed(d) {
			c.problems.Add(fmt.Sprintf("%s.spb.depths[%d]", path, i), "depth %d is not a cut of %q, whose depths go from 1 to %d; %s",
				d, p.Model, full, nearestCuts(p, d))
			return false
		}
	}
	backward := make([]Duration, full+1) // by depth
	for d := 1; d <= full; d++ {
		backward[d] = backward[d-1] + p.Layers[full-d].Backward
	}
	if len(chosen) == 0 {
		cuts := s.SPB.Cuts
		if cuts == 0 {
			cuts = 4
		}
		for i, d := 1, 1; i < cuts; i++ {
			for d < full && (!p.CutAllowed(d) || int64(cuts)*int64(backward[d]) < int64(i)*int64(backward[full])) {
				d++
			}
			chosen = append(chosen, d)
		}
	}
	chosen = append(chosen, full)
	slices.Sort(chosen)
	chosen = slices.Compact(chosen)

	unit := int64(0)
	for _, d := range chosen {
		share := int64(d)
		if s.SPB.Measure != "layers" && backward[full] > 0 {
			share = int64(backward[d])
		}
		unit = gcd(unit, share)
		j.Depths = append(j.Depths, Depth{d, share})
	}
	for d := range j.Depths {
		j.Depths[d].Share /= unit
	}
	j.SegmentBytes = make([]Bytes, len(chosen))
	for s, d := range chosen {
		from := 0
		if s > 0 {
			from = chosen[s-1]
		}
		for _, l := range p.Layers[full-d : full-from] {
			j.SegmentBytes[s] += l.Parameters
		}
	}
	return true
}

// nearestCuts names the legal cuts on either side of a depth that is none.
func nearestCuts(p *Profile, d int) string {
	full := len(p.Layers)
	below, above := min(d, full), max(d, 1)
	for below > 0 && !p.CutAllowed(below) {
		below--
	}
	for above < full && !p.CutAllowed(above) {
		above++
	}
	switch {
	case below < 1:
		return fmt.Sprintf("the nearest is %d", above)
	case above > full:
		return fmt.Sprintf("the nearest is %d", below)
	}
	return fmt.Sprintf("the nearest are %d and %d", below, above)
}

// rule compiles the SPB rule; the job's depths may still be unknown.
func (c *compiler) rule(path string, s *JobSpec, j *Job) {
	before := len(c.problems)
	bad := func(field, format string, args ...any) { c.problems.Add(path+".spb."+field, format, args...) }
	spb := &s.SPB
	if spb.Cuts < 0 || spb.Cuts > MaxDepths {
		bad("cuts", "%d cuts; choose 1 to %d", spb.Cuts, MaxDepths)
	}
	if len(spb.Depths) > MaxDepths {
		bad("depths", "%d depths are more than %d", len(spb.Depths), MaxDepths)
	}
	if len(spb.Depths) > 0 && spb.Cuts != 0 {
		bad("depths", "give either cuts or depths, not both")
	}
	if spb.Measure != "" && spb.Measure != "backward_time" && spb.Measure != "layers" {
		bad("measure", "unknown measure %q; choose backward_time or layers", Clip(spb.Measure))
	}
	if spb.Rule != "free" && (spb.MinFull != 0 || spb.MinMeanDepth != 0) {
		bad("rule", "min_full and min_mean_depth belong to rule: free")
	}
	m := len(j.Depths)
	switch spb.Rule {
	case "full":
		if m > 0 {
			j.Rule.Fixed = make([]int, m)
			j.Rule.Fixed[m-1] = j.Workers
		}
	case "", "ladder":
		if m > 0 {
			j.Rule.Fixed = ladder(j)
		}
	case "free":
		if spb.MinFull < 0 || spb.MinFull > j.Workers {
			bad("min_full", "%d full-depth workers; choose 1 to the job's %d workers", spb.MinFull, j.Workers)
		}
		if spb.MinMeanDepth < 0 || spb.MinMeanDepth > One {
			bad("min_mean_depth", "a mean depth-fraction of %v is out of range; choose 0 to 1", spb.MinMeanDepth)
		}
		j.Rule.MinFull = max(1, spb.MinFull)
		if m > 0 && len(c.problems) == before {
			// The sum of the shares is whole: rounding up loses nothing.
			whole := saturatingMul(j.Depths[m-1].Share, int64(j.Workers))
			if saturatingMul(whole, int64(max(1, s.GPUsPerWorker))) > maxShares {
				bad("measure", "the backward times of %d workers have too many digits to be added up exactly; give them in whole microseconds, or choose measure: layers",
					j.Workers)
			}
			j.Rule.MinShare = ceilMulDiv(whole, int64(spb.MinMeanDepth), int64(One))
		}
	default:
		bad("rule", "unknown rule %q; choose full, ladder or free", Clip(spb.Rule))
	}
}

// ladder gives worker i of k the shallowest allowed depth of at least i/k of
// the layers.
func ladder(j *Job) []int {
	counts := make([]int, len(j.Depths))
	layers := int64(j.Depths[j.Full()].Layers)
	d := 0
	for i := 1; i <= j.Workers; i++ {
		for int64(j.Depths[d].Layers)*int64(j.Workers) < int64(i)*layers {
			d++
		}
		counts[d]++
	}
	return counts
}

// group turns a job of workers into one of their GPUs, of which rules ask as much more.
func (j *Job) group(s *JobSpec) {
	if s.GPUsPerWorker <= 1 {
		return
	}
	j.GPUsPerWorker = s.GPUsPerWorker
	j.Workers *= j.GPUsPerWorker
	for d := range j.Rule.Fixed {
		j.Rule.Fixed[d] *= j.GPUsPerWorker
	}
	j.Rule.MinFull *= j.GPUsPerWorker
	j.Rule.MinShare *= int64(j.GPUsPerWorker)
}

// room checks that the cluster has a place with enough GPUs for the job.
func (c *compiler) room(path string, j *Job) {
	inCluster, inRack, inNode, g := 0, 0, 0, j.Group()
	for _, r := range c.in.Racks {
		rack := 0
		for _, n := range r.Nodes {
			if node := &c.in.Nodes[n]; j.Runs(node.Type) {
				rack += node.GPUs / g * g
				inNode = max(inNode, node.GPUs/g*g)
			}
		}
		inRack = max(inRack, rack)
		inCluster += rack
	}
	limit, what := inCluster, "that the cluster has for it"
	switch j.Within {
	case WithinNode:
		limit, what = inNode, "of its node limit"
	case WithinRack:
		limit, what = inRack, "of its rack limit"
	}
	switch {
	case inNode == 0 && g == 1:
		var types []string
		for t := range c.in.Types {
			if j.Runs(TypeID(t)) {
				types = append(types, c.in.Types[t].Name)
			}
		}
		c.problems.Add(path+".model", "its profiles and its placement leave only GPUs of type %s, which no node has; for others say in cluster.gpu_types whose profiles to use: profiled_as",
			strings.Join(types, " or "))
	case inNode == 0:
		c.problems.Add(path+".gpus_per_worker", "%d GPUs of one node: no node that the job may use has so many", g)
	case j.Workers > limit && g > 1:
		c.problems.Add(path+".workers", "%d workers of %d GPUs exceed the %d GPUs, in groups of %d in a node, %s", j.Workers/g, g, limit, g, what)
	case j.Workers > limit:
		c.problems.Add(path+".workers", "%d workers exceed the %s %s", j.Workers, GPUCount(limit), what)
	}
}
