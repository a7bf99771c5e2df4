// Package classical compares plans and bounds with published optima of classical
// scheduling problems.
//
// Each family maps exactly onto ours: a valid schedule of one problem is a valid
// schedule of the other, with the same value. A machine is a GPU, a job's length that
// of its only task, in ticks; a profile has one layer without parameters, so that
// memory and links never bind, and every job has one iteration at full depth.
//
//	P|size|Cmax        rigid parallel tasks: job j takes size_j machines at once; a job of so
//	                   many workers with gang
//	P|size,split|Cmax  the same without gang: the tasks of a job may start apart
//	P||Cmax            identical machines
//	P||sum Cj          the same jobs under weighted completion, all weights 1
//	R||Cmax            unrelated machines: a GPU type a machine, a profile a job and machine
//
// If there are more machines than GPUs in a node, they span several nodes: jobs
// transfer nothing, so they run across nodes as within one.
//
// The optima of the first two are the areas of strips that were cut into jobs; that of
// P||sum Cj comes from the rule of the shortest job first (R. W. Conway, W. L. Maxwell,
// L. W. Miller, Theory of scheduling, 1967); the others are as published, those of
// R||Cmax being best known values, without proof.
//
// The instances belong to others and are read where they are. Records and tables hold
// our ratios to them, but none of their figures.
package classical
