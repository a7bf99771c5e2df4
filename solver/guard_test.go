package solver

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// hollow is an engine whose loaded models are nil pointers.
type hollow struct{ ranging bool }

func (hollow) Name() string { return "hollow" }
func (hollow) Caps() Caps   { return Caps{} }
func (h hollow) Load(p *Problem) (Model, error) {
	switch {
	case p == nil:
		panic("no program")
	case h.ranging:
		return &rangingModel{}, nil
	}
	return (*oneShotModel)(nil), nil
}

// TestGuard: no call of a broken model panics.
func TestGuard(t *testing.T) {
	_, err := Guard(hollow{}).Load(nil)
	require.ErrorContains(t, err, "the engine panicked: no program")
	m, err := Guard(hollow{}).Load(&Problem{})
	require.NoError(t, err)
	_, ranges := m.(Ranger)
	assert.False(t, ranges)
	for name, call := range map[string]func() error{
		"AddCols":      func() error { return m.AddCols(Column{}) },
		"SetColBounds": func() error { return m.SetColBounds(0, 0, 1) },
		"SetBasis":     func() error { return m.SetBasis(&Basis{}) },
		"Solve":        func() error { _, err := m.Solve(context.Background(), Limits{}); return err },
		"Close":        func() error { return m.Close() },
	} {
		assert.ErrorContains(t, call(), "the engine panicked", name)
	}

	m, err = Guard(hollow{ranging: true}).Load(&Problem{})
	require.NoError(t, err)
	ranger, ranges := m.(Ranger)
	require.True(t, ranges)
	_, err = ranger.Range(context.Background())
	assert.ErrorContains(t, err, "the engine panicked")
}
