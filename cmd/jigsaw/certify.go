package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/big"
	"slices"

	"github.com/spf13/cobra"

	"jigsaw"
	"jigsaw/cmd/jigsaw/cli"
	"jigsaw/formulation/instance"
)

func newCertify(std cli.Streams) *cobra.Command {
	var o cli.InstanceFlags
	var to cli.Destination
	c := &cobra.Command{
		Use:   "certify INSTANCE CERTIFICATE [SCHEDULE]",
		Short: "Prove a bound anew from its certificate, and judge a schedule by it",
		Long: `Prove the bound, or the infeasibility, that a certificate claims, in exact
integer arithmetic, from the instance and the prices in the certificate alone:
no linear program is solved and no floating-point number is used. CERTIFICATE
is what "jigsaw plan --certificate" or "jigsaw bound --certificate" wrote.
With a SCHEDULE (see "jigsaw check"), check that too and print its proven gap.
"-" reads one of the files from standard input.
Exit codes: 0 proven, 1 the proof does not hold or the schedule is invalid,
2 invalid input.`,
		Example: `  jigsaw plan rack --certificate rack.cert.json -o json > plan.json
  jigsaw certify rack rack.cert.json plan.json`,
		Args: cli.RangeArgs(2, 3),
		RunE: func(c *cobra.Command, args []string) error { return runCertify(c.Context(), args, o, to, std) },
	}
	o.Flags(c)
	to.Flags(c, cli.PrintFormats()...)
	return c
}

// certifyReport is what certify prints.
type certifyReport struct {
	Instance  string `json:"instance"`
	Objective string `json:"objective"`
	// Kind of proof: presolve, chain, area, fluid, periods, packing, columns, tree.
	Kind string `json:"kind"`
	// Prices in the proof.
	Prices     int      `json:"prices"`
	Infeasible bool     `json:"infeasible"`
	Reasons    []string `json:"reasons,omitempty"`
	// Bound proven, and the same as an exact fraction.
	Bound      *float64 `json:"bound"`
	BoundExact string   `json:"bound_exact,omitempty"`
	// ValueExact is what the prices prove before it is rounded to a value that
	// the objective can take.
	ValueExact string       `json:"value_exact,omitempty"`
	Schedule   *checkReport `json:"schedule,omitempty"`
	Gap        *float64     `json:"gap,omitempty"`
	Optimal    bool         `json:"optimal"`

	bound, primal *big.Rat
}

func runCertify(ctx context.Context, args []string, o cli.InstanceFlags, to cli.Destination, std cli.Streams) error {
	stdin := func(name string) bool { return name == "-" }
	if first := slices.IndexFunc(args, stdin); first >= 0 && slices.ContainsFunc(args[first+1:], stdin) {
		return cli.Usage(errors.New("only one file can come from standard input"))
	}
	if err := cli.CheckWritable(o.Files(args...), to.File); err != nil {
		return err
	}
	in, err := o.Load(args[0], std)
	if err != nil {
		return err
	}
	report, err := certificate(ctx, in, o.Unnamed, args[1], std)
	if err != nil {
		return err
	}
	var s written
	if len(args) == 3 {
		if s, err = readSchedule(in, args[2], std); err != nil {
			return err
		}
		if err := report.judge(in, s); err != nil {
			return err
		}
	}
	err = to.Print(std, report, func(w io.Writer) error { return report.table(w, in, s) })
	if err == nil && report.Schedule != nil && !report.Schedule.Valid {
		err = &cli.ExitError{Code: cli.ExitFailure}
	}
	return err
}

// certificate reads a certificate and proves it. An instance that is unnamed is another
// one under another file's name.
func certificate(ctx context.Context, in *instance.Instance, unnamed bool, name string, std cli.Streams) (*certifyReport, error) {
	file, err := cli.OpenFile(name, std)
	if err != nil {
		return nil, cli.Usage(err)
	}
	defer file.Close()
	c, err := jigsaw.DecodeCertificate(in, file)
	var problems instance.Problems
	if errors.As(err, &problems) && unnamed && problems[0].Path == "instance" {
		problems[0].Message += fmt.Sprintf("; the instance has no name and goes by its file's, %q: if that was another one, give it as name in the file", in.Name)
	}
	if err != nil {
		return nil, cli.Invalid(name, "a certificate about "+in.Name, err)
	}
	proven, err := jigsaw.Certify(ctx, in, c)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("%s does not hold: %w", name, cli.Unprefixed(err))
	}
	report := &certifyReport{
		Instance: in.Name, Objective: string(in.Objective), Kind: string(c.Kind), Prices: len(c.Prices),
		Infeasible: c.Infeasible, Reasons: proven.Infeasible, bound: proven.Value,
	}
	if proven.Value != nil {
		v, _ := proven.Value.Float64()
		report.Bound, report.BoundExact = &v, proven.Value.RatString()
	}
	if c.Value != nil {
		report.ValueExact = c.Value.RatString()
	}
	return report, nil
}

// judge checks a schedule and measures it by the bound. An error is a
// contradiction, which would be a fault of JigSaw.
func (r *certifyReport) judge(in *instance.Instance, s written) error {
	r.Schedule = newCheckReport(in, s)
	if !r.Schedule.Valid {
		return nil
	}
	r.primal = s.value(in)
	if r.Infeasible || in.Objective.Better(r.primal, r.bound) {
		return errors.New("the schedule is valid although the certificate proves that there is none so good: one of the two checks is wrong; please report this")
	}
	g := jigsaw.Gap(r.primal, r.bound)
	r.Gap, r.Optimal = &g, r.primal.Cmp(r.bound) == 0
	return nil
}

func (r *certifyReport) table(w io.Writer, in *instance.Instance, s written) error {
	heading(w, in)
	if r.Infeasible {
		fmt.Fprintln(w, "proven: no valid schedule exists:")
		for _, reason := range r.Reasons {
			fmt.Fprintf(w, "- %s\n", reason)
		}
	} else {
		side := "below"
		if in.Objective.Better(big.NewRat(1, 1), new(big.Rat)) { // more is better
			side = "above"
		}
		fmt.Fprintf(w, "proven: no schedule has a %s %s %s\n", in.Objective, side, jigsaw.FormatValue(in, r.bound))
	}
	prices := "which needs no prices"
	if r.Prices > 0 {
		prices = cli.Count(r.Prices, "price")
	}
	fmt.Fprintf(w, "proof: %s, %s\n", r.Kind, prices)
	if r.Schedule == nil {
		return nil
	}
	fmt.Fprint(w, "schedule: ")
	if err := r.Schedule.table(w, in, s); err != nil || !r.Schedule.Valid {
		return err
	}
	if r.Optimal {
		_, err := fmt.Fprintln(w, "optimal: its value equals the proven bound")
		return err
	}
	_, err := fmt.Fprintf(w, "gap %s, proven\n", cli.Gap(r.primal, r.bound))
	return err
}
