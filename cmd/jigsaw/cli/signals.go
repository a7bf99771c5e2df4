package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// impatience is the time after the first signal from which another one is not an echo of
// it: a terminal signals all processes of a command, and some of these pass it on.
const impatience = time.Second / 2

// Interruptible returns a context that ends on Ctrl-C, on a request to terminate, or when
// the terminal closes: the current run then ends with the best plan so far. A second
// Ctrl-C, a moment later, ends the program.
func Interruptible() context.Context {
	quit := []os.Signal{os.Interrupt, syscall.SIGTERM}
	ctx, _ := signal.NotifyContext(context.Background(), append(quit, hangup()...)...)
	context.AfterFunc(ctx, func() {
		time.AfterFunc(impatience, func() { signal.Reset(quit...) })
	})
	return ctx
}
