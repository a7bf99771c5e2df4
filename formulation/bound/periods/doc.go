// Package periods solves the programs of package relax/periods by branch and bound, with one tree
// for all periods, cuts on what links carry, and prices of what single GPUs hold.
package periods
