package replay

// heap is a priority queue; that of the standard library boxes every element.
type heap[T any] struct {
	items  []T // the first comes before all others
	before func(a, b T) bool
}

func (h *heap[T]) push(e T) {
	h.items = append(h.items, e)
	q := h.items
	for k := len(q) - 1; k > 0; {
		up := (k - 1) / 2
		if !h.before(q[k], q[up]) {
			return
		}
		q[k], q[up] = q[up], q[k]
		k = up
	}
}

// pop removes and returns the first element.
func (h *heap[T]) pop() T {
	q := h.items
	n := len(q) - 1
	first := q[0]
	q[0] = q[n]
	q = q[:n]
	h.items = q
	for k := 0; ; {
		least := k
		for child := 2*k + 1; child <= 2*k+2 && child < n; child++ {
			if h.before(q[child], q[least]) {
				least = child
			}
		}
		if least == k {
			return first
		}
		q[k], q[least] = q[least], q[k]
		k = least
	}
}
