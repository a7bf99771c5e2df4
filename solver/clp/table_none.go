//go:build !cgo || noclp || js

package clp

// Available says whether this build reaches CLP.
func Available() bool { return false }

func newTable() (table, error) { return nil, ErrUnavailable }
