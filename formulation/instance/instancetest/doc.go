// Package instancetest supports tests of planners and bounds: tiny random
// instances, their optima by brute force, and simple valid schedules.
//
// The optimum is the oracle of the sandwich every planner is tested with:
//
//	bounds <= Optimum <= heuristics     (makespan, weighted completion)
//	bounds >= Optimum >= heuristics     (the throughput objectives)
//
// Everything here prefers being obviously right to being fast; it is meant for
// instances of a few GPUs, jobs and ticks.
package instancetest
