// Package eventloop lets long computations give way to messages where Go shares
// one thread with an event loop: in a browser's worker. There a message such as
// "stop" is not delivered, no timer fires and no other answer leaves as long as
// any goroutine can run. So every long loop asks its context now and then whether
// to go on, as it does everywhere, and the context made by [Context] uses the
// occasion to yield. Everywhere else the package does nothing.
package eventloop

import "time"

// Slice is how long a computation goes on before it gives way: short against
// the 150 ms in which a stop must be heard, long against the tenth of a
// millisecond that a turn of the loop takes.
const Slice = 25 * time.Millisecond
