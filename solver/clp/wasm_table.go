package clp

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"sync"
)

// machine is one instance of clp.wasm, on any runtime. One call at a time.
type machine interface {
	// call calls an exported function. All C numbers used here, int, pointer and
	// double, fit in a float64. An error is a trap, after which nothing inside the
	// instance can be relied on.
	call(function string, args ...float64) (float64, error)
	// write and read copy between Go and the memory of the instance.
	write(at uint32, from []byte) error
	read(to []byte, at uint32) error
}

var errNoMemory = errors.New("no memory is left")

// wasmTable reaches CLP in an instance of clp.wasm that belongs to this table alone;
// its models live in one heap. Arrays are copied into that heap for the length of a
// call, and out of it.
type wasmTable struct {
	mu      sync.Mutex
	machine machine
	broken  error // the trap that ended the instance and all its models
}

// lost says whether the instance has trapped.
func (t *wasmTable) lost() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.broken != nil
}

// together runs calls without others in between.
func (t *wasmTable) together(calls func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.broken != nil {
		panic(trap{t.broken})
	}
	calls()
}

// call calls a function with numeric arguments.
func (t *wasmTable) call(function string, args ...float64) float64 {
	result, err := t.machine.call(function, args...)
	if err != nil {
		t.stop(function, err)
	}
	return result
}

func (t *wasmTable) stop(function string, err error) {
	t.broken = fmt.Errorf("clp: WebAssembly stopped in %s, and all models of this instance are lost: load them anew: %w",
		function, err)
	panic(trap{t.broken})
}

// pointer is the address returned by a function; above 2 GiB JavaScript sees a
// negative number.
func pointer(result float64) uint32 { return uint32(int64(result)) }

// invoke calls a function with numbers and arrays as arguments; an empty array is
// C's null.
func (t *wasmTable) invoke(function string, args ...any) (result float64) {
	numbers := make([]float64, len(args))
	var heap []byte               // all arrays, one after the other
	begin := make(map[int]int, 2) // offset of an argument in the heap
	for k, arg := range args {
		before := len(heap)
		switch v := arg.(type) {
		case handle:
			numbers[k] = float64(v)
		case int32:
			numbers[k] = float64(v)
		case float64:
			numbers[k] = v
		case []byte:
			heap = append(heap, v...)
		case []int32:
			for _, x := range v {
				heap = binary.LittleEndian.AppendUint32(heap, uint32(x))
			}
		case []float64:
			for _, x := range v {
				heap = binary.LittleEndian.AppendUint64(heap, math.Float64bits(x))
			}
		}
		if len(heap) > before {
			begin[k] = before
			heap = append(heap, make([]byte, -len(heap)&7)...) // doubles are aligned to 8 bytes
		}
	}
	t.together(func() {
		if len(heap) == 0 {
			result = t.call(function, numbers...)
			return
		}
		block := pointer(t.call("malloc", float64(len(heap))))
		if block == 0 {
			t.stop("malloc", errNoMemory)
		}
		if err := t.machine.write(block, heap); err != nil {
			t.stop("write", err)
		}
		for k, at := range begin {
			numbers[k] = float64(block) + float64(at)
		}
		result = t.call(function, numbers...)
		t.call("free", float64(block))
	})
	return result
}

// fetch copies the array at the address that a function of a model returns, which
// is null if CLP has none.
func (t *wasmTable) fetch(function string, h handle, to []byte, isOurs bool) (found bool) {
	t.together(func() {
		at := pointer(t.call(function, float64(h)))
		if at == 0 {
			return
		}
		found = true
		if err := t.machine.read(to, at); err != nil {
			t.stop("read", err)
		}
		if isOurs {
			t.call("free", float64(at))
		}
	})
	return found
}

func (t *wasmTable) doubles(function string, h handle, to []float64, isOurs bool) bool {
	raw := make([]byte, 8*len(to))
	found := t.fetch(function, h, raw, isOurs)
	if found {
		for k := range to {
			to[k] = math.Float64frombits(binary.LittleEndian.Uint64(raw[8*k:]))
		}
	}
	return found
}

func (t *wasmTable) version() string {
	text := make([]byte, 16)
	t.fetch("Clp_Version", 0, text, false)
	before, _, _ := bytes.Cut(text, []byte{0})
	return string(before)
}

func (t *wasmTable) newModel() handle { return handle(pointer(t.invoke("Clp_newModel"))) }

// deleteModel has nothing to delete in an instance that has trapped.
func (t *wasmTable) deleteModel(h handle) {
	var lost error
	defer trapped(&lost)
	t.invoke("Clp_deleteModel", h)
}

func (t *wasmTable) setLogLevel(h handle, level int32) { t.invoke("Clp_setLogLevel", h, level) }

// makePortable has nothing to do: clp.wasm is built without LAPACK.
func (*wasmTable) makePortable(handle) {}

func (t *wasmTable) loadProblem(h handle, cols, rows int32, start, index []int32, value,
	colLower, colUpper, cost, rowLower, rowUpper []float64) {
	t.invoke("Clp_loadProblem", h, cols, rows, start, index, value, colLower, colUpper, cost, rowLower, rowUpper)
}

func (t *wasmTable) addColumns(h handle, lower, upper, cost []float64, start, rows []int32, values []float64) {
	t.invoke("Clp_addColumns", h, int32(len(cost)), lower, upper, cost, start, rows, values)
}

func (t *wasmTable) chgColumnLower(h handle, lower []float64) {
	t.invoke("Clp_chgColumnLower", h, lower)
}

func (t *wasmTable) chgColumnUpper(h handle, upper []float64) {
	t.invoke("Clp_chgColumnUpper", h, upper)
}

func (t *wasmTable) copyinStatus(h handle, status []byte) {
	t.invoke("Clp_copyinStatus", h, status)
}

func (t *wasmTable) statusArray(h handle, status []byte) {
	t.fetch("Clp_statusArray", h, status, false)
}

func (t *wasmTable) setMaximumIterations(h handle, count int32) {
	t.invoke("Clp_setMaximumIterations", h, count)
}

func (t *wasmTable) setMaximumSeconds(h handle, seconds float64) {
	t.invoke("Clp_setMaximumSeconds", h, seconds)
}

func (t *wasmTable) scaling(h handle, mode int32) { t.invoke("Clp_scaling", h, mode) }

func (t *wasmTable) setPerturbation(h handle, value int32) { t.invoke("Clp_setPerturbation", h, value) }

func (*wasmTable) canInterrupt() bool     { return false }
func (*wasmTable) interrupt(handle, bool) {}

func (t *wasmTable) dual(h handle, ifValuesPass int32) { t.invoke("Clp_dual", h, ifValuesPass) }

func (t *wasmTable) primal(h handle, ifValuesPass int32) { t.invoke("Clp_primal", h, ifValuesPass) }

func (t *wasmTable) status(h handle) int32 { return int32(t.invoke("Clp_status", h)) }

func (t *wasmTable) secondaryStatus(h handle) int32 {
	return int32(t.invoke("Clp_secondaryStatus", h))
}

func (t *wasmTable) numberIterations(h handle) int32 {
	return int32(t.invoke("Clp_numberIterations", h))
}

func (t *wasmTable) primalColumnSolution(h handle, x []float64) {
	t.doubles("Clp_primalColumnSolution", h, x, false)
}

func (t *wasmTable) primalRowSolution(h handle, activity []float64) {
	t.doubles("Clp_primalRowSolution", h, activity, false)
}

func (t *wasmTable) dualRowSolution(h handle, y []float64) {
	t.doubles("Clp_dualRowSolution", h, y, false)
}

func (t *wasmTable) dualColumnSolution(h handle, d []float64) {
	t.doubles("Clp_dualColumnSolution", h, d, false)
}

func (t *wasmTable) infeasibilityRay(h handle, ray []float64) bool {
	return t.doubles("Clp_infeasibilityRay", h, ray, true)
}

func (t *wasmTable) unboundedRay(h handle, ray []float64) bool {
	return t.doubles("Clp_unboundedRay", h, ray, true)
}

// rangeCosts and rangeRows return how far up and down each cost, or each row's
// activity, may go at the optimum; false if CLP cannot.
func (t *wasmTable) rangeCosts(h handle, up, down []float64) bool {
	return t.ends("range_costs", h, up, down)
}

func (t *wasmTable) rangeRows(h handle, up, down []float64) bool {
	return t.ends("range_rows", h, up, down)
}

func (t *wasmTable) ends(function string, h handle, up, down []float64) bool {
	both := make([]float64, len(up)+len(down))
	ok := t.doubles(function, h, both, true)
	copy(down, both[copy(up, both):])
	return ok
}
