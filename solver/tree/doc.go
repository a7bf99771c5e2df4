// Package tree holds tree search for minimisation: a search that is independent
// of the meaning of its nodes ([Search]), and the choice of the branching
// column in programs with integer columns ([PseudoCosts]).
//
// # The search
//
// A problem is a set of feasible points with a value each. A node is a subset,
// the root the whole set. Evaluating a node yields a proven lower bound on the
// values in its subset and, unless the subset is done with, children whose
// subsets cover it, except for points no better than the cutoff. With
//
//	U   cutoff: the least value known, of whoever knows it          Cutoff
//	B   bound of a node: the largest proven for it or an ancestor
//	up  the least value that a point can have at or above a number  Round
//
// a node is pruned once up(B) >= U. The search keeps the others in a heap and
// takes the one of least bound, ties by age; from there it plunges to first
// children, which find good points early and start from a basis that an
// engine still holds. When it ends, min(U, B of the open nodes) is a lower
// bound on every value.
//
// Everything is deterministic: nodes are numbered as they are made, and one is
// evaluated at a time.
//
// # Reference
//
// T. Achterberg, Constraint Integer Programming, TU Berlin (2007): chapter 5
// for branching by reliable pseudo-costs, chapter 6 for node selection and
// plunging.
package tree
