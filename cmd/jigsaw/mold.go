package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"jigsaw"
	"jigsaw/cmd/jigsaw/cli"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/codec"
	"jigsaw/whatif"
)

// moldDocument is the printed form of a plan with chosen numbers of workers.
type moldDocument struct {
	*jigsaw.Document
	// Workers chosen, by moldable job of the file.
	Workers map[string]int `json:"workers"`
	// AnyWorkers is a certified lower bound on the end of plans with any numbers of workers, in ticks; other bounds
	// are for the chosen ones.
	AnyWorkers *float64 `json:"bound_of_any_workers"`
}

// mold plans an instance that leaves numbers of workers to the planner.
func (o *planOptions) mold(ctx context.Context, document *codec.Document, models instance.ProfileSource, source string, std cli.Streams) error {
	options, err := o.Options(o.quick)
	if err != nil {
		return err
	}
	options.Seed, options.Gap = o.seed, float64(o.gap)
	r, err := whatif.Mold(ctx, document.Spec, models, options)
	if err != nil {
		return cli.Refused(document, source, "a valid instance", err)
	}
	r.Result.Begin = o.begin.Time
	if err := o.keep(r.Spec); err != nil {
		return err
	}
	d := moldDocument{r.Result.Document(o.Timeless), map[string]int{}, jigsaw.Number(r.Bound)}
	var chosen []string
	for i, j := range document.Spec.Jobs {
		if !j.Disabled && len(j.Moldable) > 0 {
			d.Workers[j.Name] = r.Workers[i]
			chosen = append(chosen, fmt.Sprintf("%s %d", j.Name, r.Workers[i]))
		}
	}
	err = errors.Join(o.draw(r.Result.Instance, r.Result.Schedule, r.Result.Blocks, ganttOptions(r.Result)), o.page(r.Result, r.Spec), cli.Prove(o.Certificate, r.Proof), o.to.Print(std, d, func(w io.Writer) {
		planTable(w, std, r.Result)
		if r.Result.Primal == nil { // nothing was chosen
			return
		}
		tried := cli.Count(r.Choices, "combination")
		if n := len(r.Tried); n < r.Choices {
			tried = fmt.Sprintf("%d of %s", n, tried)
		} else if n > 1 {
			tried = "all " + tried
		}
		fmt.Fprintf(w, "\nworkers chosen: %s, of %s\nwith any numbers no plan ends before %s (certified)\n",
			strings.Join(chosen, ", "), tried, jigsaw.FormatValue(r.Result.Instance, r.Bound))
	}))
	if err != nil {
		return err
	}
	return statusExit(r.Result)
}
