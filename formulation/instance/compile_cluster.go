package instance

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"jigsaw/formulation/instance/route"
)

// cluster compiles GPU types, nodes, links and routes.
func (c *compiler) cluster() {
	spec, in := &c.spec.Cluster, c.in
	c.gpuTypes()
	in.Latency = c.ceilTicks("cluster.latency", spec.Latency, One)
	c.rateLevels()
	c.exceptions()
	c.lost, c.broken = map[string]bool{}, map[string]bool{}
	for _, name := range spec.FailedNodes {
		c.lost[name] = false
	}
	for _, name := range spec.FailedGPUs {
		c.broken[name] = false
	}

	switch short, full := len(spec.Racks) > 0, len(spec.Switches)+len(spec.Nodes)+len(spec.Links) > 0; {
	case short && full:
		c.problems.Add("cluster", "give either racks, or switches, nodes and links, not both")
	case short:
		c.racks()
	case full:
		c.network()
	default:
		c.problems.Add("cluster", "the cluster has no nodes; give racks, or switches and nodes")
	}
	for i, name := range spec.FailedNodes {
		if met := c.lost[name]; !met && len(c.problems) == 0 && len(in.Nodes) > 0 {
			c.problems.Add(fmt.Sprintf("cluster.failed_nodes[%d]", i), "unknown node %q; nodes are named like %q", Clip(name), in.Nodes[0].Name)
		}
	}
	for i, name := range spec.FailedGPUs {
		if node, _ := CutGPU(name); !c.broken[name] && !c.lost[node] && len(c.problems) == 0 {
			c.problems.Add(fmt.Sprintf("cluster.failed_gpus[%d]", i), "unknown GPU %q; GPUs are named like %q", Clip(name), in.Nodes[0].Name+".gpu0")
		}
	}
	if len(c.problems) == 0 && len(in.GPUs) == 0 {
		c.problems.Add("cluster", "the cluster has no GPUs")
	}
	c.unmet()
	c.rateParts()
}

func (c *compiler) gpuTypes() {
	c.types = map[string]TypeID{}
	seen := map[string]bool{}
	if len(c.spec.Cluster.GPUTypes) == 0 {
		c.problems.Add("cluster.gpu_types", "list at least one GPU type with its memory")
	}
	for i, t := range c.spec.Cluster.GPUTypes {
		path := fmt.Sprintf("cluster.gpu_types[%d]", i)
		c.name(path+".name", t.Name, "GPU type", seen)
		if t.Memory <= 0 {
			c.problems.Add(path+".memory", "give the memory of a GPU, like \"16GiB\"")
		}
		if t.PricePerHour < 0 || t.PricePerHour > MaxPrice {
			c.problems.Add(path+".price_per_hour", "a price of %v is out of range; choose 0 to %v", t.PricePerHour, MaxPrice)
		}
		for n, as := range t.ProfiledAs {
			path := fmt.Sprintf("%s.profiled_as[%d]", path, n)
			if as.GPU == "" {
				c.problems.Add(path+".gpu", "name the GPU whose profiles are used for %q", Clip(t.Name))
			}
			if as.Speed < 0 || as.Speed > 1000*One || as.Speed != 0 && as.Speed < One/1000 {
				c.problems.Add(path+".speed", "a relative speed of %v is out of range; choose 0.001 to 1000", as.Speed)
			}
		}
		c.types[t.Name] = TypeID(len(c.in.Types))
		c.in.Types = append(c.in.Types, GPUType{t.Name, t.Memory, t.PricePerHour})
	}
}

func (c *compiler) rateLevels() {
	in := c.in
	in.RateLevels = slices.Clone(c.spec.Cluster.RateLevels)
	if len(in.RateLevels) == 0 {
		in.RateLevels = []RateLevel{1, 2, 4}
	}
	slices.Sort(in.RateLevels)
	for i, l := range in.RateLevels {
		if l < 1 || l > 1024 || i > 0 && l == in.RateLevels[i-1] {
			c.problems.Add("cluster.rate_levels", "levels must be different fractions 1/n with n from 1 to 1024")
			in.RateLevels = []RateLevel{1}
			return
		}
	}
}

// rateParts chooses the parts of a bit/s in which rates are whole.
func (c *compiler) rateParts() {
	in := c.in
	parts := int64(1) // the least common multiple of the levels
	for _, l := range in.RateLevels {
		if parts *= int64(l) / gcd(parts, int64(l)); parts > maxRateParts {
			break
		}
	}
	fastest, common := BitRate(0), parts
	for _, l := range in.Links {
		fastest = max(fastest, l.Capacity)
		if common = gcd(common, int64(l.Capacity)); l.Kind == Trunk {
			common = 1 // it may be crossed several times, and its share be any number
		}
	}
	in.rateParts = Rate(parts / common)
	if parts > maxRateParts || saturatingMul(int64(in.rateParts), int64(fastest)) > maxRate {
		c.problems.Add("cluster.rate_levels", "the common denominator of the levels is too large for links of up to %v; choose levels that divide one another, like 1, 1/2, 1/4", fastest)
		in.rateParts = 1
	}
}

// speed checks a link speed.
func (c *compiler) speed(path string, r BitRate) {
	if r <= 0 || r > MaxQuantity {
		c.problems.Add(path, "give a speed like \"100Gbit/s\"")
	}
}

// unknownType says that there is no such GPU type. A h100 is no a100 misspelled, a V100 is a v100.
func (c *compiler) unknownType(name string) string {
	text := fmt.Sprintf("unknown GPU type %q", Clip(name))
	for _, known := range c.spec.Cluster.GPUTypes {
		if strings.EqualFold(known.Name, name) {
			return text + fmt.Sprintf("; did you mean %q?", known.Name)
		}
	}
	return text + "; list it in cluster.gpu_types"
}

// nodeShape checks what both forms say of a node and returns its GPU type.
func (c *compiler) nodeShape(path, gpu string, gpus int, nic, fabric BitRate) TypeID {
	t, ok := c.types[gpu]
	if !ok {
		c.problems.Add(path+".gpu", "%s", c.unknownType(gpu))
	}
	if gpus < 1 || gpus > MaxNodeGPUs {
		c.problems.Add(path+".gpus", "%d GPUs in a node is out of range; choose 1 to %d", gpus, MaxNodeGPUs)
	}
	c.speed(path+".nic", nic)
	c.speed(path+".fabric", fabric)
	return t
}

// racks expands the short form: identical racks under one core switch, whose
// links to it are rack-up and rack-down. A single rack needs no core.
func (c *compiler) racks() {
	total, size := 0, 0
	for i, r := range c.spec.Cluster.Racks {
		path := fmt.Sprintf("cluster.racks[%d]", i)
		c.nodeShape(path, r.GPU, r.GPUs, r.NIC, r.Fabric)
		if r.Nodes < 1 || r.Nodes > MaxNodes {
			c.problems.Add(path+".nodes", "%d nodes in a rack is out of range; choose 1 to %d", r.Nodes, MaxNodes)
		}
		if r.Count < 0 || r.Count > MaxNodes {
			c.problems.Add(path+".count", "%d racks is out of range; choose 1 to %d", r.Count, MaxNodes)
		}
		if r.Uplink != 0 && r.Oversubscription != 0 {
			c.problems.Add(path+".oversubscription", "give either uplink or oversubscription, not both")
		}
		if r.Oversubscription < 0 || r.Oversubscription > 1000*One || r.Oversubscription != 0 && r.Oversubscription < One/1000 {
			c.problems.Add(path+".oversubscription", "an oversubscription of %v is out of range; choose 0.001 to 1000", r.Oversubscription)
		}
		total += max(1, r.Count)
		size += max(1, r.Count) * r.Nodes
	}
	if size > MaxNodes {
		c.problems.Add("cluster.racks", "%d nodes are more than the limit of %d", size, MaxNodes)
	}
	if len(c.problems) > 0 {
		return
	}

	core := total // switch number, after the racks' own
	var leaf []int
	var trunks []route.Trunk
	for i, r := range c.spec.Cluster.Racks {
		uplink := r.Uplink
		if uplink == 0 && total > 1 {
			over := r.Oversubscription
			if over == 0 {
				over = One
			}
			if uplink = BitRate(ceilMulDiv(int64(r.NIC), int64(r.Nodes)*int64(One), int64(over))); uplink > MaxQuantity {
				c.problems.Add(fmt.Sprintf("cluster.racks[%d].nic", i), "the NICs of %d nodes make an uplink that is too fast; give its speed as uplink", r.Nodes)
				return
			}
		}
		for range max(1, r.Count) {
			rack := len(c.in.switches)
			name := "r" + strconv.Itoa(rack)
			c.in.switches = append(c.in.switches, name)
			var nodes []NodeSpec
			for n := range r.Nodes {
				nodes = append(nodes, NodeSpec{name + "n" + strconv.Itoa(n), "", r.GPUs, r.GPU, r.NIC, r.Fabric})
			}
			if c.addRack(name, nodes) {
				leaf = append(leaf, rack)
			}
			if total > 1 {
				up := c.addLink(name+".up", RackUp, uplink)
				down := c.addLink(name+".down", RackDown, uplink)
				trunks = append(trunks, route.Trunk{Link: up, From: rack, To: core}, route.Trunk{Link: down, From: core, To: rack})
			}
		}
	}
	c.in.switches = append(c.in.switches, "core")
	c.route(leaf, total+1, trunks)
}

// network compiles the full form. Nodes are renumbered switch by switch, so
// that rings over ascending nodes stay local.
func (c *compiler) network() {
	spec := &c.spec.Cluster
	seen := map[string]bool{}
	index := map[string]int{}
	for i, s := range spec.Switches {
		c.name(fmt.Sprintf("cluster.switches[%d].name", i), s.Name, "switch or node", seen)
		index[s.Name] = i
	}
	if len(spec.Nodes) > MaxNodes {
		c.problems.Add("cluster.nodes", "%d nodes are more than the limit of %d", len(spec.Nodes), MaxNodes)
		return
	}
	under := make([][]NodeSpec, len(spec.Switches))
	for i, n := range spec.Nodes {
		path := fmt.Sprintf("cluster.nodes[%d]", i)
		c.name(path+".name", n.Name, "switch or node", seen)
		c.nodeShape(path, n.GPU, n.GPUs, n.NIC, n.Fabric)
		s, ok := index[n.Switch]
		if !ok {
			c.problems.Add(path+".switch", "unknown switch %q; list it in cluster.switches", Clip(n.Switch))
			continue
		}
		under[s] = append(under[s], n)
	}
	linkNames := map[string]bool{}
	for i, l := range spec.Links {
		path := fmt.Sprintf("cluster.links[%d]", i)
		c.speed(path+".rate", l.Rate)
		for _, end := range []string{l.From, l.To} {
			if _, ok := index[end]; !ok {
				c.problems.Add(path, "unknown switch %q; links join switches; nodes are joined to theirs by their nic", Clip(end))
			}
		}
		if l.From == l.To {
			c.problems.Add(path, "the link joins %q to itself", Clip(l.From))
		}
		c.name(path+".name", l.label(), "link", linkNames)
	}
	if len(c.problems) > 0 {
		return
	}

	var leaf []int
	for s, nodes := range under {
		c.in.switches = append(c.in.switches, spec.Switches[s].Name)
		if c.addRack(spec.Switches[s].Name, nodes) {
			leaf = append(leaf, s)
		}
	}
	var trunks []route.Trunk
	for _, l := range spec.Links {
		from, to := index[l.From], index[l.To]
		trunks = append(trunks,
			route.Trunk{Link: c.addLink(l.label()+".fwd", Trunk, l.Rate), From: from, To: to},
			route.Trunk{Link: c.addLink(l.label()+".rev", Trunk, l.Rate), From: to, To: from})
	}
	c.route(leaf, len(spec.Switches), trunks)
}

// label is the link's name, or one made of its ends.
func (l LinkSpec) label() string {
	if l.Name != "" {
		return l.Name
	}
	return l.From + "-" + l.To
}

func (c *compiler) addLink(name string, kind LinkKind, capacity BitRate) LinkID {
	c.in.Links = append(c.in.Links, Link{Name: name, Kind: kind, Capacity: c.linkRate(name, capacity)})
	return LinkID(len(c.in.Links) - 1)
}

// addRack adds the nodes under a switch that are in service, and reports whether there are any.
func (c *compiler) addRack(name string, nodes []NodeSpec) bool {
	rack := len(c.in.Racks)
	c.in.Racks = append(c.in.Racks, Rack{Name: name})
	for _, n := range nodes {
		if _, failed := c.lost[n.Name]; failed {
			c.lost[n.Name] = true
			continue
		}
		c.addNode(n, rack)
	}
	if len(c.in.Racks[rack].Nodes) == 0 {
		c.in.Racks = c.in.Racks[:rack]
	}
	return rack < len(c.in.Racks)
}

// gone reports whether a link is one of a node that failed.
func (c *compiler) gone(link string) bool {
	return c.lost[strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(link, ".up"), ".down"), ".fabric")]
}

func (c *compiler) addNode(n NodeSpec, rack int) {
	in, t := c.in, c.types[n.GPU]
	n.GPUs = c.nodeGPUs(n.Name, n.GPUs)
	if len(in.GPUs)+n.GPUs > MaxGPUs {
		if len(c.problems) == 0 {
			c.problems.Add("cluster", "the cluster has more than %d GPUs", MaxGPUs)
		}
		return
	}
	places := c.places(n)
	if places != nil {
		n.GPUs = len(places)
	}
	id := NodeID(len(in.Nodes))
	in.Nodes = append(in.Nodes, Node{
		Name: n.Name, Rack: rack, Type: t, FirstGPU: GPUID(len(in.GPUs)), GPUs: n.GPUs, Places: places,
		Up:     c.addLink(n.Name+".up", NICUp, n.NIC),
		Down:   c.addLink(n.Name+".down", NICDown, n.NIC),
		Fabric: c.addLink(n.Name+".fabric", Fabric, n.Fabric),
	})
	for range n.GPUs {
		in.GPUs = append(in.GPUs, GPU{id, t})
	}
	in.Racks[rack].Nodes = append(in.Racks[rack].Nodes, id)
	in.Racks[rack].GPUs += n.GPUs
}

// route marks the failed links and searches routes over the others.
func (c *compiler) route(leaf []int, switches int, trunks []route.Trunk) {
	in := c.in
	if len(c.spec.Cluster.FailedLinks) > 0 {
		byName := map[string]LinkID{}
		for i, l := range in.Links {
			byName[l.Name] = LinkID(i)
		}
		for i, name := range c.spec.Cluster.FailedLinks {
			l, ok := byName[name]
			if c.gone(name) {
				continue
			}
			if !ok {
				c.problems.Add(fmt.Sprintf("cluster.failed_links[%d]", i),
					"unknown link %q; links are named like %q", Clip(name), in.Links[0].Name)
				continue
			}
			in.Links[l].Failed = true
		}
	}
	c.degrade()
	working := slices.DeleteFunc(trunks, func(t route.Trunk) bool { return in.Links[t.Link].Failed })
	in.routes = route.New(leaf, switches, len(in.Links), working)
	c.policies(switches, working)
}

// degrade slows links down.
func (c *compiler) degrade() {
	slow := c.spec.Cluster.DegradedLinks
	met := 0
	for l := range c.in.Links {
		link := &c.in.Links[l]
		fraction, found := slow[link.Name]
		if !found {
			continue
		}
		met++
		if fraction <= 0 || fraction > One {
			c.problems.Add("cluster.degraded_links", "link %q carries %v of its speed; choose more than 0 and at most 1, or list it in failed_links", Clip(link.Name), fraction)
			continue
		}
		link.Capacity = BitRate(floorMulDiv(int64(link.Capacity), int64(fraction), int64(One)))
		if link.Capacity == 0 {
			c.problems.Add("cluster.degraded_links", "link %q would carry less than 1 bit/s; list it in failed_links", Clip(link.Name))
		}
	}
	if met == len(slow) {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(slow)) {
		if !c.gone(name) && !slices.ContainsFunc(c.in.Links, func(l Link) bool { return l.Name == name }) {
			c.problems.Add("cluster.degraded_links", "unknown link %q; links are named like %q", Clip(name), c.in.Links[0].Name)
		}
	}
}
