//go:build cgo && !noclp && !js

package clp

/*
#cgo pkg-config: clp
#include <Clp_C_Interface.h>
#include <string.h>
#include "interrupt_cgo.h"
#include "portable_cgo.h"

_Static_assert(sizeof(CoinBigIndex) == sizeof(int), "CLP built with 64-bit matrix starts");
_Static_assert(sizeof(int) == 4, "int has not 32 bits");

static int copy_ray(Clp_Simplex *model, double *ray, double *to, int count)
{
	if (!ray)
		return 0;
	memcpy(to, ray, count * sizeof(double));
	Clp_freeRay(model, ray);
	return 1;
}

static int infeasibility_ray(Clp_Simplex *model, double *to, int count)
{
	return copy_ray(model, Clp_infeasibilityRay(model), to, count);
}

static int unbounded_ray(Clp_Simplex *model, double *to, int count)
{
	return copy_ray(model, Clp_unboundedRay(model), to, count);
}
*/
import "C"

import (
	"unsafe"

	"jigsaw/solver"
)

// Way says how this build reaches CLP.
func Way() string { return "by cgo" }

// New returns the solver with live models.
func New() (solver.Solver, error) { return &live{cgoTable{}}, nil }

// cgoTable reaches CLP through the linker. The C library copies whatever it
// keeps, so Go memory is only lent for the duration of a call, and it never
// contains Go pointers.
type cgoTable struct{}

// model converts a handle back into the pointer that newModel got from C. It
// points to C memory, which the garbage collector neither moves nor frees.
func (h handle) model() unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&h)) }

func doubles(s []float64) *C.double { return (*C.double)(unsafe.SliceData(s)) }

func ints(s []int32) *C.int { return (*C.int)(unsafe.SliceData(s)) }

func bigIndices(s []int32) *C.CoinBigIndex { return (*C.CoinBigIndex)(unsafe.SliceData(s)) }

func (cgoTable) version() string { return C.GoString(C.Clp_Version()) }

func (cgoTable) newModel() handle {
	model := C.Clp_newModel()
	C.watch_model(model)
	return handle(uintptr(model))
}

func (cgoTable) deleteModel(h handle) {
	flag := C.flag_of(h.model())
	C.Clp_deleteModel(h.model())
	C.forget_flag(flag)
}

func (cgoTable) canInterrupt() bool { return true }

func (cgoTable) interrupt(h handle, on bool) {
	up := C.int(0)
	if on {
		up = 1
	}
	C.raise_flag(h.model(), up)
}

func (cgoTable) makePortable(h handle) { C.make_portable(h.model()) }

func (cgoTable) setLogLevel(h handle, level int32) { C.Clp_setLogLevel(h.model(), C.int(level)) }

func (cgoTable) loadProblem(h handle, cols, rows int32, start, index []int32, value,
	colLower, colUpper, cost, rowLower, rowUpper []float64) {
	C.Clp_loadProblem(h.model(), C.int(cols), C.int(rows), bigIndices(start), ints(index), doubles(value),
		doubles(colLower), doubles(colUpper), doubles(cost), doubles(rowLower), doubles(rowUpper))
}

func (cgoTable) addColumns(h handle, lower, upper, cost []float64, start, rows []int32, values []float64) {
	C.Clp_addColumns(h.model(), C.int(len(cost)), doubles(lower), doubles(upper), doubles(cost),
		bigIndices(start), ints(rows), doubles(values))
}

func (cgoTable) chgColumnLower(h handle, lower []float64) {
	C.Clp_chgColumnLower(h.model(), doubles(lower))
}

func (cgoTable) chgColumnUpper(h handle, upper []float64) {
	C.Clp_chgColumnUpper(h.model(), doubles(upper))
}

func (cgoTable) copyinStatus(h handle, status []byte) {
	C.Clp_copyinStatus(h.model(), (*C.uchar)(unsafe.SliceData(status)))
}

func (cgoTable) statusArray(h handle, status []byte) {
	fill(status, (*byte)(C.Clp_statusArray(h.model())))
}

func (cgoTable) setMaximumIterations(h handle, count int32) {
	C.Clp_setMaximumIterations(h.model(), C.int(count))
}

func (cgoTable) setMaximumSeconds(h handle, seconds float64) {
	C.Clp_setMaximumSeconds(h.model(), C.double(seconds))
}

func (cgoTable) scaling(h handle, mode int32) { C.Clp_scaling(h.model(), C.int(mode)) }

func (cgoTable) setPerturbation(h handle, value int32) {
	C.Clp_setPerturbation(h.model(), C.int(value))
}

func (cgoTable) dual(h handle, ifValuesPass int32) { C.Clp_dual(h.model(), C.int(ifValuesPass)) }

func (cgoTable) primal(h handle, ifValuesPass int32) { C.Clp_primal(h.model(), C.int(ifValuesPass)) }

func (cgoTable) status(h handle) int32 { return int32(C.Clp_status(h.model())) }

func (cgoTable) secondaryStatus(h handle) int32 { return int32(C.Clp_secondaryStatus(h.model())) }

func (cgoTable) numberIterations(h handle) int32 { return int32(C.Clp_numberIterations(h.model())) }

func (cgoTable) primalColumnSolution(h handle, x []float64) {
	fill(x, (*float64)(C.Clp_primalColumnSolution(h.model())))
}

func (cgoTable) primalRowSolution(h handle, activity []float64) {
	fill(activity, (*float64)(C.Clp_primalRowSolution(h.model())))
}

func (cgoTable) dualRowSolution(h handle, y []float64) {
	fill(y, (*float64)(C.Clp_dualRowSolution(h.model())))
}

func (cgoTable) dualColumnSolution(h handle, d []float64) {
	fill(d, (*float64)(C.Clp_dualColumnSolution(h.model())))
}

func (cgoTable) infeasibilityRay(h handle, ray []float64) bool {
	return C.infeasibility_ray(h.model(), doubles(ray), C.int(len(ray))) != 0
}

func (cgoTable) unboundedRay(h handle, ray []float64) bool {
	return C.unbounded_ray(h.model(), doubles(ray), C.int(len(ray))) != 0
}

// fill copies a C array; CLP has no array at all for an empty dimension.
func fill[T byte | float64](to []T, from *T) {
	if from != nil {
		copy(to, unsafe.Slice(from, len(to)))
	}
}
