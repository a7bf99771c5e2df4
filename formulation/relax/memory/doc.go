// Package memory proves that GPU memory cannot hold all jobs of an instance together: rules 1, 3 and 7
// of docs/problem.md, without time. [Refute] enumerates, job by job, all memory states that the
// cluster can be in; the proof succeeds when none is left.
package memory
