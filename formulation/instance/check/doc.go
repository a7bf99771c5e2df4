// Package check decides whether a schedule is valid. It tests the ten rules of docs/problem.md,
// section 3, one by one, with arithmetic of its own, and shares no code with any planner: of package
// instance it reads the numbers and the tables of routes.
package check
