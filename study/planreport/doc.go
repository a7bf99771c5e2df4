// Package planreport makes a page of one plan, for people who were not there when it was made: what the plan reaches
// beside its baselines and its proven bound, its Gantt chart, how many GPUs compute at each time, what limits it, when and
// where every job runs, and the command and the instance that it is made of.
//
// [New] computes the contents, [page.Page] writes them. Runs that are equal but for their speed give equal pages if the
// report is timeless; else the page also shows how plan and bound approached each other.
package planreport
