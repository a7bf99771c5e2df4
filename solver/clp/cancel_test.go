//go:build cgo && !noclp && unix

package clp_test

import (
	"context"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"jigsaw/solver"
	"jigsaw/solver/clp"
)

// prompt is the processor time that a stop may take. It is that of one iteration,
// or of one refactorisation at worst; wall time would also measure other load on
// the machine.
const prompt = 250 * time.Millisecond

// long is a program that takes CLP seconds. To draw it takes seconds under the race detector.
var long = sync.OnceValue(func() *solver.Problem { return covering(rand.New(rand.NewPCG(1, 1)), 1500, 15_000, 10) })

// loaded is a model of a program.
func loaded(t *testing.T, get func() (solver.Solver, error), p *solver.Problem) solver.Model {
	t.Helper()
	engine, err := get()
	require.NoError(t, err)
	m, err := engine.Load(p)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, m.Close()) })
	return m
}

// A context that ends in the middle of a solve ends it at once, with its error;
// the model keeps the basis it had reached, and continues from there.
func TestCancelDuringSolve(t *testing.T) {
	m := loaded(t, clp.New, long())
	late := make([]time.Duration, 0, 6) // processor time from the cancellation on
	start := m.Basis()
	for range cap(late) {
		ctx, cancel := context.WithCancel(t.Context())
		cancelled := make(chan time.Duration, 1)
		begin := processorTime(t)
		go func() {
			for processorTime(t)-begin < 40*time.Millisecond {
				time.Sleep(time.Millisecond)
			}
			cancelled <- processorTime(t)
			cancel()
		}()
		s, err := m.Solve(ctx, solver.Limits{})
		late = append(late, processorTime(t)-<-cancelled)
		require.ErrorIs(t, err, context.Canceled)
		require.ErrorContains(t, err, "clp: solve: ")
		require.Nil(t, s)
		require.Less(t, late[len(late)-1], prompt)
	}
	require.NotEqual(t, start, m.Basis(), "what was done is kept")
	t.Log("returned after", late)

	s, err := m.Solve(t.Context(), solver.Limits{Iterations: 5})
	require.NoError(t, err)
	require.Equal(t, solver.IterationLimit, s.Status)
	require.Equal(t, 5, s.Iterations, "an interruption ends with its call")
}

func TestDeadlineDuringSolve(t *testing.T) {
	m := loaded(t, clp.New, long())
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := m.Solve(ctx, solver.Limits{})
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

// A limit of time is a status, not an error, and the wall clock counts. On a busy
// machine a limit may pass before the first iteration; the next is longer.
func TestTimeLimitDuringSolve(t *testing.T) {
	m := loaded(t, clp.New, long())
	for limit := 100 * time.Millisecond; ; limit *= 2 {
		begin, used := time.Now(), processorTime(t)
		s, err := m.Solve(t.Context(), solver.Limits{Time: limit})
		require.NoError(t, err)
		require.Equal(t, solver.TimeLimit, s.Status)
		require.GreaterOrEqual(t, time.Since(begin), limit)
		require.Less(t, processorTime(t)-used, limit+prompt)
		require.NotNil(t, s.Basis)
		if s.Iterations > 0 {
			return
		}
	}
}

// The one-shot solver waits for the end of a slice.
func TestCancelOneShot(t *testing.T) {
	m := loaded(t, clp.NewOneShot, long())
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
	defer cancel()
	_, err := m.Solve(ctx, solver.Limits{})
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

// A model that was not closed is freed with its last reference: a thousand
// models of about a megabyte each do not accumulate.
func TestForgottenModelsAreFreed(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a second")
	}
	engine, err := clp.New()
	require.NoError(t, err)
	p := covering(rand.New(rand.NewPCG(1, 1)), 200, 2000, 20)
	first := residentKB(t)
	for k := range 1000 {
		m, err := engine.Load(p)
		require.NoError(t, err)
		if k%2 == 0 {
			require.NoError(t, m.Close())
		}
		if k%50 == 0 {
			runtime.GC()
			time.Sleep(time.Millisecond) // cleanups run in a goroutine
		}
	}
	require.Less(t, residentKB(t)-first, 300_000, "kilobytes that stayed")
}
