//go:build !unix

package cli

import "os"

// hangup is empty: closing a window arrives as SIGTERM.
func hangup() []os.Signal { return nil }
