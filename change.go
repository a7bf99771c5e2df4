package jigsaw

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"jigsaw/formulation/instance"
)

// ChangeKind is a way to change an instance.
type ChangeKind string

// The kinds of changes.
const (
	AddGPU     ChangeKind = "add_gpu"    // one more GPU in a node
	FailGPU    ChangeKind = "fail_gpu"   // one GPU less in a node
	Network    ChangeKind = "network"    // all NICs and links between switches faster or slower by a factor
	LinkSpeed  ChangeKind = "link_speed" // a link faster or slower by a factor
	CutLink    ChangeKind = "cut_link"   // a link that carries nothing
	MoreMemory ChangeKind = "memory"     // a GPU type with memory times a factor
	DropJob    ChangeKind = "drop_job"   // a job less
)

// Change is one change of an instance, as a cluster owner may think of.
type Change struct {
	Kind ChangeKind
	// Subject is a node, link, GPU type or job by name; nothing for Network.
	Subject string
	// Factor of Network, LinkSpeed and MoreMemory: 1.1 is 10 % more.
	Factor float64
}

// Limits of the factor of a change.
const minFactor, maxFactor = 0.001, 1000

// String says the change in words.
func (c Change) String() string {
	name := strconv.Quote(c.Subject)
	switch c.Kind {
	case AddGPU:
		return "one more GPU in node " + name
	case FailGPU:
		return "one GPU less in node " + name
	case Network:
		return percentMore(c.Factor, "faster", "slower") + " network"
	case LinkSpeed:
		return percentMore(c.Factor, "faster", "slower") + " link " + name
	case CutLink:
		return "without link " + name
	case MoreMemory:
		return percentMore(c.Factor, "more", "less") + " memory on " + name
	case DropJob:
		return "without job " + name
	}
	return string(c.Kind) + " " + name
}

func percentMore(factor float64, more, less string) string {
	word := more
	if factor < 1 {
		word = less
	}
	return strconv.FormatFloat(math.Abs(100*(factor-1)), 'g', 4, 64) + " % " + word
}

// Apply returns a copy of the spec with the change. in is what the spec compiles
// to; the names of all that is not changed stay.
func (c Change) Apply(spec *instance.Spec, in *instance.Instance) (*instance.Spec, error) {
	changed := *spec
	cluster := &changed.Cluster
	if (c.Kind == LinkSpeed || c.Kind == MoreMemory || c.Kind == Network) && !(c.Factor >= minFactor && c.Factor <= maxFactor) {
		return nil, fmt.Errorf("the factor %v is out of range; choose %v to %v", c.Factor, minFactor, maxFactor)
	}
	switch c.Kind {
	case AddGPU, FailGPU:
		i := slices.IndexFunc(in.Nodes, func(n instance.Node) bool { return n.Name == c.Subject })
		if i < 0 {
			return nil, unknown("node", c.Subject, in.Nodes[0].Name)
		}
		gpus := in.Nodes[i].GPUs + 1
		if c.Kind == FailGPU {
			if gpus -= 2; gpus == 0 {
				return nil, fmt.Errorf("node %q has one GPU only; choose another node, or leave the node out of the file", c.Subject)
			}
		}
		cluster.Exceptions = except(cluster.Exceptions, instance.ExceptionSpec{Node: c.Subject, GPUs: gpus})
	case Network:
		scaleNetwork(cluster, c.Factor)
	case LinkSpeed, CutLink:
		i := slices.IndexFunc(in.Links, func(l instance.Link) bool { return l.Name == c.Subject })
		if i < 0 {
			return nil, unknown("link", c.Subject, in.Links[0].Name)
		}
		if c.Kind == CutLink {
			cluster.FailedLinks = append(slices.Clone(cluster.FailedLinks), c.Subject)
			break
		}
		cluster.Exceptions = except(cluster.Exceptions, instance.ExceptionSpec{Link: c.Subject, Rate: scale(in.Links[i].Capacity, c.Factor)})
	case MoreMemory:
		i := slices.IndexFunc(cluster.GPUTypes, func(t instance.GPUTypeSpec) bool { return t.Name == c.Subject })
		if i < 0 {
			return nil, unknown("GPU type", c.Subject, in.Types[0].Name)
		}
		cluster.GPUTypes = slices.Clone(cluster.GPUTypes)
		cluster.GPUTypes[i].Memory = scale(cluster.GPUTypes[i].Memory, c.Factor)
	case DropJob:
		i := slices.IndexFunc(in.Jobs, func(j instance.Job) bool { return j.Name == c.Subject })
		if i < 0 {
			return nil, unknown("job", c.Subject, in.Jobs[0].Name)
		}
		changed.Jobs = without(spec, i)
	default:
		return nil, fmt.Errorf("unknown change %q; choose %s", c.Kind,
			strings.Join([]string{string(AddGPU), string(FailGPU), string(Network), string(LinkSpeed), string(CutLink), string(MoreMemory), string(DropJob)}, ", "))
	}
	return &changed, nil
}

func unknown(what, name, example string) error {
	return fmt.Errorf("there is no %s %q; one is called %q", what, name, example)
}

func scale[T ~int64](v T, factor float64) T { return max(1, T(math.Round(float64(v)*factor))) }

// scaleNetwork changes every NIC and every link between switches; what is said as a share of
// others follows by itself. Lists of the spec that it was copied from stay as they are.
func scaleNetwork(cluster *instance.ClusterSpec, factor float64) {
	cluster.Racks, cluster.Nodes = slices.Clone(cluster.Racks), slices.Clone(cluster.Nodes)
	cluster.Links, cluster.Exceptions = slices.Clone(cluster.Links), slices.Clone(cluster.Exceptions)
	for i := range cluster.Racks {
		r := &cluster.Racks[i]
		if r.NIC = scale(r.NIC, factor); r.Uplink != 0 {
			r.Uplink = scale(r.Uplink, factor)
		}
	}
	for i := range cluster.Nodes {
		cluster.Nodes[i].NIC = scale(cluster.Nodes[i].NIC, factor)
	}
	for i := range cluster.Links {
		cluster.Links[i].Rate = scale(cluster.Links[i].Rate, factor)
	}
	for i := range cluster.Exceptions {
		if e := &cluster.Exceptions[i]; e.Link != "" && !strings.HasSuffix(e.Link, ".fabric") {
			e.Rate = scale(e.Rate, factor)
		}
	}
}

// except returns the list with an exception, instead of the one about the same.
func except(list []instance.ExceptionSpec, e instance.ExceptionSpec) []instance.ExceptionSpec {
	same := func(o instance.ExceptionSpec) bool { return o.Node == e.Node && o.Link == e.Link }
	return append(slices.DeleteFunc(slices.Clone(list), same), e)
}

// without returns the jobs of the spec with job i of the instance disabled. Where
// it is one of several that share an entry, these get entries of their own.
func without(spec *instance.Spec, i int) []instance.JobSpec {
	sources := spec.Sources()
	entry := sources[i]
	var jobs []instance.JobSpec
	for at, job := range spec.Jobs {
		if at != entry {
			jobs = append(jobs, job)
			continue
		}
		dropped := i - slices.Index(sources, entry) // which of those that share the entry
		for n := range max(1, job.Count) {
			one := job
			if one.Count = 0; job.Count > 1 {
				one.Name += "-" + strconv.Itoa(n+1)
			}
			one.Disabled = n == dropped
			jobs = append(jobs, one)
		}
	}
	return jobs
}
