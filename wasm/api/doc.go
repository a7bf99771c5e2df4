// Package api implements the methods that a page can call: those of the contract in
// site/src/engine/api.ts, which says what every field means and in which unit.
// It runs anywhere; package wasm carries its messages to and from a browser.
//
// An [API] answers calls by name, many at a time. Calls share only recently compiled
// instances and the store of scenarios.
//
// Types here have the JSON names of the contract. Bulk data are [Int32s] and
// [Float64s], which reach the page as typed arrays.
package api
