// Package periods states the integer bound of plans that repeat: the fluid program of
// rates for each period, rows on what links carry, the program of what single GPUs
// hold, and trees whose leaves prove a value for all plans of a period.
//
// # Whole periods
//
// If the instance bounds the period of a plan, iterations, tasks and GPUs are counted
// in whole numbers in each period, and bound/periods solves the fluid program of
// rates for them, with one tree for all periods. With x the iterations of a job, what
// it does in a co-resident set of GPUs is the product of x and their number
// (relax/fluid/limits.go). The rows for that product depend on the limits of x in a
// node. Splits on rates come first, so that the product soon becomes exact. Cuts
// express what a link can carry in whole synchronisations (cuts.go); they are
// separated at the most promising node (bound/periods/separate.go). There the program
// of GPUs (gpus.go) is solved beside the fluid one; its columns are what a GPU holds,
// in whole tasks.
//
// # Any period
//
// If the period is not bounded, or there are too many, one program is about the plans of any
// period. Rates are real numbers there; a split at a rate leaves it to both parts, and only
// numbers of GPUs are whole. Since a job has one rate on all its GPUs, the rows for the products
// tell a job that is on every GPU from one that is often on a few.
//
// # Makespan
//
// A schedule that ends at tick D is, over and over again, a plan of period D. So the least rate of
// plans of any period bounds the makespan (makespan.go).
package periods
