package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
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

// CommandLine is a command as it could be typed to do the same, with its flags by name after its arguments.
func CommandLine(c *cobra.Command, args []string) string {
	words := append([]string{c.CommandPath()}, args...)
	c.Flags().Visit(func(f *pflag.Flag) {
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		for _, v := range values {
			if f.NoOptDefVal == v {
				words = append(words, "--"+f.Name)
			} else {
				words = append(words, "--"+f.Name, v)
			}
		}
	})
	for i, w := range words[1:] {
		if w == "" || strings.ContainsAny(w, " \t\n\"'\\$&|;<>()*?[]{}~`!#") {
			words[i+1] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}

// ExactArgs is cobra's, with a usage error, and for files: only one of them can be "-".
func ExactArgs(n int) cobra.PositionalArgs { return RangeArgs(n, n) }

// RangeArgs is [ExactArgs] for one of two numbers.
func RangeArgs(least, most int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			takes := Count(most, "argument")
			if least < most {
				takes = fmt.Sprintf("%d or %s", least, takes)
			}
			return Usage(fmt.Errorf("%s takes %s, not %d; usage: %s", CommandName(c), takes, len(args), c.UseLine()))
		}
		if first := slices.Index(args, "-"); first >= 0 && slices.Contains(args[first+1:], "-") {
			return Usage(errors.New("only one file can come from standard input"))
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
