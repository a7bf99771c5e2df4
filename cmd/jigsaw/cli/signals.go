package cli

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// impatience is how long after the first signal another one is no echo of it: a
// terminal signals all processes of a command, and some of these pass it on.
const impatience = time.Second / 2

// Interruptible returns a context that Ctrl-C ends, or being told to terminate, or losing
// the terminal: what runs then ends with the best plan so far. A second Ctrl-C, a moment
// later, ends the program.
func Interruptible() context.Context {
	quit := []os.Signal{os.Interrupt, syscall.SIGTERM}
	ctx, _ := signal.NotifyContext(context.Background(), append(quit, hangup()...)...)
	context.AfterFunc(ctx, func() {
		time.AfterFunc(impatience, func() { signal.Reset(quit...) })
	})
	return ctx
}
