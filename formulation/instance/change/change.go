// Package change makes changed copies of the spec of an instance: what a cluster's owner may ask about,
// or what fails.
package change

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"jigsaw/formulation/instance"
)

// Kind is a way to change an instance.
type Kind string

// The kinds of changes.
const (
	AddGPU     Kind = "add_gpu"    // one more GPU in a node
	FailGPU    Kind = "fail_gpu"   // one GPU less in a node, the last or a certain one
	Network    Kind = "network"    // all NICs and links between switches faster or slower by a factor
	LinkSpeed  Kind = "link_speed" // a link faster or slower by a factor
	CutLink    Kind = "cut_link"   // a link that carries nothing
	MoreMemory Kind = "memory"     // a GPU type with memory times a factor
	GPUSpeed   Kind = "speed"      // a GPU type faster or slower by a factor
	DropJob    Kind = "drop_job"   // a job less
	FailNode   Kind = "fail_node"  // a node less, with its links
	// Of a plan that is under way only.
	DoneJob  Kind = "done_job" // a job has ended before its time
	Progress Kind = "progress" // a job has done so many iterations, whatever was planned
	Left     Kind = "left"     // a job has so many iterations left
)

// Kinds are all kinds; those that [Change.Apply] takes come first.
func Kinds() []Kind {
	return []Kind{AddGPU, FailGPU, Network, LinkSpeed, CutLink, MoreMemory, GPUSpeed, DropJob, FailNode, DoneJob, Progress, Left}
}

const applied = 9

// Change is one change of an instance, as a cluster owner may think of.
type Change struct {
	Kind Kind
	// Subject is a node, link, GPU type or job by name; nothing for Network. Of FailGPU it may also be
	// a GPU, as "r0n1.gpu2", the third of node r0n1.
	Subject string
	// Factor of Network, LinkSpeed, MoreMemory and GPUSpeed: 1.1 is 10 % more.
	Factor float64
	// Iterations of Progress and Left.
	Iterations int
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
		if _, place := instance.CutGPU(c.Subject); place >= 0 {
			return "without GPU " + name
		}
		return "one GPU less in node " + name
	case Network:
		return percentMore(c.Factor, "faster", "slower") + " network"
	case LinkSpeed:
		return percentMore(c.Factor, "faster", "slower") + " link " + name
	case CutLink:
		return "without link " + name
	case MoreMemory:
		return percentMore(c.Factor, "more", "less") + " memory on " + name
	case GPUSpeed:
		return percentMore(c.Factor, "faster", "slower") + " " + name
	case DropJob:
		return "without job " + name
	case FailNode:
		return "without node " + name
	case DoneJob:
		return "job " + name + " has ended"
	case Progress:
		return fmt.Sprintf("job %s has done %d iterations", name, c.Iterations)
	case Left:
		return fmt.Sprintf("job %s has %d iterations left", name, c.Iterations)
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
	if slices.Contains([]Kind{LinkSpeed, MoreMemory, GPUSpeed, Network}, c.Kind) && !(c.Factor >= minFactor && c.Factor <= maxFactor) {
		return nil, fmt.Errorf("the factor %v is out of range; choose %v to %v", c.Factor, minFactor, maxFactor)
	}
	switch c.Kind {
	case AddGPU, FailGPU:
		name, place := instance.CutGPU(c.Subject)
		i, err := Node(in, name)
		if err != nil {
			return nil, err
		}
		n := &in.Nodes[i]
		if c.Kind == AddGPU {
			gpus := n.GPUs + 1
			for _, failed := range cluster.FailedGPUs {
				if of, _ := instance.CutGPU(failed); of == name {
					gpus++
				}
			}
			cluster.Exceptions = except(cluster.Exceptions, instance.ExceptionSpec{Node: name, GPUs: gpus})
			break
		}
		last := n.Place(n.FirstGPU + instance.GPUID(n.GPUs-1))
		switch {
		case n.GPUs == 1:
			return nil, fmt.Errorf("node %q has one GPU only; choose another node, or let the node fail", name)
		case place < 0:
			place = last
		case slices.Contains(cluster.FailedGPUs, c.Subject):
			return nil, fmt.Errorf("GPU %q has failed already", c.Subject)
		case n.At(place) < 0:
			return nil, Unknown("GPU", c.Subject, instance.NameGPU(name, last))
		}
		cluster.FailedGPUs = append(slices.Clone(cluster.FailedGPUs), instance.NameGPU(name, place))
	case FailNode:
		if _, err := Node(in, c.Subject); err != nil {
			return nil, err
		}
		if len(in.Nodes) == 1 {
			return nil, fmt.Errorf("node %q is the only one", c.Subject)
		}
		cluster.FailedNodes = append(slices.Clone(cluster.FailedNodes), c.Subject)
	case Network:
		scaleNetwork(cluster, c.Factor)
	case LinkSpeed, CutLink:
		i := slices.IndexFunc(in.Links, func(l instance.Link) bool { return l.Name == c.Subject })
		if i < 0 {
			return nil, Unknown("link", c.Subject, in.Links[0].Name)
		}
		if c.Kind == CutLink {
			cluster.FailedLinks = append(slices.Clone(cluster.FailedLinks), c.Subject)
			break
		}
		cluster.Exceptions = except(cluster.Exceptions, instance.ExceptionSpec{Link: c.Subject, Rate: scale(in.Links[i].Capacity, c.Factor)})
	case MoreMemory, GPUSpeed:
		i := slices.IndexFunc(cluster.GPUTypes, func(t instance.GPUTypeSpec) bool { return t.Name == c.Subject })
		if i < 0 {
			return nil, Unknown("GPU type", c.Subject, in.Types[0].Name)
		}
		cluster.GPUTypes = slices.Clone(cluster.GPUTypes)
		if t := &cluster.GPUTypes[i]; c.Kind == MoreMemory {
			t.Memory = scale(t.Memory, c.Factor)
		} else {
			t.ProfiledAs = faster(t, c.Factor)
		}
	case DropJob:
		i := slices.IndexFunc(in.Jobs, func(j instance.Job) bool { return j.Name == c.Subject })
		if i < 0 {
			return nil, Unknown("job", c.Subject, in.Jobs[0].Name)
		}
		changed.Jobs = without(spec, i)
	default:
		return nil, UnknownKind(c.Kind, Kinds()[:applied])
	}
	return &changed, nil
}

// UnknownKind is the error of a kind that is none of these.
func UnknownKind(kind Kind, kinds []Kind) error {
	var names []string
	for _, k := range kinds {
		names = append(names, string(k))
	}
	return fmt.Errorf("unknown change %q; choose %s", kind, strings.Join(names, ", "))
}

// Node finds a node by name.
func Node(in *instance.Instance, name string) (int, error) {
	i := slices.IndexFunc(in.Nodes, func(n instance.Node) bool { return n.Name == name })
	if i < 0 {
		return 0, Unknown("node", name, in.Nodes[0].Name)
	}
	return i, nil
}

// Unknown is the error of a name that the instance does not have.
func Unknown(what, name, example string) error {
	return fmt.Errorf("there is no %s %q; one is called %q", what, name, example)
}

func scale[T ~int64](v T, factor float64) T { return max(1, T(math.Round(float64(v)*factor))) }

// faster is whose measurements serve for a GPU type that is so many times as fast.
func faster(t *instance.GPUTypeSpec, factor float64) []instance.ProfiledAs {
	as := slices.Clone(t.ProfiledAs)
	if len(as) == 0 {
		as = []instance.ProfiledAs{{GPU: t.Name}}
	}
	for i := range as {
		if as[i].Speed == 0 {
			as[i].Speed = instance.One
		}
		as[i].Speed = scale(as[i].Speed, factor)
	}
	return as
}

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

// Affected says of each job of a plan with these residencies whether it has to move after a change of the cluster, and of the others whether
// its synchronisations change their route or the capacities on it. gpu is what became of each GPU; -1 if it is lost.
func Affected(was, now *instance.Instance, residency [][]instance.GPUID, gpu func(instance.GPUID) (instance.GPUID, bool)) (moves, changed []bool) {
	moves, changed = make([]bool, len(residency)), make([]bool, len(residency))
	for j, home := range residency {
		job := &was.Jobs[j]
		var here []instance.GPUID
		for _, g := range home {
			if at, ok := gpu(g); ok && job.Runs(now.GPUs[at].Type) {
				here = append(here, at)
			}
		}
		if len(here) < len(home) {
			moves[j] = true
			continue
		}
		slices.Sort(here)
		span, ok := now.SpanOf(job, here)
		if !ok {
			moves[j] = true
			continue
		}
		before, _ := was.SpanOf(job, home)
		same := func(a, b instance.LinkUse) bool {
			x, y := was.Links[a.Link], now.Links[b.Link]
			return x.Name == y.Name && x.Capacity == y.Capacity && a.Times == b.Times
		}
		changed[j] = !slices.EqualFunc(before.Uses, span.Uses, same) || before.Parties != span.Parties
	}
	return moves, changed
}

// SameGPU returns the GPU of a changed cluster that has the name of an old one; -1 and false if there is none.
func SameGPU(was, now *instance.Instance) func(instance.GPUID) (instance.GPUID, bool) {
	nodes := make(map[string]*instance.Node, len(now.Nodes))
	for n := range now.Nodes {
		nodes[now.Nodes[n].Name] = &now.Nodes[n]
	}
	return func(g instance.GPUID) (instance.GPUID, bool) {
		at, node := instance.GPUID(-1), &was.Nodes[was.GPUs[g].Node]
		if there, ok := nodes[node.Name]; ok {
			at = there.At(node.Place(g))
		}
		return at, at >= 0
	}
}
