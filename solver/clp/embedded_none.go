//go:build !clpwasm && !js && (!cgo || noclp)

package clp

// embedded is empty: without the tag clpwasm CLP is a file of its own.
var embedded []byte
