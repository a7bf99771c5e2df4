package replay

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"jigsaw/formulation/instance"
)

// Cluster is the cluster on which a trace runs.
type Cluster struct {
	// Types are the names of the GPU types.
	Types []string
	Nodes []Node
}

// Node is a server.
type Node struct {
	Type int // index into Cluster.Types
	GPUs int
}

// Limits of a cluster in short form.
const (
	mostNodes = 1 << 17
	mostGPUs  = 1 << 20
)

var shortForm = regexp.MustCompile(`^(\d{1,7})x(\d{1,7})(?::([A-Za-z0-9_.-]+))?$`)

// ErrNotShort is the error of [ParseCluster] for text that is not in the short
// form.
var ErrNotShort = errors.New(`replay: write a cluster as nodes x GPUs, like 64x8, or with types, like "8x4:v100,4x8:k80"`)

// ParseCluster reads a cluster in short form: 64x8 is 64 nodes of 8 GPUs, and
// "8x4:v100,4x8:k80" has two types.
func ParseCluster(s string) (*Cluster, error) {
	c := &Cluster{}
	gpus := 0
	for _, part := range strings.Split(s, ",") {
		m := shortForm.FindStringSubmatch(strings.TrimSpace(part))
		if m == nil {
			return nil, ErrNotShort
		}
		nodes, _ := strconv.Atoi(m[1])
		each, _ := strconv.Atoi(m[2])
		if nodes == 0 || each == 0 || nodes > mostNodes || each > mostGPUs {
			return nil, fmt.Errorf("replay: cluster %q: nodes and GPUs are at least 1, and at most %d and %d", part, mostNodes, mostGPUs)
		}
		if gpus += nodes * each; gpus > mostGPUs || len(c.Nodes)+nodes > mostNodes {
			return nil, fmt.Errorf("replay: cluster %q: more than %d GPUs or %d nodes", s, mostGPUs, mostNodes)
		}
		name := m[3]
		if name == "" {
			name = "gpu"
		}
		t := slices.Index(c.Types, name)
		if t < 0 {
			t = len(c.Types)
			c.Types = append(c.Types, name)
		}
		for range nodes {
			c.Nodes = append(c.Nodes, Node{t, each})
		}
	}
	return c, nil
}

// ClusterOf returns the cluster of the nodes of an instance.
func ClusterOf(in *instance.Instance) *Cluster {
	c := &Cluster{}
	for _, t := range in.Types {
		c.Types = append(c.Types, t.Name)
	}
	for _, n := range in.Nodes {
		c.Nodes = append(c.Nodes, Node{int(n.Type), n.GPUs})
	}
	return c
}

// GPUs returns the number of GPUs of each type.
func (c *Cluster) GPUs() []int {
	n := make([]int, len(c.Types))
	for _, node := range c.Nodes {
		n[node.Type] += node.GPUs
	}
	return n
}

// Total returns the number of GPUs.
func (c *Cluster) Total() int {
	total := 0
	for _, n := range c.GPUs() {
		total += n
	}
	return total
}

// Fits reports whether a job of this number of GPUs fits the empty cluster on
// one of the types it may use.
func (c *Cluster) Fits(gpus int, may func(kind int) bool) bool {
	p := newPlacer(c)
	for t := range c.Types {
		if may(t) && p.find(gpus, t) != nil {
			return true
		}
	}
	return false
}

// fitting reports for every class of a workload and every type whether a job of it
// fits the empty nodes of that type.
func (c *Cluster) fitting(w *Workload) [][]bool {
	fits := make([][]bool, len(w.Classes))
	for k := range w.Classes {
		for t := range c.Types {
			fits[k] = append(fits[k], c.Fits(w.Classes[k].GPUs, func(kind int) bool { return kind == t }))
		}
	}
	return fits
}

func (c *Cluster) String() string {
	var parts []string
	for from := 0; from < len(c.Nodes); {
		to := from
		for to < len(c.Nodes) && c.Nodes[to] == c.Nodes[from] {
			to++
		}
		part := fmt.Sprintf("%dx%d", to-from, c.Nodes[from].GPUs)
		if len(c.Types) > 1 {
			part += ":" + c.Types[c.Nodes[from].Type]
		}
		parts = append(parts, part)
		from = to
	}
	return strings.Join(parts, ",")
}
