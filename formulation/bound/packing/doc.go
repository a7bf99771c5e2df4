// Package packing solves the packing program of package relax/packing by column generation over the
// configurations of GPUs.
//
// With thousands of jobs, those whose workers take about as many ticks are aggregated, each counted at the
// smallest number of ticks among them. If the aggregate does not fit, neither do the jobs. The prices of a worker
// and of its ticks hold for each of the jobs.
package packing
