package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"jigsaw"
	"jigsaw/cmd/jigsaw/cli"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/codec"
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
is what --certificate of "jigsaw plan", "jigsaw bound" or "jigsaw cost" wrote.
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

// certifyReport is the output of certify.
type certifyReport struct {
	Instance  string `json:"instance"`
	Objective string `json:"objective"`
	// Kind of proof, see docs/certificate.md. A cost is for all schedules, or for those that end by End, in ticks.
	Kind string `json:"kind"`
	End  int64  `json:"end,omitempty"`
	// Prices is the number of prices in the proof.
	Prices     int      `json:"prices"`
	Infeasible bool     `json:"infeasible"`
	Reasons    []string `json:"reasons,omitempty"`
	// Bound proven, as a number and as an exact fraction.
	Bound      *float64 `json:"bound"`
	BoundExact string   `json:"bound_exact,omitempty"`
	// ValueExact is what the prices prove before it is rounded to a possible value of the objective.
	ValueExact string       `json:"value_exact,omitempty"`
	Schedule   *checkReport `json:"schedule,omitempty"`
	Gap        *float64     `json:"gap,omitempty"`
	Optimal    bool         `json:"optimal"`

	certificate   *jigsaw.Certificate
	bound, primal *big.Rat
}

func runCertify(ctx context.Context, args []string, o cli.InstanceFlags, to cli.Destination, std cli.Streams) error {
	if err := cli.CheckWritable(o.Files(args...), to.File); err != nil {
		return err
	}
	document, models, err := o.ReadDocument(args[0], std)
	if err != nil {
		return err
	}
	about := proofsOf
	switch {
	case document.Spec.Molds():
		about = anyWorkers
	case document.Spec.Bursts():
		about = bursts
	}
	p, err := about(ctx, document, models)
	if err != nil {
		return cli.Refused(document, args[0], "a valid instance", err)
	}
	if len(args) == 3 && p.read == nil {
		return cli.Usage(errors.New("for a plan of burst-parallel jobs use jigsaw check, which shows its bound as well"))
	}
	report, err := p.certificate(ctx, o.Unnamed, args[1], std)
	if err != nil {
		return err
	}
	var in *instance.Instance
	var plan instance.Plan
	if len(args) == 3 {
		if in, plan, err = p.read(args[2], std); err != nil {
			return err
		}
		if err := report.judge(in, plan); err != nil {
			return err
		}
	}
	return errors.Join(to.Print(std, report, func(w io.Writer) {
		fmt.Fprintf(w, "%s\n\nproven: %s\nproof: %s\n", p.title, p.says(report), report.proof())
		report.judged(w, in, plan)
	}), report.exit())
}

// exit returns an error for an invalid schedule.
func (r *certifyReport) exit() error {
	if r.Schedule != nil && !r.Schedule.Valid {
		return &cli.ExitError{Code: cli.ExitFailure}
	}
	return nil
}

// proofs checks proofs about one kind of instance.
type proofs struct {
	name, objective, title string
	// says explains what is proven.
	says   func(*certifyReport) string
	decode func(io.Reader) (*jigsaw.Certificate, error)
	prove  func(*jigsaw.Certificate) (jigsaw.Proven, error)
	// read reads a plan of the instance, which may choose parts of that; nil: such plans are not judged.
	read func(name string, std cli.Streams) (*instance.Instance, instance.Plan, error)
}

// proofsOf returns those for an instance that leaves nothing to choose.
func proofsOf(ctx context.Context, document *codec.Document, models instance.ProfileSource) (*proofs, error) {
	in, err := document.Compile(models)
	if err != nil {
		return nil, err
	}
	return &proofs{
		in.Name, string(in.Objective), title(in),
		func(r *certifyReport) string {
			if r.Infeasible {
				return "no valid schedule exists:\n- " + strings.Join(r.Reasons, "\n- ")
			}
			return jigsaw.FormatProven(in, r.certificate, r.bound)
		},
		func(r io.Reader) (*jigsaw.Certificate, error) { return jigsaw.DecodeCertificate(in, r) },
		func(c *jigsaw.Certificate) (jigsaw.Proven, error) {
			proven, err := jigsaw.Certify(ctx, in, c)
			if err == nil && !jigsaw.AboutCost(c) {
				if why := jigsaw.Overdue(in, proven.Value); why != "" {
					proven.Infeasible = []string{why}
				}
			}
			return proven, err
		},
		func(name string, std cli.Streams) (*instance.Instance, instance.Plan, error) {
			plan, err := readSchedule(in, name, std)
			return in, plan, err
		},
	}, nil
}

// anyWorkers returns those for moldable jobs.
func anyWorkers(ctx context.Context, document *codec.Document, models instance.ProfileSource) (*proofs, error) {
	in, err := instance.CompileMolds(document.Spec, models)
	if err != nil {
		return nil, err
	}
	return &proofs{
		document.Spec.Name, string(instance.Makespan), document.Spec.Name + ": jobs with numbers of workers to choose from, makespan",
		func(r *certifyReport) string {
			return "with any numbers of workers no schedule has a makespan below " + jigsaw.FormatValue(in.Jobs[0].Alone[0], r.bound)
		},
		func(r io.Reader) (*jigsaw.Certificate, error) { return jigsaw.DecodeMoldCertificate(in, r) },
		func(c *jigsaw.Certificate) (jigsaw.Proven, error) { return jigsaw.CertifyMolds(ctx, in, c) },
		func(name string, std cli.Streams) (*instance.Instance, instance.Plan, error) {
			return molded(document, models, name, std)
		},
	}, nil
}

// molded reads a plan of moldable jobs, and compiles the instance with its numbers of workers.
func molded(document *codec.Document, models instance.ProfileSource, name string, std cli.Streams) (*instance.Instance, instance.Plan, error) {
	file, err := cli.OpenPath(name)
	if err != nil {
		return nil, nil, cli.Usage(err)
	}
	defer file.Close()
	var plan struct {
		Workers map[string]int `json:"workers"`
	}
	if err := json.NewDecoder(file).Decode(&plan); err != nil {
		return nil, nil, cli.Usage(fmt.Errorf("%s is not a plan, as jigsaw plan -o json prints it: %w", name, err))
	}
	workers := make([]int, len(document.Spec.Jobs))
	for i, j := range document.Spec.Jobs {
		if workers[i] = plan.Workers[j.Name]; !j.Disabled && len(j.Moldable) > 0 && !slices.Contains(j.Moldable, workers[i]) {
			return nil, nil, cli.Usage(fmt.Errorf("%s: workers: job %q has %d of them, not one of %v", name, j.Name, workers[i], j.Moldable))
		}
	}
	in, err := instance.Compile(document.Spec.Mold(workers), models)
	if err != nil {
		return nil, nil, cli.Invalid(name, "a plan of the instance", err)
	}
	s, err := readSchedule(in, name, std)
	return in, s, err
}

// bursts returns those for background jobs.
func bursts(_ context.Context, document *codec.Document, models instance.ProfileSource) (*proofs, error) {
	in, err := document.CompileBursts(models)
	if err != nil {
		return nil, err
	}
	return &proofs{
		name: in.Name, objective: "background", title: burstTitle(in),
		says: func(r *certifyReport) string {
			return fmt.Sprintf("beside these stages of the burst-parallel jobs the background has at most %.4f GPUs' worth", float(r.bound))
		},
		decode: func(r io.Reader) (*jigsaw.Certificate, error) { return jigsaw.DecodeBackgroundCertificate(in, r) },
		prove:  func(c *jigsaw.Certificate) (jigsaw.Proven, error) { return jigsaw.CertifyBackground(in, c) },
	}, nil
}

// certificate reads a certificate and proves it. An instance without a name takes that of its file, so under
// another file name it is a different one.
func (p *proofs) certificate(ctx context.Context, unnamed bool, name string, std cli.Streams) (*certifyReport, error) {
	file, err := cli.OpenFile(name, std)
	if err != nil {
		return nil, cli.Usage(err)
	}
	defer file.Close()
	c, err := p.decode(file)
	var problems instance.Problems
	if errors.As(err, &problems) && unnamed && problems[0].Path == "instance" {
		problems[0].Message += fmt.Sprintf("; the instance has no name, so that of its file, %q, was taken: if the file had another name before, write that as name in it", p.name)
	}
	if err != nil {
		return nil, cli.Invalid(name, "a certificate about "+p.name, err)
	}
	proven, err := p.prove(c)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("%s does not hold: %w", name, cli.Unprefixed(err))
	}
	report := &certifyReport{
		Instance: p.name, Objective: p.objective, Kind: string(c.Kind), Prices: len(c.Prices), End: c.End,
		Infeasible: proven.Infeasible != nil, Reasons: proven.Infeasible, certificate: c, bound: proven.Value,
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

// judge checks a schedule and compares it with the bound. An error is a contradiction, which would be a fault of
// JigSaw.
func (r *certifyReport) judge(in *instance.Instance, plan instance.Plan) error {
	r.Schedule = newCheckReport(in, plan)
	if !r.Schedule.Valid {
		return nil
	}
	r.primal = in.Value(plan)
	better := in.Objective.Better
	if jigsaw.AboutCost(r.certificate) {
		if r.primal, better = in.Cost(plan), instance.Makespan.Better; r.End > 0 && plan.Makespan(in) > instance.Tick(r.End) {
			return cli.Usage(errors.New("the certificate says nothing about this schedule, which is valid and ends later than those whose cost it bounds"))
		}
	}
	if r.Infeasible || better(r.primal, r.bound) {
		return errors.New("the schedule is valid although the certificate proves that no schedule is this good: one of the two checks is wrong; please report this")
	}
	if gap := jigsaw.Gap(r.primal, r.bound); !math.IsNaN(gap) {
		r.Gap = &gap
	}
	r.Optimal = r.primal.Cmp(r.bound) == 0
	return nil
}

// proof describes its kind, and the number of its prices.
func (r *certifyReport) proof() string {
	if r.Prices > 0 {
		return r.Kind + ", " + cli.Count(r.Prices, "price")
	}
	return r.Kind + ", which needs no prices"
}

// judged prints the result for a schedule, if there is one.
func (r *certifyReport) judged(w io.Writer, in *instance.Instance, plan instance.Plan) {
	if r.Schedule == nil {
		return
	}
	fmt.Fprint(w, "schedule: ")
	if r.Schedule.table(w, in, plan); !r.Schedule.Valid {
		return
	}
	if jigsaw.AboutCost(r.certificate) {
		fmt.Fprintf(w, "its cost %s: ", jigsaw.FormatCost(in, r.primal))
	}
	if r.Optimal {
		fmt.Fprintln(w, "optimal: its value equals the proven bound")
		return
	}
	fmt.Fprintf(w, "gap %s, proven\n", cli.Gap(r.primal, r.bound, 2))
}
