package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"jigsaw"
	"jigsaw/cmd/jigsaw/cli"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/codec"
	"jigsaw/study/trace"
)

// batch holds the flags of an instance that comes as two files.
type batch struct {
	cli.InstanceFlags
	cli.TraceFlags
	cluster, jobs string
	seed          uint64

	traces int // number of traces read
}

// args checks the number of arguments: others, and the instance unless these flags give it.
func (o *batch) args(c *cobra.Command, args []string, others int) error {
	if o.cluster == "" && o.jobs == "" {
		others++
	}
	return cli.ExactArgs(others)(c, args)
}

func (o *batch) Flags(c *cobra.Command, lists string) {
	o.InstanceFlags.Flags(c)
	o.TraceFlags.Flags(c, "a trace in "+lists)
	f := c.Flags()
	f.StringVar(&o.cluster, "cluster", "", "a `file` of a cluster, for the jobs of --jobs")
	f.StringVar(&o.jobs, "jobs", "", "a `file` that lists the jobs for --cluster: CSV, JSON Lines, or a trace as of jigsaw replay")
	f.Uint64Var(&o.seed, "seed", 0, "seed of all randomness; same seed, same plan")
}

// spec reads the instance named on the command line, or a cluster and its jobs, and returns the source of its models.
func (o *batch) spec(name string, std cli.Streams) (document *codec.Document, models instance.ProfileSource, err error) {
	if err := o.CheckFormat(); err != nil {
		return nil, nil, err
	}
	if o.cluster == "" && o.jobs == "" {
		document, models, err = o.ReadDocument(name, std)
	} else {
		document, models, err = o.both(std)
	}
	if given := o.Given(); err == nil && given != "" && o.traces == 0 {
		err = cli.Usage(fmt.Errorf("%s is for traces, and none of the lists of jobs is a trace", given))
	}
	return document, models, err
}

// both reads a cluster and its jobs.
func (o *batch) both(std cli.Streams) (*codec.Document, instance.ProfileSource, error) {
	if o.cluster == "" || o.jobs == "" {
		return nil, nil, cli.Usage(errors.New("--cluster and --jobs go together"))
	}
	if err := o.CheckObjective(); err != nil {
		return nil, nil, err
	}
	file, err := cli.OpenPath(o.cluster)
	if err != nil {
		return nil, nil, cli.Usage(err)
	}
	defer file.Close()
	cluster, err := io.ReadAll(file)
	if err != nil {
		return nil, nil, cli.Usage(err)
	}
	var models instance.ProfileSource
	document, err := jigsaw.Batch(cluster, func(spec *instance.Spec) (*codec.JobList, error) {
		return o.list(o.jobs, spec, o.Begun, std)
	}, func(spec *instance.Spec) (_ instance.ProfileSource, err error) {
		models, err = o.ModelsOf(spec, std)
		return models, err
	})
	if told := (*cli.ExitError)(nil); errors.As(err, &told) {
		return nil, nil, err
	}
	if both := (*jigsaw.BatchProblems)(nil); errors.As(err, &both) {
		// A list may be valid by itself, and yet not fit the cluster.
		if err = nil; len(both.Cluster) > 0 {
			err = cli.Invalid(o.cluster, "a valid cluster", both.Cluster)
		}
		if len(both.Jobs) > 0 {
			err = errors.Join(err, cli.Invalid(o.jobs, "a list of jobs for "+o.cluster, both.Jobs))
		}
		return nil, nil, cli.Usage(err)
	}
	if err != nil {
		return nil, nil, cli.Invalid(o.cluster, "a valid cluster", err)
	}
	if err := o.Override(document.Spec, o.jobs); err != nil {
		return nil, nil, err
	}
	return document, models, nil
}

// list reads a list of jobs, or a trace, for a cluster. Its times count from begin, by the clock; zero: not known.
func (o *batch) list(name string, spec *instance.Spec, begin time.Time, std cli.Streams) (*codec.JobList, error) {
	file, err := cli.OpenFile(name, std)
	if err != nil {
		return nil, cli.Usage(err)
	}
	defer file.Close()
	format, in := o.Format(), io.Reader(file)
	if format == "" {
		if format, in, err = trace.Detect(file); err != nil {
			return nil, cli.Usage(fmt.Errorf("%s: %w", name, err))
		}
	}
	if format != "" {
		return o.traced(name, format, in, spec, std)
	}
	list, err := codec.DecodeJobs(in, cli.ClockFrom(begin))
	if err != nil {
		return nil, cli.Invalid(name, "a list of jobs", err)
	}
	return list, nil
}

// traced reads a trace, and makes jobs from it for a cluster.
func (o *batch) traced(name string, format trace.Format, in io.Reader, spec *instance.Spec, std cli.Streams) (*codec.JobList, error) {
	o.traces++
	t, err := trace.Read(name, in, format)
	if err != nil {
		return nil, cli.Usage(err)
	}
	if err := t.Window(o.From, o.Until); err != nil {
		return nil, cli.Usage(err)
	}
	table, err := o.Table(format)
	if err != nil {
		return nil, err
	}
	library, err := cli.LoadLibrary(o.Profiles)
	if err != nil {
		return nil, err
	}
	cluster, err := cli.ClusterOf(spec)
	if err != nil {
		return nil, cli.Invalid(cmp.Or(o.cluster, "the instance"), "a valid cluster", err)
	}
	w, err := trace.Workload(t, table, library, cluster, trace.Options{Seed: o.seed, SkipUnknown: o.SkipUnknown, Profiled: o.profiled(spec, library), GPUTypes: spec.Cluster.GPUTypes})
	if err != nil {
		return nil, cli.Usage(err)
	}
	list, notes := t.List(w, cluster)
	std.Note("%s: %s", filepath.Base(name), t)
	if len(w.LeftOut) > 0 {
		notes = append(notes, w.LeftOutText())
	}
	for _, note := range append(t.Notes, notes...) {
		std.Note("%s", note)
	}
	return list, nil
}

// profiled reports whether a model has a profile at a batch size that runs on a cluster, or will have an estimated
// one.
func (o *batch) profiled(spec *instance.Spec, library instance.ProfileSource) func(model string, size int) bool {
	type key struct {
		model string
		size  int
	}
	known := map[key]bool{} // cache for many jobs
	return func(model string, size int) bool {
		k := key{model, size}
		if _, seen := known[k]; !seen {
			alone := *spec
			alone.Jobs = []instance.JobSpec{{Name: "any", Model: model, Batch: size, Workers: 1}}
			_, err := instance.Compile(&alone, library)
			known[k] = err == nil || o.Estimates(model)
		}
		return known[k]
	}
}
