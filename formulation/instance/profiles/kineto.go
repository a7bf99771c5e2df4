package profiles

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"jigsaw/formulation/instance"
)

const (
	kinetoNote = "Times are sums of what operations take, on a GPU their kernels, the median of the iterations; what passes between them is not in. " +
		"A backward pass that stops early is taken to save what the layers before it take. Frozen parameters, outputs and the workspace are not in the trace."
	kinetoHow = "record one worker with torch.profiler.profile(record_shapes=True, profile_memory=True, with_stack=True), a few whole iterations after a warm-up"

	kinetoModule     = "nn.Module: "
	kinetoEvaluate   = "autograd::engine::evaluate_function: "
	kinetoAccumulate = "torch::autograd::AccumulateGrad"
)

// kinetoSizes are the bytes of a number by its type, as traces name it.
var kinetoSizes = map[string]int64{"float": 4, "double": 8, "c10::Half": 2, "c10::BFloat16": 2}

// kinetoEvent is an event of a trace; times are in us.
type kinetoEvent struct {
	Cat  string          `json:"cat"`
	Name string          `json:"name"`
	TID  json.RawMessage `json:"tid"`
	TS   float64         `json:"ts"`
	Dur  float64         `json:"dur"`
	Args struct {
		Sequence   json.RawMessage `json:"Sequence number"`
		Dims       json.RawMessage `json:"Input Dims"`
		Types      json.RawMessage `json:"Input type"`
		Bytes      int64           `json:"Bytes"`
		DeviceType int             `json:"Device Type"`
		Addr       json.RawMessage `json:"Addr"`
		// Correlation links a kernel to its launch.
		Correlation json.RawMessage `json:"correlation"`
	} `json:"args"`
}

func (e *kinetoEvent) end() float64 { return e.TS + e.Dur }

// kinetoTrace holds the events that matter, each kind in order of time.
type kinetoTrace struct {
	modules, ops, memory []*kinetoEvent
	evaluated            []*kinetoEvent                  // functions of the backward pass
	costs                []*kinetoEvent                  // what takes time: operations, or launches that last as long as their kernels
	calls                map[*kinetoEvent][]*kinetoEvent // of modules by their caller, nil for the outermost
}

// kinetoLayers reads a trace of torch.profiler; see the package comment.
func kinetoLayers(data []byte) ([]instance.Layer, error) {
	t, err := readKineto(data)
	if err != nil {
		return nil, err
	}
	roots := t.roots()
	names := t.layers(roots[0])
	if len(names) < 2 {
		return nil, fmt.Errorf("profiles: module %s calls no modules of its own, so it has no layers; a compiled model hides them: record it without torch.compile", instance.Clip(roots[0].module()))
	}
	iterations := make([][]instance.Layer, len(roots))
	for i, root := range roots {
		until := math.Inf(1)
		if i+1 < len(roots) {
			until = roots[i+1].TS
		}
		if iterations[i], err = t.iteration(root, until, names); err != nil {
			return nil, fmt.Errorf("profiles: call %d of module %s: %w", i+1, instance.Clip(root.module()), err)
		}
	}
	layers := make([]instance.Layer, len(names))
	for k := range layers {
		layers[k] = instance.Layer{
			Name:        instance.Clip(names[k]),
			Forward:     median(iterations, func(it []instance.Layer) instance.Duration { return it[k].Forward }),
			Backward:    median(iterations, func(it []instance.Layer) instance.Duration { return it[k].Backward }),
			Parameters:  median(iterations, func(it []instance.Layer) instance.Bytes { return it[k].Parameters }),
			Activations: median(iterations, func(it []instance.Layer) instance.Bytes { return it[k].Activations }),
		}
	}
	for k := range layers[1:] { // what works in place or is a view needs bytes of the layer before
		l := &layers[k+1]
		l.Joined = l.Parameters == 0 && l.Activations == 0
	}
	return layers, nil
}

func median[T cmp.Ordered](iterations [][]instance.Layer, of func([]instance.Layer) T) T {
	values := make([]T, len(iterations))
	for i, it := range iterations {
		values[i] = of(it)
	}
	slices.Sort(values)
	return values[(len(values)-1)/2]
}

func readKineto(data []byte) (*kinetoTrace, error) {
	var file struct {
		Events      []*kinetoEvent `json:"traceEvents"`
		Distributed struct {
			Workers int `json:"world_size"`
		} `json:"distributedInfo"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("profiles: the trace of torch.profiler is not valid JSON: %w", err)
	}
	if file.Distributed.Workers > 1 {
		return nil, fmt.Errorf("profiles: the trace is of one of %d workers, and what they send each other is among its operations; %s", file.Distributed.Workers, kinetoHow)
	}
	t := new(kinetoTrace)
	shapes, device := false, 0
	kernels := make(map[string]float64)
	var launches []*kinetoEvent
	for i, e := range file.Events {
		if e == nil {
			return nil, fmt.Errorf("profiles: traceEvents[%d] is null", i)
		}
		if e.Dur < 0 || e.Dur > maxQuantity/maxNodes/1000 {
			return nil, fmt.Errorf("profiles: traceEvents[%d], %q, takes %v us, which is negative or too long", i, instance.Clip(e.Name), e.Dur)
		}
		switch e.Cat {
		case "python_function":
			if strings.HasPrefix(e.Name, kinetoModule) {
				t.modules = append(t.modules, e)
			}
		case "cpu_instant_event":
			if e.Name == "[memory]" {
				t.memory = append(t.memory, e)
			}
		case "cpu_op":
			t.ops = append(t.ops, e)
			shapes = shapes || e.Name == kinetoAccumulate && e.Args.Dims != nil
			if strings.HasPrefix(e.Name, kinetoEvaluate) {
				t.evaluated = append(t.evaluated, e)
			}
		case "kernel", "gpu_memcpy", "gpu_memset":
			kernels[string(e.Args.Correlation)] += e.Dur
			device = 1
		case "cuda_runtime", "cuda_driver":
			if strings.HasPrefix(e.Name, "cudaGraphLaunch") {
				return nil, errors.New("profiles: the trace has CUDA graphs, whose kernels are of all layers at once; record it without")
			}
			launches = append(launches, e)
		}
	}
	t.memory = slices.DeleteFunc(t.memory, func(e *kinetoEvent) bool { return e.Args.DeviceType != device })
	if err := t.lacks(shapes); err != nil {
		return nil, err
	}
	for _, events := range [][]*kinetoEvent{t.modules, t.ops, t.memory, t.evaluated, launches} {
		slices.SortStableFunc(events, func(a, b *kinetoEvent) int { return cmp.Or(cmp.Compare(a.TS, b.TS), cmp.Compare(b.Dur, a.Dur)) })
	}
	t.nest()
	t.costs = launches
	for _, e := range launches {
		e.Dur = kernels[string(e.Args.Correlation)]
		delete(kernels, string(e.Args.Correlation))
	}
	if device == 0 {
		t.costs = outermost(t.ops)
	}
	return t, nil
}

// lacks says what a trace lacks, or has too much of; shapes of gradients are there or not.
func (t *kinetoTrace) lacks(shapes bool) error {
	for _, want := range []struct {
		there bool
		what  string
	}{
		{len(t.modules) > 0, "calls of modules (with_stack=True)"},
		{len(t.evaluated) > 0, "backward pass"},
		{shapes, "shapes of gradients (record_shapes=True), so the sizes of parameters are not known"},
		{len(t.memory) > 0, "allocations (profile_memory=True), so what layers keep is not known"},
	} {
		if !want.there {
			return fmt.Errorf("profiles: the trace has no %s; %s, or use jigsaw profile measure", want.what, kinetoHow)
		}
	}
	if len(t.modules) > maxNodes {
		return fmt.Errorf("profiles: the trace has more than %d calls of modules; record fewer iterations", maxNodes)
	}
	return nil
}

// nest finds which module each call of one is made by.
func (t *kinetoTrace) nest() {
	t.calls = make(map[*kinetoEvent][]*kinetoEvent)
	open := make(map[string][]*kinetoEvent) // calls that are under way, by thread
	for _, e := range t.modules {
		under := open[string(e.TID)]
		for len(under) > 0 && under[len(under)-1].end() <= e.TS {
			under = under[:len(under)-1]
		}
		var caller *kinetoEvent
		if len(under) > 0 {
			caller = under[len(under)-1]
		}
		t.calls[caller] = append(t.calls[caller], e)
		open[string(e.TID)] = append(under, e)
	}
}

func (e *kinetoEvent) module() string { return strings.TrimPrefix(e.Name, kinetoModule) }

// class is the module's name less the number of its instance.
func (e *kinetoEvent) class() string {
	name := e.module()
	return name[:max(strings.LastIndexByte(name, '_'), 0)]
}

// outermost returns those of the events, in order of time, that no other one of
// their thread encloses.
func outermost(events []*kinetoEvent) (out []*kinetoEvent) {
	ends := make(map[string]float64)
	for _, e := range events {
		if end, found := ends[string(e.TID)]; !found || e.TS >= end {
			out = append(out, e)
			ends[string(e.TID)] = e.end()
		}
	}
	return out
}

// roots returns the calls of the model: of the module that takes longest.
func (t *kinetoTrace) roots() []*kinetoEvent {
	total := make(map[string]float64)
	for _, e := range t.calls[nil] {
		total[e.Name] += e.Dur
	}
	model := slices.MaxFunc(slices.Sorted(maps.Keys(total)), func(a, b string) int { return cmp.Compare(total[a], total[b]) })
	return slices.DeleteFunc(t.calls[nil], func(e *kinetoEvent) bool { return e.Name != model })
}

// children returns the modules that a call of one makes; those of a Sequential
// are taken for its caller's.
func (t *kinetoTrace) children(call *kinetoEvent) (out []*kinetoEvent) {
	for _, e := range t.calls[call] {
		var parts []*kinetoEvent
		if e.class() == "Sequential" {
			parts = t.children(e)
		}
		if parts == nil {
			parts = append(parts, e)
		}
		out = append(out, parts...)
	}
	return out
}

// layers names the modules that become layers: the parts of the module with
// the most parts of one class, and beside it what its callers call.
func (t *kinetoTrace) layers(root *kinetoEvent) []string {
	most, path := 0, []*kinetoEvent(nil)
	var search func(above []*kinetoEvent)
	search = func(above []*kinetoEvent) {
		count := make(map[string]int)
		parts := t.children(above[len(above)-1])
		for _, e := range parts {
			count[e.class()]++
			if count[e.class()] > most {
				most, path = count[e.class()], above
			}
		}
		for _, e := range parts {
			search(append(slices.Clip(above), e))
		}
	}
	search([]*kinetoEvent{root})
	var names []string
	var list func(call *kinetoEvent)
	list = func(call *kinetoEvent) {
		for _, e := range t.children(call) {
			if slices.Contains(path, e) {
				list(e)
			} else if !slices.Contains(names, e.module()) { // later calls belong to the layer they fall into
				names = append(names, e.module())
			}
		}
	}
	list(root)
	return names
}

// between returns a copy of the events, in order of time, that begin in [from, until).
func between(events []*kinetoEvent, from, until float64) []*kinetoEvent {
	at := func(ts float64) int {
		i, _ := slices.BinarySearchFunc(events, ts, func(e *kinetoEvent, ts float64) int { return cmp.Compare(e.TS, ts) })
		return i
	}
	a := at(from)
	return slices.Clone(events[a:max(a, at(until))])
}

// iteration returns what the layers take in one forward and backward pass. A
// layer's forward pass lasts until the next one's first call.
func (t *kinetoTrace) iteration(root *kinetoEvent, until float64, names []string) ([]instance.Layer, error) {
	evaluated := between(t.evaluated, root.TS, until)
	if len(evaluated) == 0 {
		return nil, fmt.Errorf("no backward pass follows it; %s", kinetoHow)
	}
	begin, end := evaluated[0].TS, math.Nextafter(evaluated[len(evaluated)-1].end(), math.Inf(1))
	starts, err := t.starts(root, until, begin, names)
	if err != nil {
		return nil, err
	}
	layers := make([]instance.Layer, len(names))
	forward := func(e *kinetoEvent) int {
		i, found := slices.BinarySearch(starts, e.TS)
		if !found {
			i--
		}
		return i
	}
	ofFunction, err := functions(evaluated, between(t.ops, root.TS, begin), forward, len(names)-1)
	if err != nil {
		return nil, err
	}
	backward := func(e *kinetoEvent) int {
		i, _ := slices.BinarySearchFunc(evaluated, e.TS, func(f *kinetoEvent, ts float64) int {
			if f.TS <= ts {
				return -1
			}
			return 1
		})
		return ofFunction[i-1]
	}

	for _, e := range between(t.costs, root.TS, end) {
		took := instance.Duration(math.Round(e.Dur * 1000))
		switch {
		case e.TS >= begin:
			layers[backward(e)].Backward += took
		case string(e.TID) == string(root.TID):
			layers[forward(e)].Forward += took
		}
	}
	for _, e := range between(t.ops, begin, end) {
		if e.Name == kinetoAccumulate {
			size, err := e.gradient()
			if err != nil {
				return nil, err
			}
			layers[backward(e)].Parameters += size
		}
	}
	kept := make(map[string]*kinetoEvent) // by address
	for _, e := range between(t.memory, root.TS, begin) {
		if delete(kept, string(e.Args.Addr)); e.Args.Bytes > 0 {
			kept[string(e.Args.Addr)] = e
		}
	}
	for _, e := range kept {
		if e.Args.Bytes > maxQuantity/maxNodes {
			return nil, fmt.Errorf("an allocation of %d bytes is too large", e.Args.Bytes)
		}
		layers[forward(e)].Activations += instance.Bytes(e.Args.Bytes)
	}
	return layers, nil
}

// starts returns when the first call of each layer begins, before the backward pass does.
func (t *kinetoTrace) starts(root *kinetoEvent, until, begin float64, names []string) ([]float64, error) {
	var starts []float64
	for _, e := range between(t.modules, root.TS, until) {
		switch k := slices.Index(names, e.module()); {
		case k > len(starts):
			return nil, fmt.Errorf("%s is called before %s, unlike in the first call", instance.Clip(e.module()), instance.Clip(names[len(starts)]))
		case k == len(starts):
			starts = append(starts, e.TS)
		case k >= 0 && e.TS >= begin:
			return nil, fmt.Errorf("%s is called again in the backward pass; record without checkpointing of activations", instance.Clip(e.module()))
		}
	}
	if len(starts) < len(names) {
		return nil, fmt.Errorf("%s is not called, unlike in the first call", instance.Clip(names[len(starts)]))
	}
	starts[0] = root.TS
	if begin < starts[len(starts)-1] {
		return nil, errors.New("the backward pass begins before the last layer does")
	}
	return starts, nil
}

// functions returns the layer of each function that was evaluated in the backward pass, from the operations of the forward
// pass and their layers; last is the last layer.
func functions(evaluated, ops []*kinetoEvent, forward func(*kinetoEvent) int, last int) ([]int, error) {
	// An operation that makes no node of the graph bears the number of the next node: the last one made it.
	ofNumber := make(map[string]int)
	for _, e := range ops {
		if e.Args.Sequence != nil {
			ofNumber[string(e.Args.Sequence)] = forward(e)
		}
	}
	// Functions without a number, which add a gradient to a parameter's, run right after the one that worked it out.
	ofFunction := make([]int, len(evaluated))
	linked := false
	for i, e := range evaluated {
		if k, found := ofNumber[string(e.Args.Sequence)]; found && e.Args.Sequence != nil {
			last, linked = k, true
		}
		ofFunction[i] = last
	}
	if !linked {
		return nil, errors.New("no operation of the backward pass bears the sequence number of one of the forward pass")
	}
	return ofFunction, nil
}

// gradient returns the size of the gradient that is added to a parameter's, and so of the parameter.
func (e *kinetoEvent) gradient() (instance.Bytes, error) {
	var dims [][]int64
	var types []string
	if json.Unmarshal(e.Args.Dims, &dims) != nil || json.Unmarshal(e.Args.Types, &types) != nil || len(dims) != 1 || len(types) != 1 {
		return 0, fmt.Errorf("a gradient has the shape %s of type %s; expected a list of one shape and a list of one type", instance.Clip(string(e.Args.Dims)), instance.Clip(string(e.Args.Types)))
	}
	size, known := kinetoSizes[types[0]]
	if !known {
		return 0, fmt.Errorf("a gradient is of type %q; known are %s", instance.Clip(types[0]), strings.Join(slices.Sorted(maps.Keys(kinetoSizes)), ", "))
	}
	for _, n := range dims[0] {
		if n < 0 || n > 0 && size > maxQuantity/maxNodes/n {
			return 0, fmt.Errorf("a gradient has the shape %s, which is negative or too large", instance.Clip(string(e.Args.Dims)))
		}
		size *= n
	}
	return instance.Bytes(size), nil
}
