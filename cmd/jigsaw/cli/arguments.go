package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// AboveZero rejects an explicit 0 for flags that use it internally as their
// default.
func AboveZero(c *cobra.Command, flags ...string) error {
	for _, name := range flags {
		if f := c.Flag(name); f.Changed && f.Value.String() == "0" {
			return Usage(fmt.Errorf("--%s 0: choose more, or leave it out", name))
		}
	}
	return nil
}

// CommandName is a command without the program's name, as messages begin.
func CommandName(c *cobra.Command) string {
	_, name, _ := strings.Cut(c.CommandPath(), " ")
	return name
}

// ExactArgs is cobra's, with a usage error.
func ExactArgs(n int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) != n {
			return Usage(fmt.Errorf("%s takes %s, not %d; usage: %s", CommandName(c), Count(n, "argument"), len(args), c.UseLine()))
		}
		return nil
	}
}

// RangeArgs is [ExactArgs] for a range of numbers.
func RangeArgs(least, most int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			return Usage(fmt.Errorf("%s takes %d or %s, not %d; usage: %s", CommandName(c), least, Count(most, "argument"), len(args), c.UseLine()))
		}
		return nil
	}
}

// Count writes a number with its noun.
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
