//go:build !unix

package main

import "os"

// hangup is none: closing a window comes as SIGTERM.
func hangup() []os.Signal { return nil }
