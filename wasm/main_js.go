// Command wasm is the core of JigSaw in a Web Worker. It receives and sends the
// messages of the contract, site/src/engine/api.ts; package wasm/api answers them.
package main

import (
	"syscall/js"

	"jigsaw/wasm/api"
)

func main() {
	page := js.Global()
	session := api.NewSession(newAPI(), func(reply any) { post(page, reply) })
	page.Set("onmessage", js.FuncOf(func(_ js.Value, args []js.Value) any {
		receive(session, args[0].Get("data"))
		return nil
	}))
	post(page, api.Ready{Ready: true, Version: build()})
	select {} // the worker ends when the page ends it
}

// receive handles a Request or a Cancel.
func receive(session *api.Session, message js.Value) {
	var head struct {
		ID     int    `json:"id"`
		Method string `json:"method,omitempty"`
		Cancel bool   `json:"cancel,omitempty"`
	}
	switch err := fromJS(message, &head); {
	case err != nil:
		session.Refuse(head.ID, err)
	case head.Cancel:
		session.Cancel(head.ID)
	default:
		session.Start(head.ID, head.Method, func(params any) error { return fromJS(message.Get("params"), params) })
	}
}

// post sends a message, whose bulk data are transferred, not copied.
func post(page js.Value, message any) {
	value, buffers := toJS(message)
	page.Call("postMessage", value, buffers)
}
