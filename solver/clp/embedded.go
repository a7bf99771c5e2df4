//go:build clpwasm && !js && (!cgo || noclp)

package clp

import _ "embed"

// embedded is CLP inside the program: scripts/dist puts a copy of bin/clp/clp.wasm there.
//
//go:embed wasm/clp.wasm
var embedded []byte
