// Package cases states the nodes of a case distinction: what splits decide about the plans of jobs
// (assignment to GPUs, ends, starts, depths, rate levels); the children of a split, which cover the
// node; and the columns program of a node, in which a job whose GPUs are decided has plans on
// exactly those GPUs and their links.
package cases
