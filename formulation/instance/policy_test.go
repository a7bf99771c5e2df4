package instance

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// net is a random network: switches, all with a node, links between them, and labels.
type net struct {
	spec   *Spec
	policy PolicySpec
}

// drawNet draws up to 8 switches with links and labels, some of which failed, and a policy.
func drawNet(r *rand.Rand) net {
	spec := &Spec{Version: Version, Jobs: []JobSpec{{Name: "j", Model: "m", Workers: 1}}}
	spec.Profiles = []*Profile{{Model: "m", GPU: "g", Batch: 1, Layers: []Layer{{Name: "a", Forward: 1e6, Parameters: 8}}}}
	c := &spec.Cluster
	c.GPUTypes = []GPUTypeSpec{{Name: "g", Memory: 1 << 30}}
	letters := []string{"x", "y", "z"}
	labels := func() []string {
		var l []string
		for _, x := range letters {
			if r.IntN(4) == 0 {
				l = append(l, x)
			}
		}
		return l
	}
	n := 2 + r.IntN(7)
	for s := range n {
		name := fmt.Sprintf("s%d", s)
		c.Switches = append(c.Switches, SwitchSpec{Name: name, Labels: labels()})
		c.Nodes = append(c.Nodes, NodeSpec{Name: "n" + name, Switch: name, GPUs: 1, GPU: "g", NIC: 8e9, Fabric: 8e9})
	}
	for l := range n - 1 + r.IntN(5) {
		a, b := r.IntN(n), r.IntN(n-1)
		if b >= a {
			b++
		}
		name := fmt.Sprintf("l%d", l)
		c.Links = append(c.Links, LinkSpec{Name: name, From: fmt.Sprintf("s%d", a), To: fmt.Sprintf("s%d", b), Rate: 8e9, Labels: labels()})
		for _, way := range []string{".fwd", ".rev"} {
			if r.IntN(8) == 0 {
				c.FailedLinks = append(c.FailedLinks, name+way)
			}
		}
	}
	// What the labels of a policy may be: letters that something has, and names.
	known := []string{"s0", c.Switches[n-1].Name, c.Links[0].Name, c.Links[len(c.Links)-1].Name + ".fwd"}
	for _, x := range letters {
		if slices.ContainsFunc(c.Switches, func(s SwitchSpec) bool { return slices.Contains(s.Labels, x) }) ||
			slices.ContainsFunc(c.Links, func(l LinkSpec) bool { return slices.Contains(l.Labels, x) }) {
			known = append(known, x, x)
		}
	}
	some := func(most int) []string {
		var l []string
		for range r.IntN(most + 1) {
			l = append(l, known[r.IntN(len(known))])
		}
		return l
	}
	p := PolicySpec{MustPass: some(2), Avoid: some(1), Prefer: some(2)}
	if len(p.MustPass)+len(p.Avoid)+len(p.Prefer) == 0 {
		p.MustPass = known[:1]
	}
	c.Policies = map[string]PolicySpec{"p": p}
	spec.Jobs[0].Placement.Policy = "p"
	return net{spec, p}
}

// hop is a directed link of a net.
type hop struct {
	from, to int
	name     string
	labels   []string
	order    int
}

// hops lists the directed links that work, from the spec alone.
func (n net) hops() (hops []hop) {
	number := func(name string) int { return int(name[1] - '0') }
	for i, l := range n.spec.Cluster.Links {
		for k, way := range []string{".fwd", ".rev"} {
			h := hop{number(l.From), number(l.To), l.Name + way, append([]string{l.Name, l.Name + way}, l.Labels...), 2*i + k}
			if k == 1 {
				h.from, h.to = h.to, h.from
			}
			if !slices.Contains(n.spec.Cluster.FailedLinks, h.name) {
				hops = append(hops, h)
			}
		}
	}
	return hops
}

// routes enumerates all ways between two switches that obey the policy and never come to a
// switch again without having met something new that they must pass.
func (n net) routes(hops []hop, from, to int) (ways [][]hop) {
	avoided := func(labels []string) bool {
		return slices.ContainsFunc(labels, func(l string) bool { return slices.Contains(n.policy.Avoid, l) })
	}
	labelsOf := func(s int) []string {
		return append([]string{n.spec.Cluster.Switches[s].Name}, n.spec.Cluster.Switches[s].Labels...)
	}
	met := func(seen []string) string {
		var m []string
		for _, l := range n.policy.MustPass {
			m = append(m, fmt.Sprint(slices.Contains(seen, l)))
		}
		return strings.Join(m, " ")
	}
	visited := map[string]bool{}
	var walk func(at int, way []hop, seen []string)
	walk = func(at int, way []hop, seen []string) {
		state := fmt.Sprint(at, met(seen))
		if visited[state] {
			return
		}
		visited[state] = true
		defer delete(visited, state)
		if at == to && !strings.Contains(met(seen), "false") {
			ways = append(ways, slices.Clone(way))
		}
		for _, h := range hops {
			if h.from == at && !avoided(h.labels) && !avoided(labelsOf(h.to)) {
				walk(h.to, append(way, h), slices.Concat(seen, h.labels, labelsOf(h.to)))
			}
		}
	}
	if !avoided(labelsOf(from)) {
		walk(from, nil, labelsOf(from))
	}
	return ways
}

// preferred says of which preferences a way meets something.
func (n net) preferred(from int, way []hop) (meets []bool) {
	switches := n.spec.Cluster.Switches
	seen := append([]string{switches[from].Name}, switches[from].Labels...)
	for _, h := range way {
		seen = slices.Concat(seen, h.labels, []string{switches[h.to].Name}, switches[h.to].Labels)
	}
	for _, l := range n.policy.Prefer {
		meets = append(meets, slices.Contains(seen, l))
	}
	return meets
}

// TestPolicyRoutes compares with all simple routes: one is found iff one obeys the policy,
// it is a shortest, of these a most preferred, and of these the first in order of declaration.
func TestPolicyRoutes(t *testing.T) {
	seeds := 400
	if testing.Short() {
		seeds = 150
	}
	found, none, longer, again := 0, 0, 0, 0
	for seed := range uint64(seeds) {
		n := drawNet(rand.New(rand.NewPCG(seed, 7)))
		in, err := Compile(n.spec, nil)
		require.NoError(t, err, "seed %d", seed)
		hops := n.hops()
		for a := range in.Racks {
			for b := range in.Racks {
				where := fmt.Sprintf("seed %d, %d to %d, %+v", seed, a, b, n.policy)
				ways := n.routes(hops, a, b)
				way, ok := in.routes.Obeying(1, a, b)
				require.Equal(t, len(ways) > 0, ok, where)
				if !ok {
					none++
					continue
				}
				found++
				better := func(x, y []hop) int {
					if len(x) != len(y) {
						return len(x) - len(y)
					}
					p, q := n.preferred(a, x), n.preferred(a, y)
					for i := range p {
						if p[i] != q[i] {
							if p[i] {
								return -1
							}
							return 1
						}
					}
					return slices.CompareFunc(x, y, func(g, h hop) int { return g.order - h.order })
				}
				best := slices.MinFunc(ways, better)
				var want, got []string
				for _, h := range best {
					want = append(want, h.name)
				}
				for _, l := range way {
					got = append(got, in.Links[l].Name)
				}
				require.Equal(t, want, got, where)
				if plain, ok := in.routes.Append(nil, a, b); ok && len(way) > len(plain) {
					longer++
				}
				if a == b && len(way) > 0 {
					again++
				}
			}
		}
		// Groups are an equivalence.
		job, all := &in.Jobs[0], make([]GPUID, len(in.GPUs))
		for g := range all {
			all[g] = GPUID(g)
		}
		span, _ := in.SpanOf(job, all)
		joined := in.JoinedFor(job)
		for a := range joined {
			for b := range joined {
				_, there := in.routes.Obeying(1, a, b)
				_, back := in.routes.Obeying(1, b, a)
				if a != b {
					require.Equal(t, there && back, joined[a] >= 0 && joined[a] == joined[b], "seed %d: racks %d and %d", seed, a, b)
				}
			}
		}
		if least, ok := in.LeastSpan(job, all); ok && span.Slowest > 0 && len(least.Uses) > 0 {
			require.GreaterOrEqual(t, least.Slowest, span.Slowest)
		}
	}
	for _, n := range []int{found, none, longer, again} {
		assert.Greater(t, n, 50)
	}
}

func TestPolicyMistakes(t *testing.T) {
	for _, c := range []struct {
		want   string
		change func(*Spec)
	}{
		{`policy "p" says nothing`, func(s *Spec) { s.Cluster.Policies["p"] = PolicySpec{} }},
		{`policy "p", avoid: no switch or link between switches is named or labelled "s00"; did you mean "s0"?`, func(s *Spec) { s.Cluster.Policies["p"] = PolicySpec{Avoid: []string{"s00"}} }},
		{`more than 6 labels`, func(s *Spec) {
			s.Cluster.Policies["p"] = PolicySpec{Prefer: []string{"s0", "s0", "s0", "s0", "s0", "s0", "s0"}}
		}},
		{`unknown policy "q"`, func(s *Spec) { s.Jobs[0].Placement.Policy = "q" }},
		{`needs a printable name`, func(s *Spec) { s.Cluster.Policies[" "] = PolicySpec{Avoid: []string{"s0"}} }},
		{`link "l0.fwd" carries 0 of its speed`, func(s *Spec) { s.Cluster.DegradedLinks = map[string]Ratio{"l0.fwd": 0} }},
		{`link "l0.fwd" carries 1.5 of its speed`, func(s *Spec) { s.Cluster.DegradedLinks = map[string]Ratio{"l0.fwd": 1_500_000} }},
		{`unknown link "l0"; links are named like`, func(s *Spec) { s.Cluster.DegradedLinks = map[string]Ratio{"l0": One / 2} }},
		{`would carry less than 1 bit/s`, func(s *Spec) {
			s.Cluster.Links[0].Rate = 1
			s.Cluster.DegradedLinks = map[string]Ratio{"l0.fwd": One / 2}
		}},
	} {
		n := drawNet(rand.New(rand.NewPCG(1, 7)))
		c.change(n.spec)
		_, err := Compile(n.spec, nil)
		assert.ErrorContains(t, err, c.want)
	}
}

func TestDegradedLinks(t *testing.T) {
	n := drawNet(rand.New(rand.NewPCG(1, 7)))
	n.spec.Cluster.DegradedLinks = map[string]Ratio{"ns0.up": One / 3, "l0.rev": One}
	in, err := Compile(n.spec, nil)
	require.NoError(t, err)
	speed := map[string]BitRate{}
	for _, l := range in.Links {
		speed[l.Name] = l.Capacity
	}
	assert.EqualValues(t, 8e9*333333/1000000, speed["ns0.up"])
	assert.EqualValues(t, 8e9, speed["ns0.down"])
	assert.EqualValues(t, 8e9, speed["l0.rev"])
}

// TestKeepsRoutes lets every link of random networks fail: where routes are kept, no two nodes have another way
// than before, with the policy or without; where they are not, some have.
func TestKeepsRoutes(t *testing.T) {
	seeds, kept, changed := uint64(150), 0, 0
	if testing.Short() {
		seeds = 50
	}
	for seed := range seeds {
		n := drawNet(rand.New(rand.NewPCG(seed, 9)))
		whole, err := Compile(n.spec, nil)
		require.NoError(t, err)
		for _, l := range whole.Links {
			if l.Kind != Trunk || l.Failed {
				continue
			}
			spec := *n.spec
			spec.Cluster.FailedLinks = append(slices.Clone(n.spec.Cluster.FailedLinks), l.Name)
			broken, err := Compile(&spec, nil)
			require.NoError(t, err)
			other := false // route
			for a := range whole.Racks {
				for b := range whole.Racks {
					before, _ := whole.routes.Append(nil, a, b)
					now, ok := broken.routes.Append(nil, a, b)
					other = other || ok && !slices.Equal(now, before)
					before, _ = whole.routes.Obeying(1, a, b)
					now, ok = broken.routes.Obeying(1, a, b)
					other = other || ok && !slices.Equal(now, before)
					if a < b && broken.KeepsRoutes(whole) {
						for _, job := range []*Job{{}, &broken.Jobs[0]} {
							home := []GPUID{GPUID(a), GPUID(b)}
							was, _ := whole.SpanOf(job, home)
							if is, ok := broken.SpanOf(job, home); ok {
								require.Equal(t, was.Uses, is.Uses, "seed %d, %s", seed, l.Name)
							}
						}
					}
				}
			}
			require.Equal(t, !other, broken.KeepsRoutes(whole), "seed %d, %s", seed, l.Name)
			if other {
				changed++
			} else {
				kept++
			}
		}
	}
	assert.Greater(t, kept, int(seeds))
	assert.Greater(t, changed, int(seeds)/2)
}
