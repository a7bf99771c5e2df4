//go:build !unix

package cli

import "os"

// hangup is none: closing a window comes as SIGTERM.
func hangup() []os.Signal { return nil }
