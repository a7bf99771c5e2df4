package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/big"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"jigsaw"
	"jigsaw/cmd/jigsaw/cli"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/view"
	"jigsaw/whatif"
)

type costOptions struct {
	cli.InstanceFlags
	cli.WorkFlags
	to       cli.Destination
	seed     uint64
	quick    bool
	budget   instance.Price
	deadline instance.Duration

	write, certificate string
}

func newCost(std cli.Streams) *cobra.Command {
	var o costOptions
	c := &cobra.Command{
		Use:   "cost INSTANCE",
		Short: "Say which nodes to rent: plans on parts of the cluster, by makespan and cost",
		Long: `Plan on all, half, a quarter, ... of the nodes of each GPU type, and say how long each plan
takes and what it costs (price_per_hour). Spot capacity is a GPU type of its own, with profiled_as.

--budget asks for the fastest plan that costs no more, --deadline for the cheapest plan that ends by
then; numbers of nodes in between are then tried as well. The plan chosen is made once more with all of
--time or --effort. Next to it stands a bound, proven in exact arithmetic, that no plan on any choice of
nodes beats: the earliest end within the budget, or the least cost that meets the deadline. --write writes
the instance of the choice, for jigsaw plan. --certificate writes the proof of the bound, or without
--budget and --deadline that of the least cost, for jigsaw certify.
Exit codes: 0 answered, 2 invalid input, 3 proven that no plan does, 4 none found.`,
		Example: `  jigsaw cost cluster.yaml
  jigsaw cost cluster.yaml --budget 120 --write rented.yaml
  jigsaw cost cluster.yaml --deadline 8h`,
		Args: cli.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			return runCost(c.Context(), args[0], o, c.Flags().Changed, std)
		},
	}
	o.InstanceFlags.Flags(c)
	o.WorkFlags.Flags(c)
	o.to.Flags(c, cli.PrintFormats()...)
	f := c.Flags()
	f.Uint64Var(&o.seed, "seed", 0, "seed of all randomness; same seed, same plans")
	f.BoolVar(&o.quick, "quick", false, "do not plan the choice once more")
	f.TextVar(&o.budget, "budget", instance.Price(0), "how much the plan may cost")
	f.TextVar(&o.deadline, "deadline", instance.Duration(0), "when the plan has to end, like 30m")
	f.StringVar(&o.write, "write", "", "write the instance of the choice into this YAML `file`")
	f.StringVar(&o.certificate, "certificate", "", "write the proof of the bound into this JSON `file`; see jigsaw certify")
	f.Lookup("budget").DefValue, f.Lookup("deadline").DefValue = "", ""
	return c
}

// costReport is the output of cost. Times are in ticks.
type costReport struct {
	Instance string       `json:"instance"`
	TickUS   int64        `json:"tick_us"`
	AtLeast  *float64     `json:"at_least"`
	Choices  []costChoice `json:"choices"`
	Budget   *costAnswer  `json:"budget,omitempty"`
	Deadline *costAnswer  `json:"deadline,omitempty"`
}

type costChoice struct {
	// Nodes by type of GPU.
	Nodes     map[string]int `json:"nodes"`
	Makespan  *float64       `json:"makespan"`
	Cost      *float64       `json:"cost"`
	Efficient bool           `json:"efficient"`
	Reason    string         `json:"reason,omitempty"`
}

// costAnswer is the answer to a budget or a deadline.
type costAnswer struct {
	Status jigsaw.Status `json:"status"`
	// Choice by number, from 0; null if none meets it.
	Choice *int `json:"choice"`
	// Bound is a lower bound on the end of plans within the budget, or on the cost of plans that meet the
	// deadline; null if no plan does.
	Bound *float64 `json:"bound"`
}

func runCost(ctx context.Context, name string, o costOptions, changed func(string) bool, std cli.Streams) error {
	options, err := o.Options(o.quick)
	switch {
	case err != nil:
		return err
	case changed("deadline") && o.deadline <= 0:
		return cli.Usage(errors.New("--deadline is a time above 0, like 30m"))
	case o.write != "" && changed("budget") == changed("deadline"):
		return cli.Usage(errors.New("--write keeps one choice: give either --budget or --deadline with it"))
	case o.certificate != "" && changed("budget") && changed("deadline"):
		return cli.Usage(errors.New("--certificate writes one proof: give one of --budget and --deadline with it, or none"))
	}
	if err := cli.CheckWritable(o.Files(name), o.to.File, o.write, o.certificate); err != nil {
		return err
	}
	if _, err := o.Load(name, std); err != nil {
		return err
	}
	options.Seed = o.seed
	opt := whatif.CostOptions{Options: options, Deadline: o.deadline}
	if changed("budget") {
		opt.Budget = big.NewRat(int64(o.budget), int64(instance.One))
	}
	show, end := std.Counter("choices")
	opt.Tried = show
	r, err := whatif.Costs(ctx, o.Document.Spec, o.Models, opt)
	end()
	if err != nil {
		return cli.Refused(o.Document, name, "an instance whose costs can be compared", err)
	}
	report := newCostReport(r, opt)
	proof := r.Proof
	switch {
	case changed("budget"):
		proof = r.BudgetProof
	case changed("deadline"):
		proof = r.DeadlineProof
	}
	if err := cli.Prove(o.certificate, proof); err != nil {
		return err
	}
	if err := o.to.Print(std, report, func(w io.Writer) { report.table(w, r, opt) }); err != nil {
		return err
	}
	code := 0
	for _, a := range []*costAnswer{report.Budget, report.Deadline} {
		switch {
		case a == nil:
		case a.Status == jigsaw.Infeasible:
			code = cli.ExitInfeasible
		case a.Choice == nil && code == 0:
			code = cli.ExitLimit
		case a.Choice != nil && o.write != "":
			if err := o.WriteInstance(o.write, r.Choices[*a.Choice].Spec); err != nil {
				return err
			}
		}
	}
	if code != 0 {
		return &cli.ExitError{Code: code}
	}
	return nil
}

func newCostReport(r *whatif.CostResult, opt whatif.CostOptions) *costReport {
	in := r.Instance
	report := &costReport{Instance: in.Name, TickUS: in.TickUS, AtLeast: jigsaw.Number(r.AtLeast)}
	for _, c := range r.Choices {
		row := costChoice{Nodes: map[string]int{}, Cost: jigsaw.Number(c.Cost), Efficient: c.Efficient, Reason: c.Reason}
		for t, n := range c.Nodes {
			row.Nodes[in.Types[t].Name] = n
		}
		if c.Cost != nil {
			row.Makespan = jigsaw.Number(c.Result.Primal)
		}
		report.Choices = append(report.Choices, row)
	}
	answer := func(choice int, value func(*whatif.NodeChoice) *big.Rat, bound *big.Rat, none bool) *costAnswer {
		a := &costAnswer{Status: jigsaw.Unknown, Bound: jigsaw.Number(bound)}
		switch {
		case none:
			a.Status, a.Bound = jigsaw.Infeasible, nil
		case choice >= 0:
			a.Choice, a.Status = &choice, jigsaw.Feasible
			if value(&r.Choices[choice]).Cmp(bound) == 0 {
				a.Status = jigsaw.Optimal
			}
		}
		return a
	}
	if opt.Budget != nil {
		report.Budget = answer(r.Fastest, func(c *whatif.NodeChoice) *big.Rat { return c.Result.Primal }, r.Earliest, r.Earliest == nil)
	}
	if opt.Deadline > 0 {
		report.Deadline = answer(r.Cheapest, func(c *whatif.NodeChoice) *big.Rat { return c.Cost }, r.CostBy, r.TooLate)
	}
	return report
}

func (r *costReport) table(w io.Writer, result *whatif.CostResult, opt whatif.CostOptions) {
	in := result.Instance
	heading(w, in)
	t := cli.RightColumns(w)
	var types []int
	for i := range in.Types {
		if result.Choices[0].Nodes[i] > 0 {
			types = append(types, i)
			fmt.Fprintf(t, "nodes of %s\t", in.Types[i].Name)
		}
	}
	fmt.Fprintln(t, "makespan\tcost\t\t")
	var like *big.Rat // one unit for all
	for _, c := range result.Choices {
		if c.Cost != nil && like == nil {
			like = c.Result.Primal
		}
		for _, i := range types {
			fmt.Fprintf(t, "%d\t", c.Nodes[i])
		}
		if c.Cost == nil {
			fmt.Fprintln(t, "-\t-\t\t")
			continue
		}
		mark := ""
		if c.Efficient {
			mark = "*"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t\n", jigsaw.FormatValueLike(in, c.Result.Primal, like), jigsaw.FormatCost(in, c.Cost), mark)
	}
	t.Flush()
	fmt.Fprintf(w, "\n* no other choice is as fast and as cheap\nno plan costs less than %s (certified)\n", jigsaw.FormatCost(in, result.AtLeast))
	say := func(what string, a *costAnswer, bound string) {
		switch {
		case a.Status == jigsaw.Infeasible:
			fmt.Fprintf(w, "%s: proven that no plan exists\n", what)
		case a.Choice == nil:
			fmt.Fprintf(w, "%s: none found; %s\n", what, bound)
		default:
			c := &result.Choices[*a.Choice]
			var nodes []string
			for _, i := range types {
				nodes = append(nodes, fmt.Sprintf("%d of %s", c.Nodes[i], in.Types[i].Name))
			}
			fmt.Fprintf(w, "%s: nodes %s; makespan %s, cost %s; %s\n", what, strings.Join(nodes, ", "), jigsaw.FormatValue(in, c.Result.Primal), jigsaw.FormatCost(in, c.Cost), bound)
		}
	}
	if r.Budget != nil {
		bound := ""
		if result.Earliest != nil {
			bound = "none within the budget ends before " + jigsaw.FormatValue(in, result.Earliest)
		}
		say("fastest within "+jigsaw.FormatCost(in, opt.Budget), r.Budget, bound)
	}
	if r.Deadline != nil {
		say("cheapest by "+view.Clock(time.Duration(opt.Deadline).Seconds()), r.Deadline, "none by then costs less than "+jigsaw.FormatCost(in, result.CostBy))
	}
}
