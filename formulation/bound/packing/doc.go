// Package packing solves the packing program of package relax/packing by column generation over the
// configurations of GPUs.
//
// Where there are thousands of jobs, those whose workers take about as many ticks are aggregated, at the least of
// them: what does not fit then does not fit. The prices of a worker and of its ticks hold for each of the jobs.
package packing
