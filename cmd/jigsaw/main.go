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
	"jigsaw/cmd/jigsaw/cli"
	"jigsaw/cmd/jigsaw/profile"
	"jigsaw/cmd/jigsaw/study"
	"jigsaw/formulation/instance"
)

func main() {
	os.Exit(run(cli.Interruptible(), os.Args[1:], cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}))
}

// run executes the command line and returns the exit code.
func run(ctx context.Context, args []string, std cli.Streams) int {
	std, unwritten := std.Guard(ctx)
	root := newRoot(std)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if failed := unwritten(); failed != nil && !errors.Is(err, failed) {
		err = failed // the command ignored it
	}
	if err == nil {
		return cli.ExitOK
	}
	code, report := cli.ExitFailure, err
	var exit *cli.ExitError
	var problems instance.Problems
	var path *fs.PathError
	switch {
	case unwritten() != nil, errors.As(err, &path) && path.Op == "write":
		// A full disk, whatever error the command made of it.
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		code, report = cli.ExitLimit, cli.ErrInterrupted
	case errors.As(err, &exit):
		code, report = exit.Code, exit.Err
	case errors.As(err, &problems):
		code = cli.ExitUsage
	case strings.HasPrefix(err.Error(), "unknown command"):
		what, _, _ := strings.Cut(strings.TrimPrefix(err.Error(), "unknown command "), " for ")
		name, _ := strconv.Unquote(what)
		var names []string
		for _, c := range root.Commands() {
			names = append(names, c.Name())
		}
		code, report = cli.ExitUsage, fmt.Errorf("there is no command %s%s", what, instance.DidYouMean(name, names, "; see jigsaw help"))
	}
	if report != nil {
		fmt.Fprintf(std.Err, "jigsaw: %s\n", cli.WithoutPackages(report.Error()))
	}
	return code
}

func newRoot(std cli.Streams) *cobra.Command {
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
	root.PersistentFlags().BoolVarP(std.Quiet, "quiet", "q", false, "print neither progress nor notes, only the result and errors")
	root.PersistentPreRunE = func(c *cobra.Command, _ []string) error { return sensible(c) }
	root.SetIn(std.In)
	root.SetOut(std.Out)
	root.SetErr(std.Err)
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
				"int":      "a whole number", "int64": "a whole number", "uint64": "a whole number of at least 0",
				"float64": "a number", "float64Slice": "numbers separated by commas", "bool": "true or false",
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
		return cli.Usage(fmt.Errorf("%w; see %s --help", err, c.CommandPath()))
	})
	root.AddCommand(
		newPlan(std), newCheck(std), newBound(std), newCertify(std), newExplain(std), newWhatIf(std), newReplan(std), newBurst(std), newResilience(std), newCost(std),
		profile.New(std), newExample(std), newSchema(std), newVersion(std),
		newExport(std), newImport(std), newServe(std),
		study.New(std), study.NewReport(std), study.NewReplay(std), newMan(std),
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

// dashed is a flag as the user writes it.
func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

// outOfRange reports whether a value of a flag is well-formed but out of range.
func outOfRange(value *pflag.InvalidValueError) bool {
	if value.GetFlag().Value.Type() == "duration" {
		// time.ParseDuration reports a duration that is too large as malformed.
		_, err := time.ParseDuration(tooLarge.ReplaceAllString(value.GetValue(), "1$1"))
		return err == nil
	}
	return errors.Is(value.Unwrap(), strconv.ErrRange) && !strings.HasPrefix(value.GetValue(), "-")
}

// tooLarge matches a number of a duration, with its unit.
var tooLarge = regexp.MustCompile(`[0-9]+(?:\.[0-9]*)?([a-zµμ]+)`)

// help makes the help of an unknown command fail; cobra would print the help of the program.
func help(root *cobra.Command) {
	for _, c := range root.Commands() {
		if c.Name() != "help" {
			continue
		}
		show := c.Run
		c.Run, c.RunE = nil, func(c *cobra.Command, args []string) error {
			if _, rest, err := root.Find(args); err != nil || len(rest) > 0 {
				return cli.Usage(fmt.Errorf("there is no jigsaw %s; see jigsaw help", strings.Join(args, " ")))
			}
			show(c, args)
			return nil
		}
	}
}

// makeGroup makes a command that only groups others reject unknown subcommands; cobra
// would print its help and succeed.
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
		return cli.Usage(fmt.Errorf("there is no %s %s; choose %s", c.CommandPath(), args[0], strings.Join(names, ", ")))
	}
}

// sensible rejects flags with empty values, for example from an unset shell variable.
func sensible(c *cobra.Command) (err error) {
	c.Flags().Visit(func(f *pflag.Flag) {
		if f.Value.Type() == "string" && f.Value.String() == "" && err == nil {
			err = cli.Usage(fmt.Errorf("--%s is empty: give it a value, or leave it out", f.Name))
		}
	})
	quiet, log := c.Flag("quiet"), c.Flag("log")
	if err == nil && quiet != nil && log != nil && quiet.Value.String() == "true" && log.Value.String() == "true" {
		err = cli.Usage(errors.New("--log prints what --quiet leaves out; leave one of them out"))
	}
	return err
}
