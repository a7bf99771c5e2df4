package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"jigsaw/cmd/jigsaw/cli"
	"jigsaw/formulation/instance/change"
)

// changeFlags are changes of the cluster and the jobs; commands that have flags for speed and drop
// fill these in.
type changeFlags struct {
	nodes, gpus, more, cut, links, memory, speed, drop []string
	network                                            string
}

func (o *changeFlags) flags(c *cobra.Command, in *cli.InstanceFlags, std cli.Streams) {
	f := c.Flags()
	f.StringArrayVar(&o.nodes, "fail-node", nil, "remove this `node`")
	f.StringArrayVar(&o.gpus, "fail-gpu", nil, "remove this `GPU`, like r0n1.gpu2, the third of node r0n1")
	f.StringArrayVar(&o.more, "add-gpu", nil, "add one GPU to this `node`")
	f.StringArrayVar(&o.cut, "cut", nil, "remove this `link`")
	f.StringArrayVar(&o.links, "link", nil, "make a link, `name=factor`, faster or slower: r0.up=1.1 is 10 % faster")
	f.StringArrayVar(&o.memory, "memory", nil, "give a GPU type, `name=factor`, more or less memory")
	f.StringVar(&o.network, "network", "", "make NICs and links between switches faster or slower by this `factor`")
	in.CompleteFrom(c, "fail-node", "", std, cli.NodeNames)
	in.CompleteFrom(c, "fail-gpu", "", std, cli.DeviceNames)
	in.CompleteFrom(c, "add-gpu", "", std, cli.NodeNames)
	in.CompleteFrom(c, "cut", "", std, cli.LinkNames)
	in.CompleteFrom(c, "link", "=", std, cli.LinkNames)
	in.CompleteFrom(c, "memory", "=", std, cli.TypeNames)
}

// flagged is a change requested by a flag.
type flagged struct {
	change.Change
	flag string
}

// given returns the changes requested by the flags.
func (o *changeFlags) given() (list []flagged, err error) {
	for _, f := range []struct {
		flag  string
		kind  change.Kind
		names []string
		like  string // example of a subject with a factor
	}{
		{"--fail-node", change.FailNode, o.nodes, ""}, {"--fail-gpu", change.FailGPU, o.gpus, ""}, {"--add-gpu", change.AddGPU, o.more, ""},
		{"--cut", change.CutLink, o.cut, ""}, {"--link", change.LinkSpeed, o.links, "r0.up=1.5"}, {"--memory", change.MoreMemory, o.memory, "v100=1.5"},
		{"--speed", change.GPUSpeed, o.speed, "v100=0.5"}, {"--drop", change.DropJob, o.drop, ""},
	} {
		for _, name := range f.names {
			c := change.Change{Kind: f.kind, Subject: name}
			if f.like != "" {
				at := strings.LastIndexByte(name, '=')
				if c.Factor, err = strconv.ParseFloat(name[at+1:], 64); at < 0 || err != nil {
					return nil, cli.Usage(fmt.Errorf("%s %q: write name=factor, like %s", f.flag, name, f.like))
				}
				c.Subject = name[:at]
			}
			list = append(list, flagged{c, f.flag + " " + name})
		}
	}
	if o.network != "" {
		c := change.Change{Kind: change.Network}
		if c.Factor, err = strconv.ParseFloat(o.network, 64); err != nil {
			return nil, cli.Usage(fmt.Errorf("--network %q: write a factor, like 1.5", o.network))
		}
		list = append(list, flagged{c, "--network"})
	}
	return list, nil
}
