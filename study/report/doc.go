// Package report turns the results of a study into one page: tables, plots, the
// plans of some cells, and the commands that produced them.
//
// [New] computes the contents; [page.Page.HTML], [page.Page.Markdown] and
// [page.Page.Figures] write it. The page is one self-contained file without
// scripts or network access, and follows the reader's light or dark colours.
// The same results give the same page: it contains no run times.
//
// # Gain
//
// The gain of a plan over a baseline is how much more work it does in the same
// time:
//
//	makespan, weighted completion   value of the baseline / value of the plan - 1
//	throughput                      value of the plan / value of the baseline - 1
//
// For makespan on equal GPUs that is the ratio of efficiencies minus one. With
// the bound in place of the plan it is the largest gain of any schedule.
package report
