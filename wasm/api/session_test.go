package api

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

// ask encodes parameters as the page does.
func ask(t *testing.T, params any) func(any) error {
	t.Helper()
	encoded, err := json.Marshal(params)
	require.NoError(t, err)
	return func(p any) error { return json.Unmarshal(encoded, p) }
}

// Calls run concurrently, each under its id, and one can be cancelled without the
// others.
func TestSession(t *testing.T) {
	t.Parallel()
	replies := make(chan any, 1000)
	s := NewSession(New(nil), func(reply any) { replies <- reply })
	long := ask(t, PlanOptions{Text: example(t, "rack"), TimeMS: maxTimeMS})
	s.Start(1, "plan", long)
	s.Start(2, "version", ask(t, none{}))
	s.Start(3, "plan", ask(t, PlanOptions{Text: "broken"}))
	s.Refuse(4, errors.New("no request"))
	s.Cancel(99)

	events, seen := 0, map[int]any{}
	for len(seen) < 4 {
		switch r := (<-replies).(type) {
		case PlanEvent:
			require.Equal(t, 1, r.ID)
			events++
			if r.Schedule != nil {
				s.Start(1, "version", ask(t, none{})) // the id is in use
				s.Cancel(1)
			}
		case Data:
			seen[r.ID] = r.Data
		case Failure:
			if r.ID == 1 {
				require.Contains(t, r.Error.Message, "still running")
				continue
			}
			seen[r.ID] = r.Error
		}
	}
	require.Positive(t, events)
	require.True(t, seen[1].(*PlanResult).Stopped)
	require.IsType(t, Version{}, seen[2])
	require.Equal(t, Invalid, seen[3].(*Error).Code)
	require.Equal(t, "no request", seen[4].(*Error).Message)
}

// A panic ends its own call and nothing else.
func TestPanicIsAnswered(t *testing.T) {
	t.Parallel()
	replies := make(chan any, 2)
	open := func(context.Context) (Store, error) { panic("broken invariant") }
	s := NewSession(New(open), func(reply any) { replies <- reply })
	s.Start(1, "store_list", ask(t, none{}))
	failure := (<-replies).(Failure)
	require.Equal(t, Internal, failure.Error.Code)
	require.Contains(t, failure.Error.Message, "store_list panicked: broken invariant")
	s.Start(2, "version", ask(t, none{}))
	require.Equal(t, 2, (<-replies).(Data).ID)
}
