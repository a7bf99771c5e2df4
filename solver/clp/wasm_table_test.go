package clp

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// recorder is a machine that records its calls. Its allocator returns one address.
type recorder struct {
	block  float64 // as a host would return it
	memory []byte  // from that address on
	calls  []string
	args   [][]float64
}

func (r *recorder) call(function string, args ...float64) (float64, error) {
	r.calls = append(r.calls, function)
	r.args = append(r.args, slices.Clone(args))
	return r.block, nil
}

func (r *recorder) write(_ uint32, from []byte) error {
	r.memory = slices.Clone(from)
	return nil
}

func (r *recorder) read(to []byte, _ uint32) error {
	copy(to, r.memory)
	return nil
}

// Arrays lie side by side in one block, doubles aligned to eight bytes, for the
// duration of a call; an empty one is null. Addresses above 2 GiB come back as negative
// numbers.
func TestArraysCross(t *testing.T) {
	t.Parallel()
	r := &recorder{block: -16}
	table := &wasmTable{machine: r}
	table.addColumns(7, []float64{0.5}, nil, []float64{-2}, []int32{0, 3, -1}, []int32{4}, []float64{})
	require.Equal(t, []string{"malloc", "Clp_addColumns", "free"}, r.calls)
	const block = 1<<32 - 16
	require.Equal(t, [][]float64{{40}, {7, 1, block, 0, block + 8, block + 16, block + 32, 0}, {block}}, r.args)
	require.Equal(t, math.Float64bits(0.5), binary.LittleEndian.Uint64(r.memory))
	require.Equal(t, math.Float64bits(-2), binary.LittleEndian.Uint64(r.memory[8:]))
	require.Equal(t, uint32(1<<32-1), binary.LittleEndian.Uint32(r.memory[24:]))
	require.Equal(t, uint32(4), binary.LittleEndian.Uint32(r.memory[32:]))

	y := make([]float64, 2)
	table.dualRowSolution(7, y)
	require.Equal(t, []float64{0.5, -2}, y)
	r.calls = nil
	require.True(t, table.unboundedRay(7, y))
	require.Equal(t, []string{"Clp_unboundedRay", "free"}, r.calls, "a ray is ours to free")
	r.block = 0
	require.False(t, table.unboundedRay(7, y), "null is no ray")
}

// An instance whose memory cannot grow is lost like one that trapped.
func TestNoMemory(t *testing.T) {
	t.Parallel()
	table := &wasmTable{machine: &recorder{}}
	for range 2 {
		err := func() (err error) {
			defer trapped(&err)
			table.chgColumnLower(7, []float64{1})
			return nil
		}()
		require.ErrorIs(t, err, errNoMemory)
		require.True(t, table.lost())
	}
}
