// Package bound is what the bounds share: [Bound], what is proven with what binds and how it was
// found, and how programs reach an engine and its prices become integers. Each bound has a package
// below it, which finds prices for what package relax states:
//
//	bound/area      chain and area, which need no engine
//	bound/fluid     the fluid program of plans that repeat
//	bound/packing   workers on whole GPUs
//	bound/columns   mixes of whole-job plans
//	bound/periods   whole numbers in a period
package bound
