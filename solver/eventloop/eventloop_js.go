package eventloop

import (
	"context"
	"sync"
	"syscall/js"
	"time"
)

// Context returns ctx with an Err that yields. Contexts derived from it have
// their own Err; wrap those instead.
func Context(ctx context.Context) context.Context { return giving{ctx} }

// giving is a context whose Err yields when a turn is due.
type giving struct{ context.Context }

func (g giving) Err() error {
	Yield()
	return g.Context.Err()
}

// Yield lets the event loop run if its last turn began more than [Slice] ago, and
// does nothing otherwise. The caller must hold no lock that a message handler may
// need.
func Yield() {
	l := loop()
	if time.Since(l.last) >= Slice {
		<-l.turn()
	}
}

// turns is the one event loop of the program, which is why it is package-level
// state. Goroutines of js/wasm take turns on one thread and are never interrupted,
// so it needs no lock.
type turns struct {
	ask  func()
	last time.Time     // when the loop last had its turn
	next chan struct{} // closed after the current turn; nil: there is none
}

var loop = sync.OnceValue(func() *turns {
	l := &turns{}
	turn := js.FuncOf(func(js.Value, []js.Value) any {
		l.last = time.Now()
		close(l.next)
		l.next = nil
		return nil
	})
	// Nested timers are clamped to 4 ms; messages are not. Node, where tests run,
	// handles a thousand messages in a row before anything else, but has
	// setImmediate.
	if immediate := js.Global().Get("setImmediate"); immediate.Truthy() {
		l.ask = func() { immediate.Invoke(turn) }
		return l
	}
	channel := js.Global().Get("MessageChannel").New()
	channel.Get("port1").Set("onmessage", turn)
	l.ask = func() { channel.Get("port2").Call("postMessage", js.Null()) }
	return l
})

// turn requests a turn of the loop, unless another goroutine has done so.
func (l *turns) turn() <-chan struct{} {
	if l.next == nil {
		l.next = make(chan struct{})
		l.ask()
	}
	return l.next
}
