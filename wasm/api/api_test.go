package api

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// call runs a method on parameters in JSON, as the page would.
func call[R any](t *testing.T, a *API, name string, params any) (result R, failure *Error) {
	t.Helper()
	encoded, err := json.Marshal(params)
	require.NoError(t, err)
	got, err := a.Call(t.Context(), name, func(p any) error { return json.Unmarshal(encoded, p) }, func(Event) {})
	if err != nil {
		require.ErrorAs(t, err, &failure)
		return result, failure
	}
	require.IsType(t, result, got)
	return got.(R), nil
}

// example returns the text of an example.
func example(t *testing.T, name string) string {
	t.Helper()
	list, failure := call[[]ExampleInfo](t, New(nil), "examples", none{})
	require.Nil(t, failure)
	i := slices.IndexFunc(list, func(e ExampleInfo) bool { return e.Name == name })
	require.GreaterOrEqual(t, i, 0)
	return list[i].Text
}

func TestQuickPlan(t *testing.T) {
	t.Parallel()
	a := New(nil)
	r, failure := call[*PlanResult](t, a, "plan", PlanOptions{Text: example(t, "quickstart"), Seed: 3, Quick: true})
	require.Nil(t, failure)
	require.NotNil(t, r.Schedule)
	require.NotNil(t, r.Primal)
	require.NotNil(t, r.Dual)
	require.LessOrEqual(t, *r.Dual, *r.Primal)
	require.Equal(t, "jigsaw plan quickstart --seed 3 --quick", r.Command)
	require.Len(t, r.Completion, 5)
}
