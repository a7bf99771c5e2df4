package clp

import (
	"context"
	"fmt"
	"math"
	"time"

	"jigsaw/solver"
)

// budget is what is left of the context and the limits of one call, including
// all its side programs.
type budget struct {
	ctx        context.Context
	limits     solver.Limits
	deadline   time.Time // zero without a limit of time
	iterations int       // used so far
}

func newBudget(ctx context.Context, limits solver.Limits) *budget {
	b := &budget{ctx: ctx, limits: limits}
	if limits.Time > 0 {
		b.deadline = time.Now().Add(limits.Time)
	}
	return b
}

// err is the error of a context that has ended.
func (b *budget) err() error {
	if err := b.ctx.Err(); err != nil {
		return fmt.Errorf("clp: solve: %w", err)
	}
	return nil
}

// next returns the iterations and the seconds, negative without a limit, that
// the next slice may take. If nothing is left it returns the status of the
// limit.
func (b *budget) next(slice int) (count int, seconds float64, spent solver.Status) {
	count, seconds = slice, -1
	if b.limits.Iterations > 0 {
		count = min(count, b.limits.Iterations-b.iterations)
		if count <= 0 {
			return 0, 0, solver.IterationLimit
		}
	}
	if !b.deadline.IsZero() {
		seconds = time.Until(b.deadline).Seconds()
		if seconds <= 0 {
			return 0, 0, solver.TimeLimit
		}
	}
	return count, seconds, solver.Unsolved
}

// onEnd calls a function when the context or the time ends. The returned function
// cancels that, and waits for a call that has begun.
func (b *budget) onEnd(call func()) (release func()) {
	ctx, cancel := b.ctx, context.CancelFunc(func() {})
	if !b.deadline.IsZero() {
		ctx, cancel = context.WithDeadline(ctx, b.deadline)
	}
	if ctx.Done() == nil {
		return cancel
	}
	called := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		call()
		close(called)
	})
	return func() {
		if !stop() {
			<-called
		}
		cancel()
	}
}

const (
	// wholeSlice lets CLP run without a stop.
	wholeSlice = math.MaxInt32
	// onceWork is about how many matrix entries CLP can touch in 50 ms, liveWork in
	// a second: half of that speed in WebAssembly.
	onceWork, liveWork = 2.5e7, 5e8
	// Slices shorter than minSlice lose too much to restarting; slices longer than
	// maxSlice gain nothing.
	minSlice, maxSlice = 50, 20000
	// maxIdleSlices ends a solve that repeatedly stops without progress.
	maxIdleSlices = 100
)

// sliceLength is the number of iterations before the first check of the context,
// if CLP cannot be interrupted. A slice costs more than its start: CLP forgets
// the weights of its pricing, and may need several times the iterations. An
// iteration prices all columns, and solves with a factor that is denser than the
// basis.
func sliceLength(p *solver.Problem, work float64) int {
	each := float64(len(p.Value) + p.Cols() + 20*p.Rows())
	return int(min(max(work/max(1, each), minSlice), maxSlice))
}
