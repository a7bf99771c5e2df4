// Package bound holds what the bounds share: [Bound], which says what is proven, what binds and
// how it was found; and the code that hands programs to an engine and turns its prices into
// integers. Each bound has a package below this one, which finds prices for a program that package
// relax states:
//
//	bound/area      chain and area, which need no engine
//	bound/fluid     the fluid program of plans that repeat
//	bound/packing   workers on whole GPUs
//	bound/columns   mixes of whole-job plans
//	bound/periods   whole numbers in a period
package bound
