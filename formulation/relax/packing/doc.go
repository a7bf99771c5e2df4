// Package packing states the packing program: workers on whole GPUs, in configurations that a GPU
// has the memory and the time for, without saying when; see [Program].
package packing
