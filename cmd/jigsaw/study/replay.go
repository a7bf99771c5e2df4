package study

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"jigsaw"
	"jigsaw/cmd/jigsaw/cli"
	"jigsaw/formulation/instance"
	"jigsaw/study/policy"
	"jigsaw/study/replay"
	"jigsaw/study/trace"
)

type replayOptions struct {
	cli.TraceFlags
	cluster    string
	profiles   []string
	policies   []string
	round      time.Duration
	share      int
	restartAll bool
	thresholds []float64
	seed       uint64
	load       float64
	jobs       string
	to         cli.Destination
}

func (o *replayOptions) flags(c *cobra.Command) {
	f := c.Flags()
	o.Flags(c, "the trace")
	f.StringVar(&o.cluster, "cluster", "", "nodes x GPUs, like 64x8 or \"8x4:v100,4x8:k80\", or a cluster file, instance file or example whose cluster is taken")
	cli.ProfileFlag(c, &o.profiles)
	f.StringSliceVar(&o.policies, "policy", []string{"fifo", "srtf", "las", "jigsaw"}, "policies to compare: "+strings.Join(policy.Names(), ", ")+", or all")
	f.DurationVar(&o.round, "round", 6*time.Minute, "time between decisions; 0 decides whenever a job comes or goes")
	f.Lookup("round").DefValue = "6m"
	f.IntVar(&o.share, "share", 4, "how many jobs may share GPUs")
	f.Float64SliceVar(&o.thresholds, "thresholds", []float64{3250, 7200}, "between the queues of las, in GPU-seconds held")
	f.Lookup("thresholds").DefValue = "3250,7200"
	f.BoolVar(&o.restartAll, "restart-all", false, "restart every running job at every decision, as Muri's testbed does")
	f.Uint64Var(&o.seed, "seed", 0, "seed of all randomness")
	f.Float64Var(&o.load, "load", 1, "load of a synthetic trace: GPUs asked for, divided by GPUs available")
	f.StringVar(&o.jobs, "jobs", "", "write a row for every job under every policy into this CSV `file`")
	o.to.Flags(c, append(cli.PrintFormats(), "csv")...)
	_ = c.RegisterFlagCompletionFunc("policy", cobra.FixedCompletions(policy.Names(), cobra.ShellCompDirectiveNoFileComp))
}

// NewReplay returns the command replay.
func NewReplay(std cli.Streams) *cobra.Command {
	var o replayOptions
	c := &cobra.Command{
		Use:   "replay TRACE",
		Short: "Replay a trace of jobs under several schedulers, and compare",
		Long: `Replay a trace of jobs that come over hours or months, iteration by iteration,
under scheduling policies that share one model of the cluster, and print what
each is worth beside bounds that none can beat. TRACE is a file, "-", or
synthetic:1000 for a thousand jobs drawn with the seed.

What an iteration costs comes from the trace where it says so, and from the model
table; a job whose model the table does not have is an error, never a guess, or is
left out with --skip-unknown.
docs/replay.md says what is modelled and what is not.

Ctrl-C prints what is known so far, marked as cut.
Exit codes: 0 replayed, 2 invalid input.`,
		Example: `  jigsaw replay cluster_trace.csv --cluster 8x8 --policy srtf,muri-s,jigsaw
  jigsaw replay philly.csv --cluster 64x8 --policy fifo,jigsaw -o csv`,
		Args: cli.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return runReplay(c.Context(), args[0], o, std) },
	}
	o.flags(c)
	return c
}

func runReplay(ctx context.Context, name string, o replayOptions, std cli.Streams) error {
	if o.cluster == "" {
		return cli.Usage(errors.New("give a cluster to replay on: --cluster 64x8 for 64 nodes of 8 GPUs, or --cluster with an instance file or an example"))
	}
	if o.round < 0 {
		return cli.Usage(errors.New("--round must not be negative"))
	}
	if o.share < 1 {
		return cli.Usage(fmt.Errorf("--share %d: a job has its GPUs at least for itself; choose 1 or more", o.share))
	}
	if o.load != 1 && !strings.HasPrefix(name, synthetic) {
		return cli.Usage(fmt.Errorf("--load is for synthetic traces; the load of %s is given by its jobs", name))
	}
	if err := o.CheckFormat(); err != nil {
		return err
	}
	if err := cli.CheckWritable(append([]string{name, o.cluster, o.ModelTable}, o.profiles...), o.jobs, o.to.File); err != nil {
		return err
	}
	cluster, types, err := o.parseCluster(std)
	if err != nil {
		return err
	}
	t, w, err := o.workload(name, cluster, types, std)
	if err != nil {
		return err
	}
	options := policy.Options{Share: o.share, Seed: o.seed, Thresholds: o.thresholds}
	if engine, err := jigsaw.Solver(); err == nil {
		options.Solver = engine // policies that need one report if it is missing
	}
	names, missing := o.policies, []string(nil)
	if slices.Contains(names, "all") {
		names, missing = policy.Available(options)
	}
	config := replay.Config{Cluster: cluster, Round: o.round.Seconds(), RestartAll: o.restartAll}
	report, err := policy.Compare(ctx, w, names, options, config)
	if err != nil {
		return cli.Usage(err)
	}
	report.Format = string(t.Format)
	report.Notes = append(t.Notes, report.Notes...)
	if len(missing) > 0 {
		report.Notes = append(report.Notes, "without an LP engine, left out: "+strings.Join(missing, ", "))
	}
	if o.jobs != "" {
		if err := cli.WriteFile(o.jobs, report.WriteJobs); err != nil {
			return err
		}
	}
	if o.to.Chosen() == "csv" {
		return o.to.Write(std, report.WriteCSV)
	}
	return o.to.Print(std, report, func(out io.Writer) { replayTable(out, std, report) })
}

// parseCluster reads the cluster in short form, or that of a cluster file or an instance, which describes its types of
// GPU.
func (o *replayOptions) parseCluster(std cli.Streams) (*replay.Cluster, []instance.GPUTypeSpec, error) {
	c, err := replay.ParseCluster(o.cluster)
	if errors.Is(err, replay.ErrNotShort) {
		of := cli.InstanceFlags{Profiles: o.profiles}
		in, err := of.Load(o.cluster, std)
		if c, types, ok := clusterFile(o.cluster); err != nil && ok {
			return c, types, nil
		}
		if err != nil {
			return nil, nil, cli.Usage(fmt.Errorf("--cluster is neither nodes x GPUs, like 64x8, nor an instance: %w", cli.Unprefixed(err)))
		}
		return replay.ClusterOf(in), of.Document.Spec.Cluster.GPUTypes, nil
	}
	if err != nil {
		return nil, nil, cli.Usage(err)
	}
	return c, nil, nil
}

// clusterFile reads a cluster file, as in jigsaw plan --cluster, if it is a valid one.
func clusterFile(name string) (*replay.Cluster, []instance.GPUTypeSpec, bool) {
	file, err := cli.OpenPath(name)
	if err != nil {
		return nil, nil, false
	}
	defer file.Close()
	data, err := io.ReadAll(file)
	if err != nil {
		return nil, nil, false
	}
	spec, err := jigsaw.Cluster(data)
	if err != nil {
		return nil, nil, false
	}
	c, err := cli.ClusterOf(spec)
	return c, spec.Cluster.GPUTypes, err == nil
}

// synthetic is the prefix of the name of a drawn trace.
const synthetic = "synthetic:"

// workload reads the trace, and assigns costs to its jobs.
func (o *replayOptions) workload(name string, c *replay.Cluster, types []instance.GPUTypeSpec, std cli.Streams) (*trace.Trace, *replay.Workload, error) {
	t, err := o.read(name, c, std)
	if err != nil {
		return nil, nil, cli.Usage(err)
	}
	if err := t.Window(o.From, o.Until); err != nil {
		return nil, nil, cli.Usage(err)
	}
	table, err := o.Table(t.Format)
	if err != nil {
		return nil, nil, err
	}
	extra, err := cli.ReadProfiles(o.profiles)
	if err != nil {
		return nil, nil, err
	}
	library, err := jigsaw.Profiles(extra...)
	if err != nil {
		return nil, nil, cli.Usage(err)
	}
	w, err := trace.Workload(t, table, library, c, trace.Options{Seed: o.seed, SkipUnknown: o.SkipUnknown, GPUTypes: types})
	if err != nil {
		return nil, nil, cli.Usage(err)
	}
	w.Name = filepath.Base(w.Name) // independent of the file's folder
	return t, w, nil
}

// read reads the trace, or draws a synthetic one.
func (o *replayOptions) read(name string, c *replay.Cluster, std cli.Streams) (*trace.Trace, error) {
	if jobs, ok := strings.CutPrefix(name, synthetic); ok {
		n, err := strconv.Atoi(jobs)
		if err != nil {
			return nil, fmt.Errorf("%s: write synthetic:1000 for a thousand jobs", name)
		}
		return trace.Synthetic(n, o.load, c, o.seed)
	}
	file, err := cli.OpenFile(name, std)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return trace.Read(name, file, o.Format())
}

func replayTable(out io.Writer, std cli.Streams, r *replay.Report) {
	fmt.Fprintf(out, "%s: %s on %d GPUs (%s), %s\n\n", r.Trace, cli.Count(r.Jobs, "job"), r.GPUs, r.Cluster, roundName(r.Round))
	longest := max(r.Exclusive.Makespan, r.Sharing.Makespan)
	for _, m := range r.Policies {
		longest = max(longest, m.Makespan)
	}
	format := func(seconds float64) string { return jigsaw.FormatSecondsLike(seconds, longest) }
	t := cli.RightColumns(out)
	fmt.Fprintln(t, "\tmean\tp50\tp99\tmakespan\tefficiency\tutilisation\tfair\tworst\trestarts\t")
	for _, m := range r.Policies {
		name := m.Policy
		if m.Cut {
			name += " (cut)"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%.3f\t%.3f\t%.2f\t%.1f\t%d\t\n", name, format(m.Mean), format(m.P50), format(m.P99), format(m.Makespan),
			m.Efficiency, m.Utilisation, m.MeanFair, m.WorstFair, m.Restarts)
	}
	fmt.Fprintf(t, "bound, exclusive\t%s\t\t\t%s\t\t\t\t\t\t\n", format(r.Exclusive.Mean), format(r.Exclusive.Makespan))
	fmt.Fprintf(t, "bound, sharing\t%s\t\t\t%s\t\t\t\t\t\t\n", format(r.Sharing.Mean), format(r.Sharing.Makespan))
	t.Flush()
	std.Notes(out, r.Notes)
}

func roundName(s float64) string {
	if s == 0 {
		return "decisions whenever a job comes or goes"
	}
	return fmt.Sprintf("decisions every %v", instance.Duration(s*float64(time.Second)))
}
