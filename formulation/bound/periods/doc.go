// Package periods searches the programs of package relax/periods by branch and bound, all periods in
// one tree, with cuts of what links carry and prices of what single GPUs hold.
package periods
