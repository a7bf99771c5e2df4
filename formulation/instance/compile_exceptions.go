package instance

import (
	"fmt"
	"strconv"
	"strings"
)

// exceptions are the spec's exceptions by name, and which of them a node or link
// of the cluster has met.
type exceptions struct {
	gpus map[string]int
	rate map[string]BitRate
	met  map[string]bool // by "node" or "link", a space, and the name
}

func (c *compiler) exceptions() {
	c.except = exceptions{map[string]int{}, map[string]BitRate{}, map[string]bool{}}
	given := map[string]bool{}
	for i, e := range c.spec.Cluster.Exceptions {
		path := fmt.Sprintf("cluster.exceptions[%d]", i)
		what := e.what()
		switch {
		case (e.Node == "") == (e.Link == ""):
			c.problems.Add(path, "name either a node, with its gpus, or a link, with its rate")
			continue
		case given[what]:
			c.problems.Add(path, "there is another exception for %s", what)
		case e.Node != "" && e.Rate != 0:
			c.problems.Add(path+".rate", "a node has gpus; the links of a node are exceptions of their own")
		case e.Link != "" && e.GPUs != 0:
			c.problems.Add(path+".gpus", "a link has a rate, not GPUs")
		case e.Node != "":
			if e.GPUs < 1 || e.GPUs > MaxNodeGPUs {
				c.problems.Add(path+".gpus", "%d GPUs in a node is out of range; choose 1 to %d", e.GPUs, MaxNodeGPUs)
			}
			c.except.gpus[e.Node] = e.GPUs
		default:
			c.speed(path+".rate", e.Rate)
			c.except.rate[e.Link] = e.Rate
		}
		given[what] = true
	}
}

// what names the exception in messages.
func (e ExceptionSpec) what() string {
	if e.Node != "" {
		return fmt.Sprintf("node %q", Clip(e.Node))
	}
	return fmt.Sprintf("link %q", Clip(e.Link))
}

// nodeGPUs is the number of GPUs of a node that would have n.
func (c *compiler) nodeGPUs(name string, n int) int {
	if exception, ok := c.except.gpus[name]; ok {
		c.except.met["node "+name] = true
		return exception
	}
	return n
}

// linkRate is the speed of a link that would have rate.
func (c *compiler) linkRate(name string, rate BitRate) BitRate {
	if exception, ok := c.except.rate[name]; ok {
		c.except.met["link "+name] = true
		return exception
	}
	return rate
}

// unmet reports exceptions of what the cluster does not have.
func (c *compiler) unmet() {
	if len(c.problems) > 0 {
		return
	}
	for i, e := range c.spec.Cluster.Exceptions {
		path := fmt.Sprintf("cluster.exceptions[%d]", i)
		switch {
		case c.lost[e.Node], c.gone(e.Link):
		case e.Node != "" && !c.except.met["node "+e.Node]:
			c.problems.Add(path+".node", "unknown node %q; nodes are named like %q", Clip(e.Node), c.in.Nodes[0].Name)
		case e.Link != "" && !c.except.met["link "+e.Link]:
			c.problems.Add(path+".link", "unknown link %q; links are named like %q", Clip(e.Link), c.in.Links[0].Name)
		}
	}
}

// places are the numbers of a node's GPUs, nil where none failed.
func (c *compiler) places(n NodeSpec) (places []int) {
	if len(c.broken) == 0 {
		return nil
	}
	for g := range n.GPUs {
		name := NameGPU(n.Name, g)
		if _, failed := c.broken[name]; failed {
			c.broken[name] = true
		} else {
			places = append(places, g)
		}
	}
	switch len(places) {
	case n.GPUs:
		return nil
	case 0:
		c.problems.Add("cluster.failed_gpus", "node %q has no GPU left; name it in failed_nodes instead", Clip(n.Name))
	}
	return places
}

// NameGPU is the name of the GPU at a place of a node.
func NameGPU(node string, place int) string { return node + ".gpu" + strconv.Itoa(place) }

// CutGPU takes the name of a GPU apart; place is -1 where it is the name of something else, like a node.
func CutGPU(name string) (node string, place int) {
	at := strings.LastIndex(name, ".gpu")
	if at < 0 {
		return name, -1
	}
	n, err := strconv.Atoi(name[at+len(".gpu"):])
	if err != nil || n < 0 {
		return name, -1
	}
	return name[:at], n
}
