// Package backend chooses the engine of a build: CLP, reached as the build tags say,
//
//	cgo && !noclp && !js   by cgo
//	js                     in the browser, where the page provides it
//	otherwise              by wazero, if clp.wasm is available, or embedded by the tag clpwasm
//
// and [ErrNone] if it cannot be reached. Without an engine the heuristics and the
// bounds that need no linear program still work; a caller reports this and continues.
package backend
