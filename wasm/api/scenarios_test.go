package api

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// put stores a change of a scenario.
func put(t *testing.T, a *API, id, text string, base int) *putResult {
	t.Helper()
	r, failure := call[*putResult](t, a, "store_put", putParams{ID: id, Text: text, View: "{}", Base: base, NowMS: float64(base)})
	require.Nil(t, failure)
	return r
}

func history(t *testing.T, a *API, id string) []Scenario {
	t.Helper()
	list, failure := call[[]Scenario](t, a, "store_history", idParams{id})
	require.Nil(t, failure)
	return list
}

func list(t *testing.T, a *API) *listResult {
	t.Helper()
	r, failure := call[*listResult](t, a, "store_list", none{})
	require.Nil(t, failure)
	return r
}

// lasting is a store that outlives an API, like that of a browser.
func lasting(store Store) func(context.Context) (Store, error) {
	return func(context.Context) (Store, error) { return store, nil }
}

func TestScenariosAreKept(t *testing.T) {
	t.Parallel()
	store := newMemory()
	a := New(lasting(store))
	require.Equal(t, &listResult{true, "", []ScenarioHead{}}, list(t, a))
	got, failure := call[*Scenario](t, a, "store_get", idParams{"a"})
	require.Nil(t, failure)
	require.Nil(t, got)

	first := put(t, a, "a", "<script>", 0)
	require.Equal(t, &putResult{ScenarioHead{"a", "scenario", 1, 0}, false, true}, first)
	put(t, a, "b", "of b", 0)
	for base := 1; base < 30; base++ {
		require.Equal(t, base+1, put(t, a, "a", fmt.Sprintf("text %d", base), base).Scenario.Revision)
	}
	revisions := history(t, New(lasting(store)), "a")
	require.Len(t, revisions, KeptRevisions)
	require.Equal(t, Scenario{"a", "scenario", 30, 29, "text 29", "{}"}, revisions[0])
	require.Equal(t, 11, revisions[KeptRevisions-1].Revision)
	require.Equal(t, []string{"a", "b"}, []string{list(t, a).Scenarios[0].ID, list(t, a).Scenarios[1].ID}, "the latest first")

	for _, there := range []bool{true, false} {
		removed, failure := call[bool](t, a, "store_remove", idParams{"a"})
		require.Nil(t, failure)
		require.Equal(t, there, removed)
	}
	require.Empty(t, history(t, a, "a"))
	require.Len(t, history(t, a, "b"), 1)
}

// If two tabs change the same revision, nothing is lost: the second change is kept as a
// scenario of its own.
func TestConflictKeepsBoth(t *testing.T) {
	t.Parallel()
	store := newMemory()
	one, two := New(lasting(store)), New(lasting(store))
	put(t, one, "a", "first", 0)
	require.False(t, put(t, one, "a", "by one", 1).Conflict)
	r := put(t, two, "a", "by two", 1)
	require.True(t, r.Conflict)
	require.NotEqual(t, "a", r.Scenario.ID)
	require.Equal(t, "scenario (copy)", r.Scenario.Name)
	require.Equal(t, "by one", history(t, one, "a")[0].Text)
	require.Equal(t, "by two", history(t, one, r.Scenario.ID)[0].Text)
	require.True(t, put(t, two, "a", "new with an old id", 0).Conflict)

	_, failure := call[bool](t, two, "store_remove", idParams{"a"})
	require.Nil(t, failure)
	require.Equal(t, ScenarioHead{"a", "scenario", 3, 2}, put(t, one, "a", "changed after it was removed", 2).Scenario)
}

func TestScenariosHaveLimits(t *testing.T) {
	t.Parallel()
	for name, p := range map[string]putParams{
		"no id":     {Text: "t"},
		"long text": {ID: "a", Text: strings.Repeat("t", maxScenarioText+1)},
		"long view": {ID: "a", View: strings.Repeat("v", maxScenarioView+1)},
		"base":      {ID: "a", Base: -1},
		"time":      {ID: "a", NowMS: -1},
	} {
		_, failure := call[*putResult](t, New(nil), "store_put", p)
		require.NotNil(t, failure, name)
		require.Equal(t, Invalid, failure.Code, name)
	}
}

// A scenario is listed under the name in its text, whether or not the page has read it.
func TestScenariosAreNamedByTheirTexts(t *testing.T) {
	t.Parallel()
	a := New(nil)
	named := func(name string) string {
		return "version: 1\nname: " + name + "\ncluster: {gpu_types: [], racks: []}\njobs: []\n"
	}
	e := strings.Repeat("é", maxScenarioName)
	for base, c := range []struct{ text, name string }{
		{"name: [", "scenario"},
		{named("first"), "first"},
		{named("second") + "typo: 1\n", "first"},
		{named("second"), "second"},
		{named("''"), "scenario"},
		{named(e), e[:maxScenarioName]},
	} {
		require.Equal(t, c.name, put(t, a, "a", c.text, base).Scenario.Name, c.text)
	}
	require.Equal(t, e[:maxScenarioName-8]+" (copy)", put(t, a, "a", named(e), 0).Scenario.Name)
}

// faulty is a store with faults.
type faulty struct {
	*memory
	wedged, closed bool
	forgets        bool
	fails          error
}

func (f *faulty) Heads(ctx context.Context) ([]ScenarioHead, error) {
	switch {
	case f.wedged:
		_, err := late(f.memory, time.Hour)(ctx)
		return nil, err
	case f.closed:
		return nil, fmt.Errorf("again: %w", ErrClosed)
	}
	return f.memory.Heads(ctx)
}

func (f *faulty) Change(ctx context.Context, id string, next func(*ScenarioHead) Scenario) error {
	if f.fails != nil {
		return f.fails
	}
	err := f.memory.Change(ctx, id, next)
	if f.forgets {
		f.kept = map[string][]Scenario{}
	}
	return err
}

// If the page's store is absent, cannot be opened, does not answer or keeps closing,
// memory is used instead, and the page is told.
func TestFallbackToMemory(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		open   func(context.Context) (Store, error)
		reason string
	}{
		"none":          {nil, "no storage"},
		"forbidden":     {func(context.Context) (Store, error) { return nil, errors.New("forbidden") }, "forbidden"},
		"never opens":   {late(newMemory(), time.Hour), "does not answer"},
		"wedged":        {lasting(&faulty{memory: newMemory(), wedged: true}), "does not answer"},
		"keeps closing": {lasting(&faulty{memory: newMemory(), closed: true}), "closed"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := New(c.open)
				r := list(t, a)
				require.False(t, r.Persistent)
				require.Contains(t, r.Reason, c.reason)
				require.False(t, put(t, a, "a", "text", 0).Persistent)
				require.Equal(t, "text", history(t, a, "a")[0].Text)
				require.Equal(t, []ScenarioHead{{"a", "scenario", 1, 0}}, list(t, a).Scenarios)
				time.Sleep(2 * time.Hour)
				require.Equal(t, "text", history(t, a, "a")[0].Text)
			})
		})
	}
}

// late is a store that takes long to open.
func late(store Store, after time.Duration) func(context.Context) (Store, error) {
	return func(ctx context.Context) (Store, error) {
		select {
		case <-time.After(after):
			return store, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// Changes made while the store did not answer are in it once it does, and so are those
// of other tabs.
func TestLateStoreTakesOver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		store := newMemory()
		other := New(lasting(store))
		put(t, other, "ours", "first", 0)

		a := New(late(store, time.Minute))
		require.False(t, list(t, a).Persistent)
		put(t, a, "new", "one", 0)
		put(t, a, "new", "two", 1)
		put(t, a, "ours", "changed here", 1)
		put(t, a, "theirs", "from here", 3)
		put(t, a, "theirs", "and here", 4)
		put(t, other, "theirs", "from there", 0)
		synctest.Wait()
		there, err := store.Heads(t.Context())
		require.NoError(t, err)
		require.Len(t, there, 2)

		time.Sleep(2 * time.Minute)
		require.True(t, list(t, a).Persistent)
		require.Equal(t, []string{"two", "one"}, texts(history(t, a, "new")))
		require.Equal(t, []string{"changed here", "first"}, texts(history(t, a, "ours")))
		require.Equal(t, []string{"from there"}, texts(history(t, a, "theirs")))
		heads := list(t, a).Scenarios
		require.Len(t, heads, 4)
		i := slices.IndexFunc(heads, func(h ScenarioHead) bool { return h.Name == "scenario (copy)" })
		require.GreaterOrEqual(t, i, 0)
		require.Equal(t, []string{"and here", "from here"}, texts(history(t, a, heads[i].ID)))
		// Further changes are stored as well.
		require.Equal(t, putResult{Scenario: ScenarioHead{"new", "scenario", 3, 2}, Persistent: true}, *put(t, a, "new", "three", 2))
		require.Equal(t, "three", store.kept["new"][0].Text)
		// Also if it continues as a copy, although the other tab has as many revisions.
		for base := 1; base < 5; base++ {
			put(t, other, "theirs", "from there", base)
		}
		on := put(t, a, "theirs", "and on", 5)
		require.True(t, on.Conflict)
		require.Equal(t, ScenarioHead{heads[i].ID, "scenario (copy)", 3, 5}, on.Scenario)
		require.Equal(t, "from there", history(t, a, "theirs")[0].Text)
		require.Equal(t, 4, put(t, a, on.Scenario.ID, "and further on", 3).Scenario.Revision)
	})
}

// putView stores another view of the same text.
func putView(t *testing.T, a *API, text, view string, base int) *putResult {
	t.Helper()
	r, failure := call[*putResult](t, a, "store_put", putParams{ID: "a", Text: text, View: view, Base: base})
	require.Nil(t, failure)
	return r
}

// The history is one of texts: changes of selection or zoom do not displace revisions, and
// make no copy of what another tab changes at the same time.
func TestViewsTakeNoRevisions(t *testing.T) {
	t.Parallel()
	store := newMemory()
	one, two := New(lasting(store)), New(lasting(store))
	put(t, one, "a", "first", 0)
	put(t, one, "a", "second", 1)
	for n := range 2 * KeptRevisions {
		r := putView(t, one, "second", fmt.Sprint(n), 2)
		require.Equal(t, 2, r.Scenario.Revision)
		require.False(t, r.Conflict)
	}
	require.Equal(t, []string{"second", "first"}, texts(history(t, one, "a")))
	require.Equal(t, fmt.Sprint(2*KeptRevisions-1), history(t, one, "a")[0].View)
	require.False(t, put(t, two, "a", "third", 2).Conflict)
	require.True(t, putView(t, one, "second", "late", 2).Conflict, "of a text that is not the latest")
	// A text may come back.
	require.Equal(t, 4, put(t, two, "a", "second", 3).Scenario.Revision)
}

// A view that changes while the contents of memory are being moved makes no copy, nor do later ones.
func TestViewsWhileAStoreTakesOver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		slow := &slow{memory: newMemory()}
		put(t, New(lasting(slow)), "a", "text", 0)
		a := New(late(slow, time.Minute))
		require.Equal(t, 2, putView(t, a, "text", "before", 1).Scenario.Revision)
		time.Sleep(time.Minute + moment/2) // it is being moved
		require.False(t, putView(t, a, "text", "meanwhile", 2).Conflict)
		time.Sleep(time.Minute)
		require.True(t, list(t, a).Persistent)
		require.Equal(t, "meanwhile", history(t, a, "a")[0].View)
		base := 2
		for n := range 3 {
			r := putView(t, a, "text", fmt.Sprint(n), base)
			require.False(t, r.Conflict)
			base = r.Scenario.Revision
		}
		for _, text := range []string{"another", "and another"} {
			r := put(t, a, "a", text, base)
			require.False(t, r.Conflict)
			base = r.Scenario.Revision
		}
		require.Len(t, list(t, a).Scenarios, 1)
		require.Equal(t, "and another", history(t, a, "a")[0].Text)
	})
}

// slow is a store that takes a moment to write.
type slow struct{ *memory }

const moment = time.Second

func (s *slow) Change(ctx context.Context, id string, next func(*ScenarioHead) Scenario) error {
	time.Sleep(moment)
	return s.memory.Change(ctx, id, next)
}

// If a late store cannot take over the contents of memory, they stay there, and the reason is reported.
func TestLateStoreThatFails(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := New(late(&faulty{memory: newMemory(), fails: errors.New("full")}, time.Minute))
		put(t, a, "a", "text", 0)
		time.Sleep(2 * time.Minute)
		require.Equal(t, "full", list(t, a).Reason)
		require.Equal(t, []string{"text"}, texts(history(t, a, "a")))
	})
}

// Memory whose contents were moved refuses further calls, so that nothing is lost in it.
func TestMemoryClosesOnce(t *testing.T) {
	t.Parallel()
	m := newMemory()
	a := New(func(context.Context) (Store, error) { return m, nil })
	put(t, a, "a", "text", 0)
	moved := map[Scenario]bool{}
	for next := m.next(moved); next != nil; next = m.next(moved) {
		moved[*next] = true
	}
	require.Len(t, moved, 1)
	_, err := m.Heads(t.Context())
	require.ErrorIs(t, err, ErrClosed)
	require.ErrorIs(t, m.Change(t.Context(), "a", nil), ErrClosed)
	_, err = m.Revisions(t.Context(), "a")
	require.ErrorIs(t, err, ErrClosed)
	_, err = m.Remove(t.Context(), "a")
	require.ErrorIs(t, err, ErrClosed)
}

func texts(history []Scenario) (list []string) {
	for _, s := range history {
		list = append(list, s.Text)
	}
	return list
}

// A store that was closed from outside is opened again.
func TestClosedStoreIsReopened(t *testing.T) {
	t.Parallel()
	good := newMemory()
	stores := []Store{&faulty{memory: newMemory(), closed: true}, good}
	a := New(func(context.Context) (Store, error) {
		next := stores[0]
		stores = slices.Delete(stores, 0, 1)
		return next, nil
	})
	require.True(t, list(t, a).Persistent)
	put(t, a, "a", "text", 0)
	require.Len(t, good.kept, 1)
}

// A store that refuses or forgets is an error, not silence.
func TestFailedWriteIsToldOf(t *testing.T) {
	t.Parallel()
	full := &Error{Code: Invalid, Message: "full"}
	for name, c := range map[string]struct {
		store   *faulty
		message string
	}{
		"full":    {&faulty{memory: newMemory(), fails: full}, "full"},
		"forgets": {&faulty{memory: newMemory(), forgets: true}, "does not hold what was written"},
	} {
		_, failure := call[*putResult](t, New(lasting(c.store)), "store_put", putParams{ID: "a", Text: "text"})
		require.NotNil(t, failure, name)
		require.Contains(t, failure.Message, c.message, name)
	}
}
