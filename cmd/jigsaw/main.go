// Command jigsaw plans deep-learning jobs on a GPU cluster. See `jigsaw help`.
package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"jigsaw"
	"jigsaw/formulation/instance"
)

// Exit codes. Scripts rely on them.
const (
	exitOK         = 0
	exitFailure    = 1 // something failed, or `check` found violations
	exitUsage      = 2 // wrong usage or invalid input
	exitInfeasible = 3 // proven: no valid schedule exists
	exitLimit      = 4 // stopped without a schedule and without a proof
)

func main() {
	os.Exit(run(interruptible(), os.Args[1:], streams{in: os.Stdin, out: os.Stdout, err: os.Stderr}))
}

// exitError ends the program with a code. A nil err has been reported already.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// errInterrupted is what a command ends with that has nothing to show when it is stopped.
var errInterrupted = errors.New("interrupted")

// usage marks an error as the user's to mend: exit code 2.
func usage(err error) error { return &exitError{exitUsage, err} }

// run executes the command line and returns the exit code.
func run(ctx context.Context, args []string, std streams) int {
	out := &output{w: std.out}
	std.in, std.out, std.quiet = input{ctx, std.in}, out, new(bool)
	root := newRoot(std)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if out.err != nil && !errors.Is(err, out.err) {
		err = out.err // the command did not look
	}
	if err == nil {
		return exitOK
	}
	code, report := exitFailure, err
	var exit *exitError
	var problems instance.Problems
	var path *fs.PathError
	switch {
	case out.err != nil, errors.As(err, &path) && path.Op == "write":
		// A full disk, whatever the command took it for.
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		code, report = exitLimit, errInterrupted
	case errors.As(err, &exit):
		code, report = exit.code, exit.err
	case errors.As(err, &problems):
		code = exitUsage
	case strings.HasPrefix(err.Error(), "unknown command"):
		what, _, _ := strings.Cut(strings.TrimPrefix(err.Error(), "unknown command "), " for ")
		code, report = exitUsage, fmt.Errorf("there is no command %s; see jigsaw help", what)
	}
	if report != nil {
		fmt.Fprintf(std.err, "jigsaw: %s\n", plain(report.Error()))
	}
	return code
}

// plain leaves out of a message which package it is from: that is for who calls these.
func plain(message string) string { return packages.ReplaceAllString(message, "") }

// bare is an error within another one's message, without its package.
type bare struct{ error }

func (b bare) Error() string { return plain(b.error.Error()) }

func (b bare) Unwrap() error { return b.error }

// packages are the beginnings of messages and of their lines.
var packages = regexp.MustCompile(`(?m)^(?:(?:jigsaw|instance|profiles|view|formulation|heuristics|solver|colgen|tree|lpfile|clp|backend|` +
	`site|burst|store|sweep|submit|report|trace|replay|policy|quality): )+`)

func newRoot(std streams) *cobra.Command {
	root := &cobra.Command{
		Use:     "jigsaw",
		Version: jigsaw.Version(),
		Short:   "Plan deep-learning jobs on a GPU cluster, with a proven bound",
		Long: `JigSaw plans training jobs on a shared GPU cluster, one iteration at a time.
With structured partial backpropagation the workers of a job back-propagate to
different depths; JigSaw fits the ragged pieces of many jobs together, and
prints how far its plan can be from the best one.

INSTANCE is an instance file (YAML or JSON), "-" for standard input, or the
name of a built-in example (jigsaw example list). Every field of such a file is
described in what jigsaw schema instance prints.`,
		Example: `  jigsaw plan quickstart --gantt quickstart.svg
  jigsaw example write rack > rack.yaml
  jigsaw plan rack.yaml -o json > plan.json
  jigsaw check rack.yaml plan.json`,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.PersistentFlags().BoolVarP(std.quiet, "quiet", "q", false, "print neither progress nor notes: the result and errors alone")
	root.PersistentPreRunE = func(c *cobra.Command, _ []string) error { return sensible(c) }
	root.SetIn(std.in)
	root.SetOut(std.out)
	root.SetErr(std.err)
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		var value *pflag.InvalidValueError
		var missing *pflag.ValueRequiredError
		var unknown *pflag.NotExistError
		switch {
		case errors.As(err, &unknown):
			err = fmt.Errorf("there is no flag %s", dashed(unknown.GetSpecifiedName()))
		case errors.As(err, &missing):
			err = fmt.Errorf("%s needs a value", dashed(missing.GetSpecifiedName()))
		case errors.As(err, &value):
			name := "--" + value.GetFlag().Name
			if short := value.GetFlag().Shorthand; short != "" {
				name = "-" + short
			}
			wants := map[string]string{
				"duration": "a time with its unit, like 10s, 5m or 1h30m",
				"int":      "a whole number", "int64": "a whole number", "uint64": "a whole number from 0",
				"float64": "a number", "float64Slice": "numbers with commas between", "bool": "true or false",
			}[value.GetFlag().Value.Type()]
			switch {
			case wants == "":
				err = fmt.Errorf("%s %q: %w", name, value.GetValue(), value.Unwrap())
			case outOfRange(value):
				err = fmt.Errorf("%s %q: that is too large", name, value.GetValue())
			default:
				err = fmt.Errorf("%s %q: write %s", name, value.GetValue(), wants)
			}
		}
		return usage(fmt.Errorf("%w; see %s --help", err, c.CommandPath()))
	})
	root.AddCommand(
		newPlan(std), newCheck(std), newBound(std), newCertify(std), newExplain(std), newWhatIf(std), newReplan(std), newBurst(std), newResilience(std),
		newProfile(std), newExample(std), newSchema(std), newVersion(std),
		newExport(std), newImport(std), newServe(std),
		newStudy(std), newReport(std), newReplay(std), newMan(std),
	)
	root.InitDefaultCompletionCmd()
	root.InitDefaultHelpCmd()
	help(root)
	for _, c := range root.Commands() {
		if c.HasSubCommands() {
			makeGroup(c)
		}
	}
	return root
}

// dashed is a flag as it is written.
func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

// outOfRange reports whether a value of a flag is well written, but more than it can hold.
func outOfRange(value *pflag.InvalidValueError) bool {
	if value.GetFlag().Value.Type() == "duration" {
		// A duration that is too large is to time.ParseDuration one that is malformed.
		_, err := time.ParseDuration(tooLarge.ReplaceAllString(value.GetValue(), "1$1"))
		return err == nil
	}
	return errors.Is(value.Unwrap(), strconv.ErrRange) && !strings.HasPrefix(value.GetValue(), "-")
}

// tooLarge is a number of a duration, with its unit.
var tooLarge = regexp.MustCompile(`[0-9]+(?:\.[0-9]*)?([a-zµμ]+)`)

// help has the help of what is no command fail, where cobra would print that of the program.
func help(root *cobra.Command) {
	for _, c := range root.Commands() {
		if c.Name() != "help" {
			continue
		}
		show := c.Run
		c.Run, c.RunE = nil, func(c *cobra.Command, args []string) error {
			if _, rest, err := root.Find(args); err != nil || len(rest) > 0 {
				return usage(fmt.Errorf("there is no jigsaw %s; see jigsaw help", strings.Join(args, " ")))
			}
			show(c, args)
			return nil
		}
	}
}

// makeGroup has a command that only groups others refuse what is none of them, where
// cobra would print its help as if all were well.
func makeGroup(c *cobra.Command) {
	c.Args, c.DisableFlagsInUseLine = cobra.ArbitraryArgs, true
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return c.Help()
		}
		var names []string
		for _, sub := range c.Commands() {
			names = append(names, sub.Name())
		}
		return usage(fmt.Errorf("there is no %s %s; choose %s", c.CommandPath(), args[0], strings.Join(names, ", ")))
	}
}

// sensible refuses flags that were given without a meaning, as by a shell's variable that
// is not set.
func sensible(c *cobra.Command) (err error) {
	c.Flags().Visit(func(f *pflag.Flag) {
		if f.Value.Type() == "string" && f.Value.String() == "" && err == nil {
			err = usage(fmt.Errorf("--%s is empty: give it a value, or leave it out", f.Name))
		}
	})
	quiet, log := c.Flag("quiet"), c.Flag("log")
	if err == nil && quiet != nil && log != nil && quiet.Value.String() == "true" && log.Value.String() == "true" {
		err = usage(errors.New("--log prints what --quiet leaves out; leave one of them out"))
	}
	return err
}

// aboveZero refuses a 0 for flags whose default it is within the program.
func aboveZero(c *cobra.Command, flags ...string) error {
	for _, name := range flags {
		if f := c.Flag(name); f.Changed && f.Value.String() == "0" {
			return usage(fmt.Errorf("--%s 0: choose more, or leave it out", name))
		}
	}
	return nil
}

// called is a command without the program's name, with which messages begin.
func called(c *cobra.Command) string {
	_, name, _ := strings.Cut(c.CommandPath(), " ")
	return name
}

// exactArgs is cobra's, with an error that is the user's to mend.
func exactArgs(n int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) != n {
			return usage(fmt.Errorf("%s takes %s, not %d; usage: %s", called(c), count(n, "argument"), len(args), c.UseLine()))
		}
		return nil
	}
}

// rangeArgs is [exactArgs] of one number or the next.
func rangeArgs(least, most int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			return usage(fmt.Errorf("%s takes %d or %s, not %d; usage: %s", called(c), least, count(most, "argument"), len(args), c.UseLine()))
		}
		return nil
	}
}
