// Package clp solves linear programs with COIN-OR CLP.
//
// It has two implementations of one contract, [solver.Solver]:
//
//   - [New] is for live models, over CLP's own C header: columns are added, their
//     bounds change, the basis is kept, read and written, and infeasible and
//     unbounded programs come with a ray.
//   - [NewOneShot] is for programs that are solved once, over github.com/lanl/clp,
//     and offers ranging of costs and right-hand sides at the optimum. Every Solve
//     starts from scratch. That binding reports neither iteration counts nor a
//     basis, so Solution.Iterations is 0 and Basis is nil. It has no rays, so
//     those are computed by side programs. Its ranging includes CLP's dual
//     tolerance: the ends of the intervals are accurate to about 1e-6.
//
// # How CLP is reached
//
// The live model is written once over [table], the C functions it needs in plain
// Go types. Build tags choose how [New] implements it:
//
//   - `cgo && !noclp && !js` links the C library (Debian: coinor-libclp-dev and
//     pkg-config).
//   - `js` drives an instance of clp.wasm, CLP compiled to WebAssembly (see the
//     folder wasm), which the page provides as globalThis.jigsawCLP.
//   - Without either, wazero runs the same file in plain Go; see [NewWasm]. With the tag
//     clpwasm the file is inside the program, as scripts/dist builds it.
//
// If CLP is not available the constructors return [ErrUnavailable] and say how to
// get it. Without lanl/clp, NewOneShot loads a live model for every program.
//
// Programs of up to 1,000 rows take the same steps and give bit-identical results
// in all three. When an instance of clp.wasm traps, all its models return the
// error and the next program gets a new instance.
//
// # What a caller can rely on
//
// Signs are those of package solver. CLP agrees with them for duals and reduced
// costs; its Farkas rays have the opposite sign, which is corrected here.
//
// Every claim is checked against a copy of the data to which CLP has no access: an
// optimum by [solver.Check], an infeasible program by its Farkas ray, an unbounded
// one by its ray and a feasible point. A claim that fails is tried again with the
// other algorithm, without scaling, and from scratch; if it still fails the result
// is an error, never a wrong number. This is needed: CLP 1.17.6 calls a few
// unbounded programs infeasible.
//
// When a context ends, an event handler inside CLP stops a live model after the
// current simplex iteration. The solve is not split up for this, and the same
// calls give the same pivots whether or not a context can end. The one-shot solver
// and WebAssembly cannot be interrupted. They run in slices of iterations instead,
// whose length depends only on the size of the program; there a context takes
// effect at the end of a slice, up to seconds on programs of thousands of rows.
// Each slice is twice as long as the one before, since equal ones can cycle.
// Between slices a browser's messages come in.
//
// The error of an ended context is returned wrapped. The model keeps the basis it
// had reached.
package clp
