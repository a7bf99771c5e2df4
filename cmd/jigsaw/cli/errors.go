package cli

import (
	"errors"
	"fmt"
	"regexp"
)

// Exit codes. Scripts rely on them.
const (
	ExitOK         = 0
	ExitFailure    = 1 // something failed, or `check` found violations
	ExitUsage      = 2 // wrong usage or invalid input
	ExitInfeasible = 3 // proven: no valid schedule exists
	ExitLimit      = 4 // stopped without a schedule and without a proof
)

// ExitError ends the program with a code. A nil Err has been reported already.
type ExitError struct {
	Code int
	Err  error
}

func (e *ExitError) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("exit code %d", e.Code)
	}
	return e.Err.Error()
}

func (e *ExitError) Unwrap() error { return e.Err }

// ErrInterrupted is the error of a command that is stopped without a result to show.
var ErrInterrupted = errors.New("interrupted")

// Usage marks an error as the user's: exit code 2.
func Usage(err error) error { return &ExitError{Code: ExitUsage, Err: err} }

// WithoutPackages removes the package prefix from a message: that is for callers of the
// packages.
func WithoutPackages(message string) string { return packages.ReplaceAllString(message, "") }

// Unprefixed is an error for use within another message, without its package prefix.
func Unprefixed(err error) error { return unprefixed{err} }

type unprefixed struct{ error }

func (u unprefixed) Error() string { return WithoutPackages(u.error.Error()) }

func (u unprefixed) Unwrap() error { return u.error }

// packages matches the prefixes of messages and of their lines.
var packages = regexp.MustCompile(`(?m)^(?:(?:jigsaw|instance|profiles|view|formulation|heuristics|solver|colgen|tree|lpfile|clp|backend|` +
	`site|whatif|burst|store|sweep|submit|report|trace|replay|policy): )+`)
