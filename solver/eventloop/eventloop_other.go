//go:build !js

package eventloop

import "context"

// Context returns ctx.
func Context(ctx context.Context) context.Context { return ctx }

// Yield does nothing.
func Yield() {}
