package instance

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Bursts is a compiled [Spec] of burst-parallel jobs and what may run behind them; see
// section 9 of docs/problem.md. Its instance has the cluster, with ticks of a microsecond, and the
// background jobs, each of one worker at full depth.
type Bursts struct {
	*Instance
	Foreground []BurstJob
	// Latency of each collective, exactly.
	Latency Duration
	// Slice is the least time that a background job runs without a break.
	Slice Duration
}

// BurstJob is a burst-parallel job. It has the first GPUs of a node that no other such job is on.
type BurstJob struct {
	Name          string
	Batch         int // of all GPUs together
	GPUs          int // the most of a layer, a power of two
	Node          NodeID
	Amplification Ratio
	Slowdown      Ratio
	// Profiles of the model on the node's type of GPU, at every batch that there is one of.
	Profiles []*Profile
	// Kept is how many bytes stay in memory for each byte of parameters.
	Kept int64
}

// Burst is the kind of jobs that are burst parallel.
const Burst = "burst"

// Defaults of burst-parallel jobs, and of those behind them.
const (
	DefaultAmplification = 2 * One
	DefaultSlowdown      = One + One/10
	DefaultSlice         = Duration(500_000)
)

// MaxSlowdown is the most by which the background may lengthen an iteration.
const MaxSlowdown = 10 * One

// Bursts reports whether the spec has jobs that only [CompileBursts] takes.
func (s *Spec) Bursts() bool { return s.bursts() != "" }

// bursts is the path of what makes the first such job one; empty where there is none.
func (s *Spec) bursts() string {
	for i := range s.Jobs {
		switch j := &s.Jobs[i]; {
		case j.Disabled:
		case j.Kind == Burst:
			return fmt.Sprintf("jobs[%d].kind", i)
		case j.Background:
			return fmt.Sprintf("jobs[%d].background", i)
		}
	}
	return ""
}

// kind checks the keys that only burst-parallel and background jobs have.
func (c *compiler) kind(path string, s *JobSpec) {
	if s.Kind != "" && s.Kind != Burst {
		c.problems.Add(path+".kind", "unknown kind %q; choose burst, or leave it out", Clip(s.Kind))
		return
	}
	for _, key := range []struct {
		name  string
		given bool
	}{{"gpus", s.GPUs != 0}, {"amplification", s.Amplification != 0}, {"slowdown", s.Slowdown != 0}} {
		if key.given && s.Kind != Burst {
			c.problems.Add(path+"."+key.name, "only jobs of kind: burst have this; remove it or set the kind")
		}
	}
	if s.Slice != 0 && !s.Background {
		c.problems.Add(path+".slice", "only background jobs are cut into slices; remove it or set background: true")
	}
}

// CompileBursts is [Compile] of a spec of burst-parallel jobs and background jobs.
func CompileBursts(spec *Spec, library ProfileSource) (*Bursts, error) {
	plain := *spec // the cluster and the background, as jobs of one worker
	plain.Jobs = slices.Clone(spec.Jobs)
	c := compiler{spec: &plain, library: library, in: &Instance{Name: spec.Name, TickUS: 1}}
	b := &Bursts{Instance: c.in, Latency: spec.Cluster.Latency}
	c.unused("", &plain, "version", "name", "lesson", "cluster", "profiles", "jobs")
	c.unused("cluster.", &plain.Cluster, "gpu_types", "racks", "switches", "nodes", "links", "exceptions", "failed_links", "failed_nodes", "degraded_links", "latency")
	plain.TickUS = 1
	c.header()
	c.cluster()
	c.profiles()
	background := false
	for i := range spec.Jobs {
		s, path := &spec.Jobs[i], fmt.Sprintf("jobs[%d]", i)
		if s.Disabled {
			continue
		}
		before := len(c.problems)
		c.kind(path, s)
		c.unused(path+".placement.", &s.Placement, "gpu_types")
		switch {
		case s.Kind == Burst:
			c.unused(path+".", s, "name", "count", "kind", "model", "batch", "gpus", "amplification", "slowdown", "optimizer", "placement")
		case s.Background:
			c.unused(path+".", s, "name", "count", "model", "batch", "workers", "background", "slice", "optimizer", "placement")
			background = true
			c.slice(path, s, b)
			if s.Workers > 1 {
				c.problems.Add(path+".workers", "%d workers; a background job runs on one GPU", s.Workers)
			}
		default:
			c.problems.Add(path, "a job with workers cannot be planned together with burst-parallel jobs; give it background: true, or a file of its own")
		}
		plain.Jobs[i] = JobSpec{
			Name: s.Name, Count: s.Count, Model: s.Model, Batch: s.Batch, Workers: 1, Optimizer: s.Optimizer,
			Placement: PlacementSpec{GPUTypes: s.Placement.GPUTypes}, SPB: SPBSpec{Rule: "full"},
			Disabled: !s.Background || len(c.problems) > before,
		}
	}
	if !slices.ContainsFunc(spec.Jobs, func(j JobSpec) bool { return !j.Disabled && j.Kind == Burst }) {
		c.problems.Add("jobs", "there is no burst-parallel job for background jobs to run behind; give one kind: burst, or leave background out")
	}
	if background && len(c.problems) == 0 {
		c.jobs()
	}
	if b.Slice == 0 {
		b.Slice = DefaultSlice
	}
	c.foreground(spec, b)
	c.horizon()
	if err := c.problems.err(); err != nil {
		return nil, err
	}
	c.in.classify()
	return b, nil
}

// slice notes the slice of a background job, which is that of all.
func (c *compiler) slice(path string, s *JobSpec, b *Bursts) {
	slice := s.Slice
	if slice == 0 {
		slice = DefaultSlice
	}
	switch {
	case slice < 0:
		c.problems.Add(path+".slice", "must not be negative")
	case b.Slice != 0 && slice != b.Slice:
		c.problems.Add(path+".slice", "a slice of %v, but another background job has %v; give all of them the same", slice, b.Slice)
	default:
		b.Slice = slice
	}
}

// unused refuses what is given and means nothing for burst-parallel jobs, and takes it away, so that nothing
// else is said of it.
func (c *compiler) unused(path string, given any, used ...string) {
	v := reflect.ValueOf(given).Elem()
	for i := range v.NumField() {
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("yaml"), ",")
		if !v.Field(i).IsZero() && !slices.Contains(used, name) {
			c.problems.Add(path+name, "this has no meaning in files with burst-parallel jobs; leave it out")
			v.Field(i).SetZero()
		}
	}
}

// foreground compiles the burst-parallel jobs, and gives each a node: those of most GPUs first, and the
// nodes of most GPUs first. If any nodes do, these do.
func (c *compiler) foreground(spec *Spec, b *Bursts) {
	if len(c.problems) > 0 {
		return
	}
	seen := map[string]bool{}
	for i := range b.Jobs {
		seen[b.Jobs[i].Name] = true
	}
	var types []TypeID
	var paths []string
	for i := range spec.Jobs {
		s, path := &spec.Jobs[i], fmt.Sprintf("jobs[%d]", i)
		if s.Disabled || s.Kind != Burst {
			continue
		}
		before := len(c.problems)
		job, t := c.burst(path, s)
		for n := range min(max(1, s.Count), MaxJobs) {
			if job.Name = s.Name; s.Count > 1 {
				job.Name += "-" + strconv.Itoa(n+1)
			}
			c.name(path+".name", job.Name, "job", seen)
			b.Foreground, types, paths = append(b.Foreground, job), append(types, t), append(paths, path)
		}
		for i := before; i < len(c.problems); i++ {
			c.problems[i].Subject = s.Name
		}
	}
	if len(c.problems) > 0 {
		return
	}
	order, nodes := UpTo[int](len(b.Foreground)), UpTo[NodeID](len(b.Nodes))
	slices.SortStableFunc(order, func(i, j int) int { return b.Foreground[j].GPUs - b.Foreground[i].GPUs })
	slices.SortStableFunc(nodes, func(m, n NodeID) int { return b.Nodes[n].GPUs - b.Nodes[m].GPUs })
	for _, i := range order {
		job := &b.Foreground[i]
		at := slices.IndexFunc(nodes, func(n NodeID) bool {
			node := &b.Nodes[n]
			fabric := &b.Links[node.Fabric]
			return node.Type == types[i] && (job.GPUs == 1 || !fabric.Failed && fabric.Capacity > 0)
		})
		if at < 0 || b.Nodes[nodes[at]].GPUs < job.GPUs {
			c.problems.Add(paths[i]+".gpus", "no node of %s is left that has %d GPUs and a fabric that works; every burst-parallel job has a node of its own", Clip(b.Types[types[i]].Name), job.GPUs)
			return
		}
		job.Node = nodes[at]
		nodes = slices.Delete(nodes, at, at+1)
	}
}

// burst compiles a burst-parallel job but for its node, and says what type of GPU it runs on.
func (c *compiler) burst(path string, s *JobSpec) (job BurstJob, t TypeID) {
	bad := func(field, format string, args ...any) { c.problems.Add(path+field, format, args...) }
	job = BurstJob{Batch: s.Batch, GPUs: s.GPUs, Amplification: s.Amplification, Slowdown: s.Slowdown}
	if job.Amplification == 0 {
		job.Amplification = DefaultAmplification
	}
	if job.Slowdown == 0 {
		job.Slowdown = DefaultSlowdown
	}
	if s.Count < 0 || s.Count > MaxJobs {
		bad(".count", "%d jobs are too many or too few; choose 1 to %d in all", s.Count, MaxJobs)
	}
	if s.GPUs < 1 || s.GPUs > MaxNodeGPUs || s.GPUs&(s.GPUs-1) != 0 {
		bad(".gpus", "%d GPUs; choose a power of two up to %d, the most that a layer may have", s.GPUs, MaxNodeGPUs)
	}
	if s.Batch < 1 || s.Batch > MaxBatch {
		bad(".batch", "a global batch of %d; choose 1 to %d, the samples of an iteration over all GPUs", s.Batch, MaxBatch)
	}
	if job.Amplification < One {
		bad(".amplification", "a limit of %v; choose at least 1", job.Amplification)
	}
	if job.Slowdown < One || job.Slowdown > MaxSlowdown {
		bad(".slowdown", "a slowdown of %v; choose 1 to %v", job.Slowdown, MaxSlowdown)
	}
	if _, known := states[s.Optimizer]; !known {
		bad(".optimizer", "unknown optimizer %q; choose sgd, momentum or adam", Clip(s.Optimizer))
	}
	profiles := c.modelProfiles(s.Model)
	if len(profiles) == 0 {
		bad(".model", "no profile of model %q%s", Clip(s.Model), DidYouMean(s.Model, c.modelNames(), "; add one under profiles"))
		return job, t
	}
	var on []string
	for i, allowed := range c.allowedTypes(path, s) {
		if !allowed || !slices.ContainsFunc(c.in.Nodes, func(n Node) bool { return n.Type == TypeID(i) }) {
			continue
		}
		if found := c.everyBatch(profiles, i); len(found) > 0 {
			t, job.Profiles = TypeID(i), found
			on = append(on, c.in.Types[i].Name)
		}
	}
	switch {
	case len(on) == 0:
		bad(".model", "model %q has no profile for the types of GPU that nodes have and the job may use; there is one for %s", Clip(s.Model), profiles[0].GPU)
		return job, t
	case len(on) > 1:
		bad(".placement.gpu_types", "the job could run on %s; choose one of them, like gpu_types: [%s]", strings.Join(on, ", "), on[0])
	}
	job.Kept, _ = KeptFor(s.Optimizer, job.Profiles[0])
	return job, t
}

// KeptFor is how many bytes training keeps for each byte of a profile's parameters, these included; known is whether there is such an optimizer.
func KeptFor(optimizer string, p *Profile) (bytes int64, known bool) {
	state, known := states[optimizer]
	if p.Precision != "" {
		return 4 + 2*state, known
	}
	return 2 + state, known
}

// everyBatch returns the profiles that serve for GPU type t, of every batch, at the type's speed.
func (c *compiler) everyBatch(profiles []*Profile, t int) (found []*Profile) {
	as := c.spec.Cluster.GPUTypes[t].ProfiledAs
	if len(as) == 0 {
		as = []ProfiledAs{{GPU: c.spec.Cluster.GPUTypes[t].Name}}
	}
	for _, a := range as {
		for _, p := range profiles {
			if p.GPU == a.GPU {
				found = append(found, p.faster(a.Speed))
			}
		}
		if len(found) > 0 {
			break
		}
	}
	return found
}

// faster returns the profile with its times divided by a speed, each rounded up; 0 means 1.
func (p *Profile) faster(speed Ratio) *Profile {
	if speed == 0 || speed == One {
		return p
	}
	q := *p
	q.Layers = slices.Clone(p.Layers)
	for i := range q.Layers {
		l := &q.Layers[i]
		l.Forward = Duration(ceilMulDiv(int64(l.Forward), int64(One), int64(speed)))
		l.Backward = Duration(ceilMulDiv(int64(l.Backward), int64(One), int64(speed)))
	}
	return &q
}
