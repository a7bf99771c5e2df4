package burst

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"

	"jigsaw/formulation/instance"
)

// scaling holds the times of a model's layers by batch size.
type scaling []*instance.Profile // ascending batch

func newScaling(profiles []*instance.Profile) (scaling, error) {
	s := slices.Clone(profiles)
	slices.SortStableFunc(s, func(a, b *instance.Profile) int { return cmp.Compare(a.Batch, b.Batch) })
	for i, p := range s {
		if err := p.Validate(); len(err) > 0 {
			return nil, fmt.Errorf("burst: profile of %s at batch %d: %w", p.Model, p.Batch, err)
		}
		if i == 0 {
			continue
		}
		q := s[i-1]
		what := ""
		switch {
		case p.Model != q.Model || p.GPU != q.GPU:
			what = "are of different models or GPUs"
		case p.Batch == q.Batch:
			what = "have the same batch"
		case len(p.Layers) != len(q.Layers):
			what = fmt.Sprintf("have %d and %d layers", len(q.Layers), len(p.Layers))
		default:
			for l := range p.Layers {
				if a, b := p.Layers[l], q.Layers[l]; a.Parameters != b.Parameters || a.Joined != b.Joined {
					what = fmt.Sprintf("differ in layer %d, %s", l, a.Name)
					break
				}
			}
		}
		if what != "" {
			return nil, fmt.Errorf("burst: the profiles of %s on %s at batch %d and %s on %s at batch %d %s", q.Model, q.GPU, q.Batch, p.Model, p.GPU, p.Batch, what)
		}
	}
	return s, nil
}

// around returns the profiles on either side of a batch: both the same if it was
// measured, or is outside the measured range.
func (s scaling) around(batch int) (below, above *instance.Profile) {
	i, found := slices.BinarySearchFunc(s, batch, func(p *instance.Profile, b int) int { return cmp.Compare(p.Batch, b) })
	switch {
	case found || i == 0:
		return s[i], s[i]
	case i == len(s):
		return s[i-1], s[i-1]
	}
	return s[i-1], s[i]
}

func (s scaling) measured(batch int) bool {
	below, _ := s.around(batch)
	return below.Batch == batch
}

// nearest is the profile of the batch, or of the next larger one that was measured.
func (s scaling) nearest(batch int) *instance.Profile {
	_, above := s.around(batch)
	return above
}

// times returns a layer's forward and backward time: as measured, interpolated
// linearly between the two neighbouring batches, or in proportion to the nearest.
func (s scaling) times(l, batch int) (forward, backward instance.Duration) {
	a, b := s.around(batch)
	between := func(x, y instance.Duration) instance.Duration {
		if a.Batch == b.Batch {
			return portion(x, batch, a.Batch)
		}
		return portion(x, b.Batch-batch, b.Batch-a.Batch) + portion(y, batch-a.Batch, b.Batch-a.Batch)
	}
	return between(a.Layers[l].Forward, b.Layers[l].Forward), between(a.Layers[l].Backward, b.Layers[l].Backward)
}

// portion is t x num / den, rounded up.
func portion(t instance.Duration, num, den int) instance.Duration {
	high, low := bits.Mul64(uint64(t), uint64(num))
	low, carry := bits.Add64(low, uint64(den-1), 0)
	if high += carry; high >= uint64(den) {
		return forever
	}
	ns, _ := bits.Div64(high, low, uint64(den))
	return instance.Duration(min(ns, uint64(forever)))
}
