package clp

import (
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw/solver"
)

// After an instance of clp.wasm traps, its models return the error for every call,
// and the next program gets a new instance.
func TestTrap(t *testing.T) {
	t.Parallel()
	engine := openWasm(t)
	victim, err := engine.Load(demand())
	require.NoError(t, err)
	solved, err := victim.Solve(t.Context(), solver.Limits{})
	require.NoError(t, err)
	require.Equal(t, solver.Optimal, solved.Status)

	first := engine.table
	cause := func() (err error) {
		defer trapped(&err)
		first.dual(handle(0xfffffff0), 0) // an address outside the memory
		return nil
	}()
	require.ErrorContains(t, cause, "Clp_dual")

	_, err = victim.Solve(t.Context(), solver.Limits{})
	require.ErrorIs(t, err, cause)
	require.ErrorContains(t, err, "load them anew")
	require.ErrorIs(t, victim.AddCols(solver.Column{Cost: 1, Upper: 1}), cause)
	require.NoError(t, victim.Close())

	heir, err := engine.Load(demand())
	require.NoError(t, err)
	require.NotSame(t, first, engine.table)
	again, err := heir.Solve(t.Context(), solver.Limits{})
	require.NoError(t, err)
	require.Equal(t, solved, again)
	require.NoError(t, heir.Close())
}
