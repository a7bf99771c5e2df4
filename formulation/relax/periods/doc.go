// Package periods states the bound of plans that repeat in whole numbers: the fluid program of
// rates for each period, rows about what links carry, the program of what single GPUs hold, and
// trees whose leaves prove a value for all plans of a period.
//
// # Whole periods
//
// Where the instance bounds the period of a plan, iterations, tasks and GPUs are
// counted in whole numbers in each period, and bound/periods searches the fluid
// program of rates for those, all periods in one tree. With x the iterations of a
// job, what it does in a co-resident set of GPUs is the product of x and their number
// (relax/fluid/whole.go). Rows for that product depend on the limits of x in a node,
// and splits on rates come first, so that the product is exact soon. What a link can
// carry in whole synchronisations (cuts.go) is told by cuts, which are separated
// where a node is the most promising (bound/periods/separate.go); and there the program of GPUs is
// solved beside the fluid one (gpus.go), whose columns are what a GPU holds, in whole
// tasks.
package periods
