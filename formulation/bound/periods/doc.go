// Package periods solves the programs of package relax/periods by branch and bound, with one tree
// for all periods, cuts on what links carry, and prices of what single GPUs hold; or, if there is
// one program for any period, with splits of rates and of numbers of GPUs.
package periods
