// Package eventloop lets long computations yield to messages where Go shares
// one thread with an event loop: in a browser's worker. There a message such as
// "stop" is not delivered, no timer fires and no other answer leaves as long as
// any goroutine can run. Every long loop regularly checks its context anyway,
// and the context made by [Context] uses these checks to yield. On other
// platforms the package does nothing.
package eventloop

import "time"

// Slice is how long a computation runs before it yields: short compared with
// the 150 ms within which a stop must be noticed, long compared with the tenth
// of a millisecond that a turn of the loop takes.
const Slice = 25 * time.Millisecond
