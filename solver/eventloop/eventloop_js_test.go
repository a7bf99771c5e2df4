package eventloop

import (
	"context"
	"syscall/js"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A computation that checks its context sees a message that arrived meanwhile,
// and all computing goroutines yield, not only one.
func TestContextLetsMessagesIn(t *testing.T) {
	inner, cancel := context.WithCancel(context.Background())
	ctx := Context(inner)
	stop := js.FuncOf(func(js.Value, []js.Value) any { cancel(); return nil })
	defer stop.Release()
	js.Global().Call("setTimeout", stop, 1)

	ended := make(chan int, 2)
	for range 2 {
		go func() {
			turns := 0
			for begin := time.Now(); ctx.Err() == nil && time.Since(begin) < time.Minute; turns++ {
				for work := time.Now(); time.Since(work) < time.Millisecond; {
				}
			}
			ended <- turns
		}()
	}
	for range 2 {
		require.Less(t, <-ended, 200)
	}
	require.ErrorIs(t, ctx.Err(), context.Canceled)
}
