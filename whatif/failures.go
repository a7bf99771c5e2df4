package whatif

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/symmetry"
)

// Failure is a link, in one direction, or a node that is lost.
type Failure struct {
	// Link or Node by name; the other is empty.
	Link string `json:"link,omitempty"`
	Node string `json:"node,omitempty"`
}

func (f Failure) String() string {
	if f.Node != "" {
		return "node " + f.Node
	}
	return "link " + f.Link
}

// failures lists the cases: every working link and every node, or pairs of these.
func failures(in *instance.Instance, opt ResilienceOptions) [][]Failure {
	var single []Failure
	for _, l := range in.Links {
		if !l.Failed {
			single = append(single, Failure{Link: l.Name})
		}
	}
	for _, n := range in.Nodes {
		if len(in.Nodes) > 1 {
			single = append(single, Failure{Node: n.Name})
		}
	}
	var cases [][]Failure
	if opt.Failures == 1 {
		for _, f := range single {
			cases = append(cases, []Failure{f})
		}
		return cases
	}
	most := opt.Sample
	if most == 0 {
		most = 200
	}
	n := len(single)
	if pairs := n * (n - 1) / 2; pairs <= most {
		for i := range single {
			for _, f := range single[i+1:] {
				cases = append(cases, []Failure{single[i], f})
			}
		}
		return cases
	}
	rng := rand.New(rand.NewPCG(opt.Seed, uint64(n)))
	seen := map[[2]int]bool{}
	for len(cases) < most {
		i, j := rng.IntN(n), rng.IntN(n)
		if pair := [2]int{min(i, j), max(i, j)}; i != j && !seen[pair] {
			seen[pair] = true
			cases = append(cases, []Failure{single[pair[0]], single[pair[1]]})
		}
	}
	return cases
}

// equivalent names the failures in one way for all that come to the same: a ring uses both directions of
// a NIC or neither.
func equivalent(in *instance.Instance, failed []Failure) []Failure {
	same := slices.Clone(failed)
	for i, f := range same {
		for n := range in.Nodes {
			up, down := &in.Links[in.Nodes[n].Up], &in.Links[in.Nodes[n].Down]
			if f.Link == down.Name && !up.Failed {
				same[i].Link = up.Name
			}
		}
	}
	slices.SortFunc(same, func(a, b Failure) int { return cmp.Or(cmp.Compare(a.Node, b.Node), cmp.Compare(a.Link, b.Link)) })
	return slices.Compact(same)
}

// alike names the failures in one way for all that leave the same cluster but for the order of nodes: of nodes of a rack that
// are the same the first ones fail.
func alike(in *instance.Instance, failed []Failure) []string {
	kinds, lost := symmetry.Kinds(in), make([]string, len(in.Nodes)) // what of each is lost
	var rest []string
	for _, f := range failed {
		n := slices.IndexFunc(in.Nodes, func(n instance.Node) bool {
			return f.Node == n.Name || f.Link != "" && (f.Link == in.Links[n.Up].Name || f.Link == in.Links[n.Down].Name || f.Link == in.Links[n.Fabric].Name)
		})
		if n < 0 {
			rest = append(rest, f.Link)
			continue
		}
		node := &in.Nodes[n]
		for what, named := range []bool{f.Node != "", f.Link == in.Links[node.Up].Name, f.Link == in.Links[node.Down].Name, f.Link == in.Links[node.Fabric].Name} {
			if named {
				lost[n] += fmt.Sprint(what)
			}
		}
	}
	for n := range in.Nodes {
		if lost[n] != "" {
			rest = append(rest, fmt.Sprint(lost[n], " of kind ", kinds[n], " in rack ", in.Nodes[n].Rack))
		}
	}
	slices.Sort(rest)
	return rest
}
