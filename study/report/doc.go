// Package report turns the results of a study into one page: tables, plots, the
// plans of some cells, and the commands that made it all.
//
// [New] works out what there is to say; [Report.HTML], [Report.Markdown] and
// [Report.Figures] write it. The page is one file that needs no other, no
// script and no network, and follows the reader's light or dark colours. The
// same results give the same page: times of the run are not in it.
//
// # Gain
//
// The gain of a plan over a baseline is how much more it gets done in the same
// time, or the same in so much less:
//
//	makespan, weighted completion   value of the baseline / value of the plan - 1
//	throughput                      value of the plan / value of the baseline - 1
//
// For makespan on equal GPUs that is the ratio of efficiencies, less one. With
// the bound in the place of the plan it is the most that any schedule gains.
package report
