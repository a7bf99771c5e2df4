package relax_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"jigsaw/formulation/boundtest"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax"
)

// TestNoRoute: a job whose workers have to live on several nodes needs that many GPUs on
// nodes with routes in both directions.
func TestNoRoute(t *testing.T) {
	link := func(from, to string) instance.LinkSpec { return instance.LinkSpec{From: from, To: to, Rate: 8e9} }
	for name, c := range map[string]struct {
		links   []instance.LinkSpec
		failed  []string
		workers int
		none    bool
	}{
		"no links":                {nil, nil, 2, true},
		"a lone worker":           {nil, nil, 1, false},
		"two pairs, two workers":  {[]instance.LinkSpec{link("a", "b"), link("c", "d")}, nil, 2, false},
		"two pairs, three":        {[]instance.LinkSpec{link("a", "b"), link("c", "d")}, nil, 3, true},
		"a line":                  {[]instance.LinkSpec{link("a", "b"), link("c", "b"), link("c", "d")}, nil, 4, false},
		"a line, one way":         {[]instance.LinkSpec{link("a", "b"), link("c", "b"), link("c", "d")}, []string{"c-b.rev"}, 3, true},
		"a circle, one link less": {[]instance.LinkSpec{link("a", "b"), link("b", "c"), link("c", "d"), link("d", "a")}, []string{"c-d.fwd"}, 4, false},
		"a circle, cut":           {[]instance.LinkSpec{link("a", "b"), link("b", "c"), link("c", "d"), link("d", "a")}, []string{"c-d.fwd", "a-b.fwd", "d-a.rev"}, 4, true},
	} {
		t.Run(name, func(t *testing.T) {
			spec := &instance.Spec{
				Version: instance.Version, Profiles: []*instance.Profile{boundtest.FourLayers()},
				Cluster: instance.ClusterSpec{GPUTypes: []instance.GPUTypeSpec{{Name: "v100", Memory: 1 << 30}}, Links: c.links, FailedLinks: c.failed},
				Jobs:    []instance.JobSpec{{Name: "wide", Model: "four", Workers: c.workers}},
			}
			for _, s := range []string{"a", "b", "c", "d"} {
				spec.Cluster.Switches = append(spec.Cluster.Switches, instance.SwitchSpec{Name: s})
				spec.Cluster.Nodes = append(spec.Cluster.Nodes, instance.NodeSpec{Name: "n" + s, Switch: s, GPUs: 1, GPU: "v100", NIC: 8e9, Fabric: 8e9})
			}
			in := boundtest.Compile(t, spec)
			// The homes with routes, one by one.
			routed := false
			for set := range 1 << len(in.GPUs) {
				var home []instance.GPUID
				for g := range in.GPUs {
					if set>>g&1 == 1 {
						home = append(home, instance.GPUID(g))
					}
				}
				if len(home) == c.workers {
					_, ok := in.Span(home)
					routed = routed || ok
				}
			}
			assert.Equal(t, c.none, !routed)
			reasons := relax.Infeasible(in)
			assert.Equal(t, c.none, reasons != nil, "%v", reasons)
			if c.none {
				assert.Contains(t, reasons[0], `job "wide": no `)
				assert.Contains(t, reasons[0], "working links between them")
			}
		})
	}
}
