// Package memory proves that GPU memory cannot hold all jobs of an instance together: rules 1, 3 and 7
// of docs/problem.md, without time. [Refute] lists, job by job, all memory states that the cluster can
// be in, and ends with none left.
package memory
