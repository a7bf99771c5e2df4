// Package alloc finds free GPUs for whole jobs, each of which has its GPUs to itself until it ends: GPUs near to one
// another, on the types on which the job is fastest. Rigid jobs on a machine with a topology, one at a time; who comes when
// is up to the callers.
package alloc
