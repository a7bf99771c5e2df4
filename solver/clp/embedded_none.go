//go:build !clpwasm && !js && (!cgo || noclp)

package clp

// embedded is empty: without the tag clpwasm CLP is a separate file.
var embedded []byte
