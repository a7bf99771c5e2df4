package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"jigsaw/formulation/instance"
	"jigsaw/study/replay"
	"jigsaw/study/trace"
)

// TraceFlags are the flags of every command that reads a trace of jobs.
type TraceFlags struct {
	format, ModelTable string
	From, Until        string
	SkipUnknown        bool
}

// Flags adds the flags to a command; of is its name for the trace.
func (o *TraceFlags) Flags(c *cobra.Command, of string) {
	f := c.Flags()
	f.StringVar(&o.format, "format", "auto", "format of "+of+": "+formats())
	f.StringVar(&o.ModelTable, "models", "", "model `table` for "+of+": what models cost; a YAML file, or a built-in one: "+strings.Join(trace.BuiltinTables(), ", ")+" (default: that of the format)")
	f.StringVar(&o.From, "from", "", "take only jobs of "+of+" that arrive at this `time` or later: time since the first arrival, like 240h, or, if the trace has dates, a date like 2017-10-09T20:00")
	f.StringVar(&o.Until, "until", "", "take only jobs of "+of+" that arrive before this `time`")
	f.BoolVar(&o.SkipUnknown, "skip-unknown", false, "skip jobs of "+of+" that are larger than the cluster or for whose model there are no figures or no profile, and say which")
	_ = c.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(strings.Split(formats(), ", "), cobra.ShellCompDirectiveNoFileComp))
}

func formats() string {
	list := "auto"
	for _, f := range trace.Formats() {
		list += ", " + string(f)
	}
	return list
}

// CheckFormat rejects an unknown --format.
func (o *TraceFlags) CheckFormat() error {
	if !slices.Contains(strings.Split(formats(), ", "), o.format) {
		return Usage(fmt.Errorf("--format %q: choose %s", o.format, formats()))
	}
	return nil
}

// Given is one of the given flags, empty if there is none.
func (o *TraceFlags) Given() string {
	switch {
	case o.format != "auto":
		return "--format"
	case o.ModelTable != "":
		return "--models"
	case o.From != "":
		return "--from"
	case o.Until != "":
		return "--until"
	case o.SkipUnknown:
		return "--skip-unknown"
	}
	return ""
}

// Format is that of --format; empty if it is to be detected from the first
// line.
func (o *TraceFlags) Format() trace.Format {
	if o.format == "auto" {
		return ""
	}
	return trace.Format(o.format)
}

// Table reads the model table: a built-in one, or a file.
func (o *TraceFlags) Table(f trace.Format) (*trace.Table, error) {
	name := o.ModelTable
	if name == "" {
		name = trace.DefaultTable(f)
	}
	if name == "" {
		return nil, Usage(fmt.Errorf("a trace of the format %s needs --models: there is no built-in table for it, and docs/replay.md says how to write one", f))
	}
	var t *trace.Table
	var err error
	if slices.Contains(trace.BuiltinTables(), name) {
		t, err = trace.BuiltinTable(name)
	} else {
		file, openErr := OpenPath(name)
		if openErr != nil {
			return nil, Usage(openErr)
		}
		defer file.Close()
		t, err = trace.ReadTable(name, file)
	}
	if err != nil {
		return nil, Usage(err)
	}
	return t, nil
}

// ClusterOf is the cluster of a spec whose jobs are not known yet.
func ClusterOf(spec *instance.Spec) (*replay.Cluster, error) {
	const model = "of no job"
	alone := *spec
	alone.Jobs = []instance.JobSpec{{Name: "any", Model: model, Workers: 1}}
	alone.Cluster.GPUTypes, alone.Profiles = slices.Clone(spec.Cluster.GPUTypes), slices.Clone(spec.Profiles)
	for i := range alone.Cluster.GPUTypes {
		t := &alone.Cluster.GPUTypes[i]
		t.ProfiledAs = nil
		alone.Profiles = append(alone.Profiles, &instance.Profile{Model: model, GPU: t.Name, Batch: 1, Layers: []instance.Layer{{Name: "all", Forward: 1}}})
	}
	in, err := instance.Compile(&alone, nil)
	if err != nil {
		return nil, err
	}
	return replay.ClusterOf(in), nil
}
