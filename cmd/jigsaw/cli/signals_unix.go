//go:build unix

package cli

import (
	"os"
	"os/signal"
	"syscall"
)

// hangup is the signal of a terminal that is closed, unless nohup has it ignored.
func hangup() []os.Signal {
	if signal.Ignored(syscall.SIGHUP) {
		return nil
	}
	return []os.Signal{syscall.SIGHUP}
}
