package eventloop

import (
	"context"
	"sync"
	"syscall/js"
	"time"
)

// Context returns ctx with an Err that yields. A context derived from it has an
// Err of its own: wrap that one.
func Context(ctx context.Context) context.Context { return giving{ctx} }

// giving is a context whose Err gives way when that is due.
type giving struct{ context.Context }

func (g giving) Err() error {
	Yield()
	return g.Context.Err()
}

// Yield lets the event loop take its turn if the last one began more than [Slice]
// ago, and does nothing otherwise. The caller holds no lock that what answers a
// message may want.
func Yield() {
	l := loop()
	if time.Since(l.last) >= Slice {
		<-l.turn()
	}
}

// turns is the one event loop of the program, which is why it is package-level
// state. Goroutines of js/wasm take turns on one thread and are never interrupted:
// it needs no lock.
type turns struct {
	ask  func()
	last time.Time     // when the loop last had its turn
	next chan struct{} // closed after the turn that is under way; nil: none is
}

var loop = sync.OnceValue(func() *turns {
	l := &turns{}
	turn := js.FuncOf(func(js.Value, []js.Value) any {
		l.last = time.Now()
		close(l.next)
		l.next = nil
		return nil
	})
	// Timers are clamped to 4 ms when they nest; messages are not. Node, where
	// tests run, takes a thousand messages in a row before anything else, but
	// knows this instead.
	if immediate := js.Global().Get("setImmediate"); immediate.Truthy() {
		l.ask = func() { immediate.Invoke(turn) }
		return l
	}
	channel := js.Global().Get("MessageChannel").New()
	channel.Get("port1").Set("onmessage", turn)
	l.ask = func() { channel.Get("port2").Call("postMessage", js.Null()) }
	return l
})

// turn asks for a turn of the loop, unless another goroutine has.
func (l *turns) turn() <-chan struct{} {
	if l.next == nil {
		l.next = make(chan struct{})
		l.ask()
	}
	return l.next
}
