// Package api is what a page can ask of JigSaw: the methods of the contract in
// site/src/engine/api.ts, which says what every field means and in which unit.
// It runs anywhere; package wasm carries its messages to and from a browser.
//
// An [API] answers calls by name, many at a time. Calls share nothing but
// instances that were compiled lately and the store of scenarios.
//
// Types here have the JSON names of the contract. Bulk data are [Int32s] and
// [Float64s], which reach the page as typed arrays.
package api
