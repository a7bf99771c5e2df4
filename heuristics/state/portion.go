package state

import (
	"context"
	"time"
)

// Portion ends a context after a fraction of its time, if that is limited.
func Portion(ctx context.Context, part float64) (context.Context, context.CancelFunc) {
	if end, ok := ctx.Deadline(); ok {
		return context.WithTimeout(ctx, time.Duration(part*float64(time.Until(end))))
	}
	return ctx, func() {}
}
