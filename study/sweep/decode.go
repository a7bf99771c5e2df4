package sweep

import (
	"fmt"
	"math"
	"regexp"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/codec"
	"jigsaw/formulation/instance/profiles"
)

// Study is a spec that has been read and validated.
type Study struct {
	*Spec
	// Data is the file as given.
	Data    []byte
	library *profiles.Library
}

// Library of profiles that the study draws from: the built-in ones and its own.
func (s *Study) Library() *profiles.Library { return s.library }

// Limits on a study, and on a cell.
const (
	maxCells   = 1_000_000
	maxWorkers = 1_000_000
)

// Decode reads a study file, YAML or JSON, as strictly as [codec.Decode] reads
// instances. All errors are reported together, as [instance.Problems].
func Decode(data []byte) (*Study, error) {
	library, err := profiles.Builtin()
	if err != nil {
		return nil, err
	}
	s := &Study{Spec: &Spec{}, Data: data, library: library}
	file, err := codec.DecodeFile(data, Version, s.Spec)
	if err != nil {
		return nil, err
	}
	v := validator{Study: s}
	v.profiles()
	v.study()
	if len(v.problems) > 0 {
		file.Locate(v.problems)
		return nil, v.problems
	}
	return s, nil
}

// validator collects the errors in a spec.
type validator struct {
	*Study
	problems instance.Problems
}

// maxProblems limits the errors reported for an invalid file.
const maxProblems = 50

func (v *validator) bad(path, format string, args ...any) {
	if len(v.problems) < maxProblems {
		v.problems = append(v.problems, instance.Problem{Path: path, Message: fmt.Sprintf(format, args...)})
	}
}

// namePattern keeps names usable in file names, labels and shells.
var namePattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,59}$`)

func (v *validator) name(path, name string, seen map[string]bool) {
	switch {
	case !namePattern.MatchString(name):
		v.bad(path, "%q is not a name; use 1 to 60 letters, digits, points, dashes and underscores", instance.Clip(name))
	case seen[name]:
		v.bad(path, "there is another %q; names must differ", name)
	}
	seen[name] = true
}

// profiles adds the study's own profiles to the library.
func (v *validator) profiles() {
	for i, p := range v.Profiles {
		path := fmt.Sprintf("profiles[%d]", i)
		for _, problem := range p.Validate() {
			v.bad(path+"."+problem.Path, "%s", problem.Message)
		}
	}
	if len(v.problems) > 0 {
		return
	}
	library, err := v.library.With(v.Profiles...)
	if err != nil {
		v.bad("profiles", "%v", err)
		return
	}
	v.library = library
}

func (v *validator) study() {
	v.name("name", v.Name, map[string]bool{})
	if v.TickUS < 0 || v.TickUS > 1e9 {
		v.bad("tick_us", "a tick of %d us is out of range; choose 1 to 1000000000", v.TickUS)
	}
	if len(v.Mixes) == 0 {
		v.bad("mixes", "list at least one mix of jobs")
	}
	seen := map[string]bool{}
	for i := range v.Mixes {
		path := fmt.Sprintf("mixes[%d]", i)
		v.name(path+".name", v.Mixes[i].Name, seen)
		v.mixOf(path, &v.Mixes[i])
	}
	seen = map[string]bool{}
	for i := range v.Methods {
		path := fmt.Sprintf("methods[%d]", i)
		v.name(path+".name", v.Methods[i].Name, seen)
		v.methodOf(path, &v.Methods[i])
	}
	v.axesOf("base", &v.Base)
	if len(v.Sweeps) == 0 {
		v.bad("sweeps", "list at least one sweep")
	}
	total := 0.0
	seen = map[string]bool{}
	for i := range v.Sweeps {
		w, path := &v.Sweeps[i], fmt.Sprintf("sweeps[%d]", i)
		v.name(path+".name", w.Name, seen)
		v.axesOf(path+".axes", &w.Axes)
		total += v.sweep(path, w)
	}
	if total > maxCells {
		v.bad("sweeps", "the study has %.3g cells, more than %d; shorten axes, or take a sample", total, maxCells)
	}
	if len(v.problems) == 0 {
		v.cells()
	}
}

// sweep checks a sweep with the base's axes and returns its number of cells.
func (v *validator) sweep(path string, w *Sweep) float64 {
	a := v.axes(w)
	if len(a.Clusters) == 0 {
		v.bad(path+".axes", `no clusters; list them here or in base, like clusters: [1x8x8]`)
	}
	if w.Axis != "" && AxisNamed(w.Axis) == nil {
		v.bad(path+".axis", "there is no axis %q; choose one of %s", instance.Clip(w.Axis), AxisNames())
	}
	for _, shape := range a.Clusters {
		for _, load := range a.Load {
			if workers := float64(shape.Total()) * load.Float(); workers > maxWorkers {
				v.bad(path+".axes", "a load of %v on %v is %.3g workers, more than %d", load, shape, workers, maxWorkers)
			}
		}
	}
	size := a.size()
	if math.IsInf(size, 0) || size > 1e12 {
		v.bad(path, "the product has %.3g cells; shorten axes", size)
	}
	if w.Sample == nil {
		return size
	}
	if w.Sample.Cells < 1 {
		v.bad(path+".sample.cells", "a sample of %d cells; choose at least 1", w.Sample.Cells)
	}
	if size > maxCells {
		v.bad(path, "a sample is drawn from at most %d cells, not %.3g; shorten axes", maxCells, size)
	}
	return min(size, float64(w.Sample.Cells))
}

// maxMost limits numbers that only need to stay far from overflow.
const maxMost = 1_000_000

func (v *validator) mixOf(path string, m *Mix) {
	if len(m.Models) == 0 {
		v.bad(path+".models", "list at least one model")
	}
	for i, c := range m.Models {
		at := fmt.Sprintf("%s.models[%d]", path, i)
		if len(v.library.Profiles(c.Model)) == 0 {
			v.bad(at+".model", "there is no profile of model %q; see jigsaw profile list, or add one under profiles", instance.Clip(c.Model))
		}
		if c.Batch < 0 {
			v.bad(at+".batch", "the batch size %d is negative", c.Batch)
		}
		v.weight(at, c.Weight)
	}
	for i, c := range m.Counts {
		at := fmt.Sprintf("%s.workers[%d]", path, i)
		if c.Workers < 1 || c.Workers > maxMost {
			v.bad(at+".workers", "%d workers; choose 1 to %d", c.Workers, maxMost)
		}
		v.weight(at, c.Weight)
	}
	for i, c := range m.Seconds {
		at := fmt.Sprintf("%s.seconds[%d]", path, i)
		if c.Time <= 0 || c.Time > 24*3600e9 {
			v.bad(at+".time", "a job of %v; choose more than 0s and at most 24h", c.Time)
		}
		v.weight(at, c.Weight)
	}
	for i, w := range m.Weights {
		if w < 1 || w > maxMost {
			v.bad(fmt.Sprintf("%s.weights[%d]", path, i), "a weight of %d; choose 1 to %d", w, maxMost)
		}
	}
	if m.Releases < 0 || m.Releases > 24*3600e9 {
		v.bad(path+".releases", "choose at most 24h, and not below 0s")
	}
}

func (v *validator) weight(path string, weight int) {
	if weight < 0 || weight > maxMost {
		v.bad(path+".weight", "a weight of %d; choose 1 to %d", weight, maxMost)
	}
}

func (v *validator) methodOf(path string, m *Method) {
	if m.Time < 0 {
		v.bad(path+".time", "a time limit cannot be negative")
	}
	if m.Effort < 0 || m.Effort > maxMost {
		v.bad(path+".effort", "an effort of %d; choose 1 to %d", m.Effort, maxMost)
	}
	if m.Gap < 0 || m.Gap >= instance.One {
		v.bad(path+".gap", "a gap of %v; choose less than 1", m.Gap)
	}
}

// axesOf checks an axis by itself.
func (v *validator) axesOf(path string, a *Axes) {
	for _, axis := range AllAxes() {
		axis.once(v, path, a)
	}
	for i, s := range a.Speeds {
		v.positive(fmt.Sprintf("%s.speeds[%d]", path, i), "speed", int64(s))
	}
	for i, m := range a.Memory {
		v.positive(fmt.Sprintf("%s.memory[%d]", path, i), "memory", int64(m))
	}
	for i, r := range a.NIC {
		v.positive(fmt.Sprintf("%s.nic[%d]", path, i), "NIC", int64(r))
	}
	for i, r := range a.Fabric {
		v.positive(fmt.Sprintf("%s.fabric[%d]", path, i), "fabric", int64(r))
	}
	for i, r := range a.Oversubscription {
		v.positive(fmt.Sprintf("%s.oversubscription[%d]", path, i), "oversubscription", int64(r))
	}
	for i, l := range a.Load {
		if l <= 0 || l > 1000*instance.One {
			v.bad(fmt.Sprintf("%s.load[%d]", path, i), "a load of %v workers per GPU; choose more than 0 and at most 1000", l)
		}
	}
	for i, k := range a.Workers {
		if k < 0 || k > maxMost {
			v.bad(fmt.Sprintf("%s.workers[%d]", path, i), "%d workers; choose 1 to %d, or 0 for the mix's own", k, maxMost)
		}
	}
	for i, name := range a.Mixes {
		if v.mix(name) == nil {
			v.bad(fmt.Sprintf("%s.mixes[%d]", path, i), "there is no mix %q; list it under mixes", instance.Clip(name))
		}
	}
	for i, name := range a.Methods {
		if v.method(name) == nil {
			v.bad(fmt.Sprintf("%s.methods[%d]", path, i), "there is no method %q; list it under methods", instance.Clip(name))
		}
	}
}

// once reports a value that a list contains twice, by the names that reports use to
// distinguish values: its cells would count twice.
func once[V any](v *validator, path string, list []V) {
	seen := map[string]int{}
	for i, value := range list {
		name := fmt.Sprint(value)
		if rule, ok := any(value).(instance.SPBSpec); ok {
			name = RuleName(rule)
		}
		if first, twice := seen[name]; twice {
			v.bad(fmt.Sprintf("%s[%d]", path, i), "%s is already number %d of the list; each value is listed once", instance.Clip(name), first+1)
			return // one report per list is enough
		}
		seen[name] = i
	}
}

func (v *validator) positive(path, what string, value int64) {
	if value <= 0 {
		v.bad(path, "a %s of 0; choose more", what)
	}
}

// cells makes the instance of one cell of every kind that can fail by itself,
// so that an error shows before hours of planning: the compiler knows best what
// is valid.
func (v *validator) cells() {
	for i := range v.Sweeps {
		w, path := &v.Sweeps[i], fmt.Sprintf("sweeps[%d]", i)
		type kind struct {
			cluster                Shape
			gpu, mix, rule, memory string
			workers                int
			objective              instance.Objective
		}
		seen := map[kind]bool{}
		for _, c := range v.Cells(w) {
			k := kind{c.Cluster, c.GPU, c.Mix.Name, fmt.Sprint(c.SPB), c.Memory.String() + " " + string(c.Residence), c.Workers, c.Objective}
			if seen[k] {
				continue
			}
			seen[k] = true
			if len(c.counts()) == 0 {
				v.bad(path, "mix %q has no number of workers that fits the %d GPUs of %v", c.Mix.Name, c.Cluster.Total(), c.Cluster)
				continue
			}
			if c.Workers > c.Cluster.Total() {
				v.bad(path, "jobs of %d workers do not fit the %d GPUs of %v", c.Workers, c.Cluster.Total(), c.Cluster)
				continue
			}
			if err := v.trial(&c); err != nil {
				v.bad(path, "its cell of mix %q on %v, %s: %v", c.Mix.Name, c.Cluster, RuleName(c.SPB), err)
			}
			if len(seen) >= 200 {
				break // the rest fails when its turn comes
			}
		}
	}
}

// trial compiles a cell with one job for every choice of the mix, on a cluster
// no larger than the cell's.
func (v *validator) trial(c *Cell) error {
	spec, err := c.Spec(v.library)
	if err != nil {
		return err
	}
	if len(spec.Jobs) > 50 {
		spec.Jobs = spec.Jobs[:50]
	}
	for _, m := range c.Mix.Models {
		if _, err := profile(v.library, m, c.GPU); err != nil {
			return err
		}
	}
	_, err = instance.Compile(spec, v.library)
	return err
}
