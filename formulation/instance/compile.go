package instance

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
)

// Limits of what can be planned. They keep compiled integers far from
// overflow and hostile files from filling memory.
const (
	MaxGPUs       = 1 << 20
	MaxNodes      = 1 << 17
	MaxNodeGPUs   = 1024
	MaxJobs       = 1 << 17
	MaxIterations = 1_000_000_000
	MaxWeight     = 1_000_000_000
	MaxDepths     = 16
	maxShares     = 1 << 53       // of a job's workers: exact in floating point
	maxTicks      = Tick(1) << 40 // of a task
	maxSyncTicks  = Tick(1) << 36
	maxHorizon    = Tick(1) << 60 // of all jobs, one after the other; of a long instance, on all their GPUs
	MaxTickUS     = 60_000_000
	// MaxTime is the latest tick of a schedule.
	MaxTime      = Tick(1) << 60
	maxRateParts = 1 << 32
	maxRate      = 4 * MaxQuantity // of a link, in parts of a bit/s
)

// Compile checks the spec and turns it into an [Instance]. Models that the
// spec has no profile for are looked up in library, which may be nil. Every
// mistake is reported: an error is of type [Problems], in file order.
func Compile(spec *Spec, library ProfileSource) (*Instance, error) {
	c := compiler{spec: spec, library: library, in: &Instance{
		Name: spec.Name, TickUS: spec.TickUS, Objective: spec.Objective,
	}}
	if at := spec.bursts(); at != "" {
		c.problems.Add(at, "burst-parallel jobs and their background jobs have plans of another kind: only jigsaw plan makes them and jigsaw check checks them, on the command line")
		return nil, c.problems
	}
	if i := slices.IndexFunc(spec.Jobs, func(j JobSpec) bool { return !j.Disabled && len(j.Moldable) > 0 }); i >= 0 {
		c.problems.Add(fmt.Sprintf("jobs[%d].moldable", i), "the number of workers is still to be chosen: jigsaw plan chooses it, and its --write writes an instance that all commands take")
		return nil, c.problems
	}
	c.header()
	c.cluster()
	c.profiles()
	c.jobs()
	c.horizon()
	if err := c.problems.err(); err != nil {
		return nil, err
	}
	c.in.classify()
	return c.in, nil
}

// compiler carries one compilation: the instance as it grows and the problems
// found so far. Later steps skip what earlier problems made unusable.
type compiler struct {
	spec     *Spec
	library  ProfileSource
	in       *Instance
	problems Problems

	types  map[string]TypeID
	except exceptions
	lost   map[string]bool       // nodes that failed, and whether the cluster has them
	broken map[string]bool       // GPUs that failed, likewise
	own    map[string][]*Profile // the spec's profiles by model
}

func (c *compiler) header() {
	in := c.in
	if in.Name != "" {
		c.name("name", in.Name, "scenario", map[string]bool{}) // it is printed, to terminals as well
	}
	if c.spec.Version != Version {
		c.problems.Add("version", "version %d is not supported; write version: %d", c.spec.Version, Version)
	}
	if in.TickUS == 0 {
		in.TickUS = 1000
	}
	if in.TickUS < 0 || in.TickUS > MaxTickUS {
		c.problems.Add("tick_us", "a tick of %d us is out of range; choose 1 to %d", in.TickUS, MaxTickUS)
		in.TickUS = 1000
	}
	if in.Objective == "" {
		in.Objective = Makespan
	}
	if !in.Objective.valid() {
		c.problems.Add("objective", "unknown objective %q; choose %s", Clip(string(in.Objective)), choice(Objectives()))
		in.Objective = Makespan
	}
	c.residence()
	if a := c.spec.Activations; a != "" && a != Shared && a != Kept {
		c.problems.Add("activations", "unknown activations %q; choose shared or kept", Clip(string(a)))
	}
	if c.spec.MaxPeriod < 0 {
		c.problems.Add("max_period", "must not be negative")
	}
	if c.spec.MaxPeriod > 0 {
		if !in.Objective.Periodic() {
			c.problems.Add("max_period", "only the throughput objectives have a period; remove it or set the objective")
		} else {
			in.MaxPeriod = c.floorTicks("max_period", c.spec.MaxPeriod)
		}
	}
}

func (o Objective) valid() bool {
	for _, known := range Objectives() {
		if o == known {
			return true
		}
	}
	return false
}

// ceilTicks converts a duration run at a relative speed to whole ticks,
// rounded up.
func (c *compiler) ceilTicks(path string, d Duration, speed Ratio) Tick {
	if d < 0 {
		c.problems.Add(path, "must not be negative")
		return 0
	}
	// A tick is tick_us x 1000 ns, and speed / 10^6.
	return c.inRange(path, d, Tick(ceilMulDiv(int64(d), int64(One)/1000, int64(speed)*c.in.TickUS)))
}

// floorTicks converts what limits a plan to whole ticks, of which there is one at the least.
func (c *compiler) floorTicks(path string, d Duration) Tick {
	t := Tick(int64(d) / (c.in.TickUS * 1000))
	if t == 0 {
		c.problems.Add(path, "%v is shorter than a tick of %d us", d, c.in.TickUS)
	}
	return c.inRange(path, d, t)
}

// inRange refuses times of which the sums could overflow.
func (c *compiler) inRange(path string, d Duration, t Tick) Tick {
	if t > maxTicks {
		c.problems.Add(path, "%v is %d ticks of %d us, more than %d; choose a longer tick_us", d, t, c.in.TickUS, maxTicks)
		return maxTicks
	}
	return t
}

// horizon refuses instances whose times could overflow: planners may put all
// jobs one after the other, at the slowest rate of the slowest link.
func (c *compiler) horizon() {
	in := c.in
	if len(c.problems) > 0 {
		return
	}
	slowest := in.Links[0].Capacity
	for _, l := range in.Links {
		slowest = min(slowest, l.Capacity)
	}
	// A ring crosses a link at most once for every rack; shares are whole bit/s.
	rate := float64(max(1, int(slowest)/len(in.Racks))) / float64(slices.Max(in.RateLevels))
	total, work := 0.0, 0.0
	for i := range in.Jobs {
		j := &in.Jobs[i]
		sync := float64(in.Latency)
		if j.HasSync() {
			volume := 0.0
			for _, g := range j.SegmentBytes {
				volume += float64(2+j.MoreReductions+j.MoreGathers) * (float64(g) + 1)
			}
			if volume > 1<<60 {
				c.problems.Add("jobs", "a synchronisation of %q may move more than 2^60 bytes; accumulate fewer micro-batches", Clip(j.Name))
				return
			}
			sync = max(sync, volume*8e6/rate/float64(in.TickUS))
		}
		if sync > float64(maxSyncTicks) {
			c.problems.Add("jobs", "a synchronisation of %q may take more than %d ticks on the slowest link (%v); choose a longer tick_us or a faster link",
				Clip(j.Name), maxSyncTicks, slowest)
			return
		}
		task := Tick(0)
		for _, costs := range j.On {
			if costs != nil {
				task = max(task, costs.Time[j.Full()])
			}
		}
		total += float64(j.Release) + float64(j.Load) + float64(j.Iterations)*(float64(task)+sync+1)
		work += float64(j.Workers) * float64(j.Iterations) * (float64(task) + 1)
	}
	if in.Long() && work > float64(maxHorizon) {
		c.problems.Add("jobs", "the tasks of all jobs together may take more than 2^60 ticks; choose a longer tick_us")
	}
	if total > float64(maxHorizon) {
		c.problems.Add("jobs", "one after the other the jobs may take more than 2^60 ticks; choose a longer tick_us")
	}
}

// name checks a name and that it is new among seen.
func (c *compiler) name(path, name, what string, seen map[string]bool) {
	switch {
	case name == "":
		c.problems.Add(path, "a %s needs a name", what)
	case len(name) > 200:
		c.problems.Add(path, "the name is longer than 200 bytes")
	case strings.TrimSpace(name) == "":
		c.problems.Add(path, "the name is blank; a %s needs one that can be read", what)
	case !printable(name):
		c.problems.Add(path, "the name %+q holds characters that control a terminal or turn the direction of text; leave them out", Clip(name))
	case seen[name]:
		c.problems.Add(path, "there is another %s named %q; names must differ", what, Clip(name))
	}
	seen[name] = true
}

// printable refuses what moves a terminal's cursor, C1 controls too, or turns the direction
// of the text around it.
func printable(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool {
		return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\uFFFD' || r == '\u2028' || r == '\u2029'
	})
}

// profiles checks the spec's own profiles and files them by model.
func (c *compiler) profiles() {
	c.own = map[string][]*Profile{}
	for i, p := range c.spec.Profiles {
		path := fmt.Sprintf("profiles[%d]", i)
		if p == nil {
			c.problems.Add(path, "the profile is empty")
			continue
		}
		for _, problem := range p.Validate() {
			c.problems.Add(path+"."+problem.Path, "%s", problem.Message)
		}
		for _, other := range c.own[p.Model] {
			if other.GPU == p.GPU && other.Batch == p.Batch && other.Group() == p.Group() {
				c.problems.Add(path, "there is another profile of %q on %q at batch %d", Clip(p.Model), Clip(p.GPU), p.Batch)
			}
		}
		c.own[p.Model] = append(c.own[p.Model], p)
	}
}

// modelProfiles returns the profiles of a model: the spec's own, or else the library's.
func (c *compiler) modelProfiles(model string) []*Profile {
	if own := c.own[model]; len(own) > 0 {
		return own
	}
	if c.library == nil {
		return nil
	}
	return c.library.Profiles(model)
}

// modelNames returns the names of all models that a job may have, in order.
func (c *compiler) modelNames() []string {
	names := slices.Collect(maps.Keys(c.own))
	if c.library != nil {
		names = append(names, c.library.Models()...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
