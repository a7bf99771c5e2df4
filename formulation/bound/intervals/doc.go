// Package intervals solves the intervals program of package relax/intervals by column generation (package
// solver/colgen). This yields the prices of intervals certificates.
//
// Columns are plans of single jobs: for each class the plan for which a job pays least at the prices of the master program, found
// by the kernel. The intervals get finer step by step; each step starts from the prices of the one before.
package intervals
