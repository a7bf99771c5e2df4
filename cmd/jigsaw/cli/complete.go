package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"jigsaw"
	"jigsaw/formulation/instance"
)

// CompleteFrom offers for a flag the names in the instance on the command line; after
// is what follows a name.
func (o *InstanceFlags) CompleteFrom(c *cobra.Command, flag, after string, std Streams, names func(*instance.Instance) []string) {
	_ = c.RegisterFlagCompletionFunc(flag, func(_ *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) == 0 || args[0] == "-" {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		in, err := o.Load(args[0], std)
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		var offered []cobra.Completion
		for _, name := range names(in) {
			if strings.HasPrefix(name, begun) {
				offered = append(offered, name+after)
			}
		}
		if after != "" {
			return offered, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
		}
		return offered, cobra.ShellCompDirectiveNoFileComp
	})
}

// named returns the names of the elements of a list.
func named[T any](list []T, name func(*T) string) (names []string) {
	for i := range list {
		names = append(names, name(&list[i]))
	}
	return names
}

// NodeNames are the names of the instance's nodes.
func NodeNames(in *instance.Instance) []string {
	return named(in.Nodes, func(n *instance.Node) string { return n.Name })
}

// DeviceNames are the names of the instance's GPUs, like node0.gpu3.
func DeviceNames(in *instance.Instance) (names []string) {
	for i := range in.Nodes {
		for g := range in.Nodes[i].GPUs {
			n := &in.Nodes[i]
			names = append(names, instance.NameGPU(n.Name, n.Place(n.FirstGPU+instance.GPUID(g))))
		}
	}
	return names
}

// LinkNames are the names of the instance's links.
func LinkNames(in *instance.Instance) []string {
	return named(in.Links, func(l *instance.Link) string { return l.Name })
}

// TypeNames are the names of the instance's GPU types.
func TypeNames(in *instance.Instance) []string {
	return named(in.Types, func(t *instance.GPUType) string { return t.Name })
}

// JobNames are the names of the instance's jobs.
func JobNames(in *instance.Instance) []string {
	return named(in.Jobs, func(j *instance.Job) string { return j.Name })
}

// CompleteModel offers the models of the profile library.
func CompleteModel(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	library, err := jigsaw.Profiles()
	if err != nil || len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return slices.Clone(library.Models()), cobra.ShellCompDirectiveNoFileComp
}
