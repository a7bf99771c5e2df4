package tree

import (
	"context"
	"fmt"
	"math"
)

// Problem evaluates the nodes of a search.
type Problem[N any] interface {
	// Evaluate bounds a node and, if necessary, splits it. It need not look for
	// points that are no better than the cutoff, which may be +Inf. An error ends
	// the search and leaves the node open.
	Evaluate(ctx context.Context, node N, cutoff float64) (Outcome[N], error)
}

// Outcome is what the evaluation of a node yields.
type Outcome[N any] struct {
	// Bound is proven: no point of the node is below it. -Inf proves nothing,
	// +Inf that the node has no point below the cutoff.
	Bound float64
	// Closed says that the node is finished: it has no point better than the
	// cutoff, or than the incumbent that this evaluation reports.
	Closed bool
	// Children cover the node, the preferred first. A node that is neither closed
	// nor split stays unresolved: its bound counts to the end.
	Children []N
	// Incumbent, if not nil, is the value of a point found during the evaluation.
	// The problem keeps the point itself.
	Incumbent *float64
}

// Options of a search. The zero value searches until the tree is closed.
type Options[N any] struct {
	// Nodes is the largest number of nodes evaluated; 0 means no limit.
	Nodes int
	// Cutoff returns the least value known to others, +Inf for none; it is called
	// before each node. Nil means that there are no others.
	Cutoff func() float64
	// Round returns the least value that a point can have at or above a bound; nil
	// means that all values are possible.
	Round func(bound float64) float64
	// Plunge is the largest number of nodes in a descent to first children; 0 means
	// no limit, and 1 is pure best-bound search.
	Plunge int
	// Events is called after each node; nil for none.
	Events func(Event)
}

// Event is the state of a search after a node.
type Event struct {
	Nodes, Open int     // evaluated; known and not yet evaluated
	Bound       float64 // proven for all points
	Incumbent   float64 // least value known, +Inf for none
}

// Status says why a search ended.
type Status int

const (
	// Closed means: no open node is left; the incumbent is optimal, or there is none.
	Closed Status = iota
	// Unresolved means: no open node is left, but some nodes could neither be
	// closed nor split.
	Unresolved
	// NodeLimit means: Options.Nodes was reached.
	NodeLimit
	// Stopped means: the context ended.
	Stopped
	// Failed means: Evaluate returned an error.
	Failed
)

// String returns the status in words.
func (s Status) String() string {
	if names := [...]string{"closed", "unresolved", "node limit", "stopped", "failed"}; s >= 0 && int(s) < len(names) {
		return names[s]
	}
	return fmt.Sprintf("status %d", int(s))
}

// Result is the outcome of a search.
type Result struct {
	Status Status
	// Bound on every value, and the least value known (+Inf for none), which
	// may be that of Options.Cutoff.
	Bound, Incumbent float64
	Nodes            int
}

// Search explores the tree under the root. A context that ends is a limit, not
// an error. The result is also valid together with an error.
func Search[N any](ctx context.Context, problem Problem[N], root N, options Options[N]) (Result, error) {
	s := search[N]{problem: problem, options: options, incumbent: math.Inf(1), stuck: math.Inf(1)}
	s.restore(s.number(root, math.Inf(-1)))
	status, err := s.run(ctx)
	r := Result{Status: status, Bound: s.bound(), Incumbent: s.cutoff(), Nodes: s.nodes}
	return r, err
}

// node is an open node.
type node[N any] struct {
	node   N
	number int
	bound  float64
}

type search[N any] struct {
	problem   Problem[N]
	options   Options[N]
	open      []node[N] // a heap by bound, number
	made      int       // nodes numbered
	nodes     int       // nodes evaluated
	incumbent float64
	stuck     float64 // least bound of the unresolved nodes
}

func (s *search[N]) run(ctx context.Context) (Status, error) {
	for len(s.open) > 0 {
		next := s.pop()
		for depth := 1; ; depth++ {
			if s.prunes(next.bound) {
				break
			}
			if status := s.limit(ctx); status != Closed {
				s.restore(next)
				return status, nil
			}
			children, err := s.evaluate(ctx, &next)
			if err != nil {
				s.restore(next)
				if ctx.Err() != nil {
					return Stopped, nil
				}
				return Failed, err
			}
			if len(children) == 0 {
				break
			}
			for _, c := range children[1:] {
				s.restore(c)
			}
			if depth == s.options.Plunge || s.stale(children[0].bound) {
				s.restore(children[0])
				break
			}
			next = children[0]
		}
	}
	if !math.IsInf(s.stuck, 1) && !s.prunes(s.stuck) {
		return Unresolved, nil
	}
	return Closed, nil
}

// plungeShare is the fraction of the gap, from its lower end, in which a plunge
// may continue: nodes near the incumbent are unlikely to improve it.
const plungeShare = 0.5

// stale reports whether a node is so bad that a plunge should end above it.
func (s *search[N]) stale(bound float64) bool {
	u, best := s.cutoff(), bound
	if len(s.open) > 0 {
		best = min(best, s.open[0].bound)
	}
	return !math.IsInf(u, 1) && !math.IsInf(best, -1) && bound > best+plungeShare*(u-best)
}

func (s *search[N]) limit(ctx context.Context) Status {
	switch {
	case ctx.Err() != nil:
		return Stopped
	case s.options.Nodes > 0 && s.nodes >= s.options.Nodes:
		return NodeLimit
	}
	return Closed
}

// evaluate bounds a node and numbers its children.
func (s *search[N]) evaluate(ctx context.Context, at *node[N]) ([]node[N], error) {
	out, err := s.problem.Evaluate(ctx, at.node, s.cutoff())
	if err != nil {
		return nil, err
	}
	s.nodes++
	if out.Incumbent != nil {
		s.incumbent = min(s.incumbent, *out.Incumbent)
	}
	if out.Bound > at.bound {
		at.bound = out.Bound
	}
	var children []node[N]
	switch {
	case out.Closed || s.prunes(at.bound):
	case len(out.Children) == 0:
		s.stuck = min(s.stuck, at.bound)
	default:
		for _, c := range out.Children {
			children = append(children, s.number(c, at.bound))
		}
	}
	if s.options.Events != nil {
		bound := s.bound()
		for _, c := range children {
			bound = min(bound, s.round(c.bound))
		}
		s.options.Events(Event{Nodes: s.nodes, Open: len(s.open) + len(children), Bound: bound, Incumbent: s.cutoff()})
	}
	return children, nil
}

// cutoff is the least value known.
func (s *search[N]) cutoff() float64 {
	if s.options.Cutoff != nil {
		return min(s.incumbent, s.options.Cutoff())
	}
	return s.incumbent
}

func (s *search[N]) round(bound float64) float64 {
	if s.options.Round != nil {
		return s.options.Round(bound)
	}
	return bound
}

// prunes reports whether a node with that bound has nothing better than the
// cutoff.
func (s *search[N]) prunes(bound float64) bool {
	return math.IsInf(bound, 1) || s.round(bound) >= s.cutoff()
}

// bound is the bound proven by the open and unresolved nodes.
func (s *search[N]) bound() float64 {
	b := min(s.cutoff(), s.round(s.stuck))
	if len(s.open) > 0 {
		b = min(b, s.round(s.open[0].bound))
	}
	return b
}

func (s *search[N]) number(n N, bound float64) node[N] {
	s.made++
	return node[N]{n, s.made, bound}
}

// restore puts an open node on the heap.
func (s *search[N]) restore(n node[N]) {
	s.open = append(s.open, n)
	i := len(s.open) - 1
	for i > 0 && s.less(i, (i-1)/2) {
		s.open[i], s.open[(i-1)/2] = s.open[(i-1)/2], s.open[i]
		i = (i - 1) / 2
	}
}

// pop takes the node of least bound, the oldest among equals.
func (s *search[N]) pop() node[N] {
	top, last := s.open[0], len(s.open)-1
	s.open[0] = s.open[last]
	s.open[last] = node[N]{}
	s.open = s.open[:last]
	for i := 0; ; {
		least := i
		for c := 2*i + 1; c <= 2*i+2 && c < last; c++ {
			if s.less(c, least) {
				least = c
			}
		}
		if least == i {
			return top
		}
		s.open[i], s.open[least] = s.open[least], s.open[i]
		i = least
	}
}

func (s *search[N]) less(a, b int) bool {
	x, y := &s.open[a], &s.open[b]
	return x.bound < y.bound || x.bound == y.bound && x.number < y.number
}
