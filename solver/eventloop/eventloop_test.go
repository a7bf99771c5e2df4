package eventloop

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

// On every platform, the context ends when its parent ends, and carries its
// cause and its values.
func TestContextIsItsParent(t *testing.T) {
	type key struct{}
	inner, cancel := context.WithCancelCause(context.WithValue(t.Context(), key{}, "value"))
	ctx := Context(inner)
	require.NoError(t, ctx.Err())
	require.Equal(t, "value", ctx.Value(key{}))
	derived, release := context.WithCancel(ctx)
	defer release()

	cancel(context.DeadlineExceeded)
	<-derived.Done()
	require.ErrorIs(t, ctx.Err(), context.Canceled)
	require.ErrorIs(t, derived.Err(), context.Canceled)
	require.ErrorIs(t, context.Cause(ctx), context.DeadlineExceeded)
}
