package burst

import (
	"fmt"
	"math/big"
	"slices"

	"jigsaw/formulation/instance"
)

// CheckSchedule says in words what is wrong with a schedule of an instance; nothing if it is valid. Like
// [Chain.Check], which it calls for each timetable, it shares no code with what makes schedules. It takes the
// chains as the costs of layers.
func CheckSchedule(in *instance.Bursts, chains []*Chain, s *Schedule) (wrong []string) {
	fault := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	if len(s.Jobs) != len(in.Foreground) || len(s.Homes) != len(in.Jobs) {
		fault("it has %d burst-parallel and %d background jobs; the instance has %d and %d", len(s.Jobs), len(s.Homes), len(in.Foreground), len(in.Jobs))
		return wrong
	}
	held := make(holdings, len(in.GPUs))
	for i := range in.Foreground {
		job, c, f := &in.Foreground[i], chains[i], &s.Jobs[i]
		node := &in.Nodes[job.Node]
		before := len(wrong)
		for _, w := range c.checkWidths(f.Widths, job.Amplification) {
			fault("job %q: %s", job.Name, w)
		}
		if len(wrong) > before {
			continue
		}
		r := Rules{GPUs: job.GPUs, Slice: in.Slice, Slowdown: job.Slowdown}
		for _, w := range c.Check(f.Plan, &f.Timetable, r, len(in.Jobs)) {
			fault("job %q: %s", job.Name, w)
		}
		for k, slice := range f.Slices {
			if slice.Job >= 0 && slice.Job < len(s.Homes) && s.Homes[slice.Job] != node.FirstGPU+instance.GPUID(slice.GPU) {
				fault("job %q: slice %d is of background job %q on GPU %d of its node, which is not its home", job.Name, k, in.Jobs[slice.Job].Name, slice.GPU)
			}
		}
		held.foreground(job, int(node.FirstGPU), f.Widths)
	}

	for j, g := range s.Homes {
		if g == Nowhere {
			continue
		}
		if g < 0 || int(g) >= len(in.GPUs) {
			fault("background job %q is on GPU %d; there are %d", in.Jobs[j].Name, g, len(in.GPUs))
			continue
		}
		on := in.Jobs[j].On[in.GPUs[g].Type]
		if on == nil {
			fault("background job %q may not run on GPU %d, of type %s", in.Jobs[j].Name, g, in.Types[in.GPUs[g].Type].Name)
			continue
		}
		held.add(int(g), on.Persistent, 1, 1, 1)
		held.add(int(g), on.Ephemeral[len(on.Ephemeral)-1], 1, 1, 1)
	}
	for g := range held {
		if memory := in.Types[in.GPUs[g].Type].Memory; held[g].Cmp(big.NewInt(int64(memory))) > 0 {
			fault("GPU %d holds %v bytes of its %d", g, &held[g], int64(memory))
		}
	}
	return wrong
}

// holdings are the bytes that GPUs hold, by GPU.
type holdings []big.Int

// add adds bytes x times x num / den, rounded up.
func (h holdings) add(g int, bytes instance.Bytes, times, num, den int64) {
	b := big.NewInt(int64(bytes))
	b.Mul(b, big.NewInt(times*num))
	b.Add(b, big.NewInt(den-1))
	h[g].Add(&h[g], b.Div(b, big.NewInt(den)))
}

// foreground adds the bytes that a burst-parallel job holds on the GPUs from the first on: by the profile of the
// batch on a GPU, or of the next larger one, or else the largest.
func (h holdings) foreground(job *instance.BurstJob, first int, widths []int) {
	profiles := slices.Clone(job.Profiles)
	slices.SortFunc(profiles, func(a, b *instance.Profile) int { return a.Batch - b.Batch })
	for g := range job.GPUs {
		workspace := instance.Bytes(0)
		for l, width := range widths {
			if g >= width {
				continue
			}
			samples := job.Batch / width
			p := profiles[len(profiles)-1]
			for _, q := range slices.Backward(profiles) {
				if q.Batch >= samples {
					p = q
				}
			}
			workspace = max(workspace, p.Workspace)
			at := first + g
			h.add(at, p.Layers[l].Parameters, job.Kept, 1, 1)
			h.add(at, p.Layers[l].Activations, 1, int64(samples), int64(p.Batch))
		}
		h.add(first+g, workspace, 1, 1, 1)
	}
}

// checkWidths says what is wrong with the numbers of GPUs of layers.
func (c *Chain) checkWidths(widths []int, limit instance.Ratio) (wrong []string) {
	if len(widths) != len(c.Layers) {
		return []string{fmt.Sprintf("it has %d layers, and the plan %d", len(c.Layers), len(widths))}
	}
	before := 0
	for l, g := range widths {
		at := slices.Index(c.GPUs, g)
		if at < 0 {
			return []string{fmt.Sprintf("layer %d has %d GPUs, not one of %v", l, g, c.GPUs)}
		}
		layer := &c.Layers[l]
		takes := layer.Forward[at] + layer.Backward[at] + layer.Sync[at]
		if l > 0 {
			takes += 2 * layer.Move[before][at]
		}
		if layer.Joined && at != before {
			wrong = append(wrong, fmt.Sprintf("layer %d has %d GPUs, and is joined to one with %d", l, g, c.GPUs[before]))
		}
		gpuTime := new(big.Int).Mul(big.NewInt(int64(takes)*int64(g)), big.NewInt(int64(instance.One)))
		most := new(big.Int).Mul(big.NewInt(int64(layer.Forward[0]+layer.Backward[0])), big.NewInt(int64(limit)))
		if gpuTime.Cmp(most) > 0 {
			wrong = append(wrong, fmt.Sprintf("layer %d takes more than %s of its GPU-time on one GPU", l, limit))
		}
		before = at
	}
	return wrong
}
