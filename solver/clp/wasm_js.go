package clp

import (
	"syscall/js"
)

// page is an instance of clp.wasm beside this program, in the same thread of
// JavaScript.
type page struct {
	exports js.Value
	heap    js.Value
}

func openPage() (m machine, err error) {
	defer thrown(&err)
	exports := js.Global().Get("jigsawCLP").Call("instantiate").Get("exports")
	return &page{exports: exports, heap: exports.Get("memory")}, nil
}

// thrown is deferred: it turns a JavaScript exception into the error.
func thrown(err *error) {
	switch reason := recover().(type) {
	case nil:
	case js.Error:
		*err = reason
	default:
		panic(reason)
	}
}

func (p *page) call(function string, args ...float64) (result float64, err error) {
	defer thrown(&err)
	values := make([]any, len(args))
	for k, v := range args {
		values[k] = v
	}
	if r := p.exports.Call(function, values...); r.Type() == js.TypeNumber {
		result = r.Float()
	}
	return result, nil
}

// bytes is a view of the heap, made anew each time because growth detaches it.
func (p *page) bytes(at uint32, count int) js.Value {
	return js.Global().Get("Uint8Array").New(p.heap.Get("buffer"), at, count)
}

func (p *page) write(at uint32, from []byte) (err error) {
	defer thrown(&err)
	js.CopyBytesToJS(p.bytes(at, len(from)), from)
	return nil
}

func (p *page) read(to []byte, at uint32) (err error) {
	defer thrown(&err)
	js.CopyBytesToGo(to, p.bytes(at, len(to)))
	return nil
}
