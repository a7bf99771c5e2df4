package instance

import (
	"math"
	"slices"
)

// MaxAccumulate bounds the micro-batches of an iteration.
const MaxAccumulate = 1024

// states are the bytes that an optimizer keeps for each byte of parameters, beside these and
// their gradients, where all have one precision.
var states = map[string]int64{"sgd": 0, "momentum": 1, "": 1, "adam": 2}

// training checks how a job trains, and says how often its synchronisations reduce and gather.
func (c *compiler) training(path string, s *JobSpec, j *Job) {
	bad := func(field, format string, args ...any) { c.problems.Add(path+field, format, args...) }
	if _, known := states[s.Optimizer]; !known {
		bad(".optimizer", "unknown optimizer %q; choose sgd, momentum or adam", Clip(s.Optimizer))
	}
	if s.Accumulate < 0 || s.Accumulate > MaxAccumulate {
		bad(".accumulate", "%d micro-batches; choose 1 to %d", s.Accumulate, MaxAccumulate)
		return
	}
	batches := int64(max(1, s.Accumulate))
	switch s.Sharding {
	case "", "zero1":
	case "zero2": // gradients that are dealt out are reduced after each micro-batch
		j.MoreReductions = batches - 1
	case "zero3": // and parameters gathered before each pass
		j.MoreReductions, j.MoreGathers = batches-1, 2*batches-1
	default:
		bad(".sharding", "unknown sharding %q; choose zero1, zero2 or zero3, or leave it out", Clip(s.Sharding))
	}
}

// table computes the job's costs on one GPU type.
func (c *compiler) table(path string, s *JobSpec, p *Profile, speed Ratio, j *Job) *Costs {
	group := int64(max(1, s.GPUsPerWorker)) // whose GPUs have alike parts
	costs := &Costs{Persistent: Bytes(ceilMulDiv(int64(persistent(s, p)), 1, group))}
	forward, least := p.Totals().Forward, Bytes(0)
	shared := Bytes(saturatingMul(unshared(s.Sharding), int64(largestBlock(p))))
	for _, depth := range j.Depths {
		time, kept := forward, p.WorkspaceOf(depth.Layers)+shared
		last := p.Layers[len(p.Layers)-depth.Layers:]
		for _, l := range last {
			time += l.Backward
			kept += l.Activations
		}
		if s.Checkpointing {
			// Workspaces are measured without: what a task needs on its way down may be the most at any depth.
			kept = p.Workspace + shared + checkpointed(p, len(p.Layers)-depth.Layers)
			for _, l := range last {
				time += l.Forward
			}
		}
		time = Duration(saturatingMul(int64(time), int64(max(1, s.Accumulate))))
		costs.Time = append(costs.Time, max(1, c.ceilTicks(path+".model", time, speed)))
		// No task needs less than a shallower one, whatever was measured of both.
		least = max(least, Bytes(ceilMulDiv(int64(kept), 1, group)))
		costs.Ephemeral = append(costs.Ephemeral, least)
	}
	return costs
}

// Activations says what holds the memory of a job's activations and workspace between its tasks.
type Activations string

const (
	// Shared memory serves the tasks of all jobs of a GPU in turn: the jobs share a process, or give back
	// what they do not need. The default.
	Shared Activations = "shared"
	// Kept memory stays with its job, whose process has an allocator that gives nothing back, like PyTorch's.
	Kept Activations = "kept"
)

// keepActivations counts what a task needs at most as persistent.
func (j *Job) keepActivations() {
	for _, costs := range j.On {
		if costs != nil {
			most := slices.Max(costs.Ephemeral)
			costs.Persistent += min(most, math.MaxInt64-costs.Persistent)
			clear(costs.Ephemeral)
		}
	}
}

// persistent bytes of a worker: parameters, gradients, and the states of the optimizer, of
// which sharding leaves it a k-th part.
func persistent(s *JobSpec, p *Profile) Bytes {
	state := states[s.Optimizer]
	if p.Precision != "" {
		state = 2 + 2*state // 32 bit for 16, and a copy of the weights
	}
	parts := [3]int64{1, 1, state} // parameters, gradients, states
	whole, dealt := int64(0), int64(0)
	for i, part := range parts {
		if i >= map[string]int{"": 3, "zero1": 2, "zero2": 1, "zero3": 0}[s.Sharding] {
			dealt += part
		} else {
			whole += part
		}
	}
	bytes := int64(p.Totals().Parameters)
	return Bytes(saturatingMul(bytes, whole) + ceilMulDiv(saturatingMul(bytes, dealt), 1, int64(s.Workers)))
}

// unshared is how many times the parameters of the largest block a worker needs during a task,
// although they are sharded: gradients before they are dealt out, and gathered parameters.
func unshared(sharding string) int64 {
	switch sharding {
	case "zero2":
		return 1
	case "zero3":
		return 2
	}
	return 0
}

// largestBlock is the most parameter bytes that a block has.
func largestBlock(p *Profile) (most Bytes) {
	bytes := Bytes(0)
	for i, l := range p.Layers {
		if i == 0 || !l.Joined {
			bytes = 0
		}
		bytes += l.Parameters
		most = max(most, bytes)
	}
	return most
}

// checkpointed is what a worker keeps that back-propagates layer from and all after it: the
// inputs of their blocks, and the activations of one block at a time.
func checkpointed(p *Profile, from int) (kept Bytes) {
	most, block := Bytes(0), Bytes(0)
	for i := from; i < len(p.Layers); i++ {
		l := &p.Layers[i]
		if i == from || !l.Joined {
			kept += l.Input
			block = 0
		}
		block += l.Activations
		most = max(most, block)
	}
	return kept + most
}
