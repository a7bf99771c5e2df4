//go:build unix

package cli

import (
	"os"
	"os/signal"
	"syscall"
)

// hangup is the signal of a closed terminal, unless nohup makes the process
// ignore it.
func hangup() []os.Signal {
	if signal.Ignored(syscall.SIGHUP) {
		return nil
	}
	return []os.Signal{syscall.SIGHUP}
}
