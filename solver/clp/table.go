package clp

// handle identifies one CLP model inside a table; 0 is none.
type handle uintptr

// table is the part of CLP's C interface (Clp_C_Interface.h) that a live model
// needs, in plain Go types so that each way to reach CLP can implement it:
// cgoTable with the C library, wasmTable with the same library compiled to
// WebAssembly. An implementation only translates. Slices are read or filled
// during the call and never retained. Bounds come with CLP's own infinities,
// see coinInfinity. Starts have one more entry than the vectors they delimit.
type table interface {
	version() string

	newModel() handle
	deleteModel(handle)
	setLogLevel(h handle, level int32)
	// makePortable restricts CLP to arithmetic that gives bit-identical results on
	// any machine and in any table.
	makePortable(h handle)

	loadProblem(h handle, cols, rows int32, start, index []int32, value,
		colLower, colUpper, cost, rowLower, rowUpper []float64)
	addColumns(h handle, lower, upper, cost []float64, start, rows []int32, values []float64)
	chgColumnLower(h handle, lower []float64)
	chgColumnUpper(h handle, upper []float64)

	// copyinStatus and statusArray transfer the basis: columns, then rows, one byte
	// each as the clp* codes below.
	copyinStatus(h handle, status []byte)
	statusArray(h handle, status []byte)

	setMaximumIterations(h handle, count int32)
	setMaximumSeconds(h handle, seconds float64) // processor time from now; negative is none
	scaling(h handle, mode int32)
	setPerturbation(h handle, value int32)

	// interrupt, switched on from another goroutine, stops a running solve after
	// its current iteration, and any later one at once until it is switched off. If
	// canInterrupt is false it does nothing, and solves run in slices.
	canInterrupt() bool
	interrupt(h handle, on bool)

	dual(h handle, ifValuesPass int32)
	primal(h handle, ifValuesPass int32)
	status(h handle) int32
	secondaryStatus(h handle) int32
	numberIterations(h handle) int32

	primalColumnSolution(h handle, x []float64)
	primalRowSolution(h handle, activity []float64)
	dualRowSolution(h handle, y []float64)
	dualColumnSolution(h handle, d []float64)
	// infeasibilityRay fills one entry per row, unboundedRay one per column; false
	// if CLP has none.
	infeasibilityRay(h handle, ray []float64) bool
	unboundedRay(h handle, ray []float64) bool
}

// Codes of a status array, from ClpSimplex.hpp.
const (
	clpFree       = 0
	clpBasic      = 1
	clpAtUpper    = 2
	clpAtLower    = 3
	clpSuperbasic = 4
	clpFixed      = 5
	clpStatusMask = 7 // the upper bits are CLP's own marks
)
