package replay

// heap is a priority queue; the standard library's boxes every element.
type heap[T interface{ before(T) bool }] []T

func (h *heap[T]) push(e T) {
	*h = append(*h, e)
	q := *h
	for k := len(q) - 1; k > 0; {
		up := (k - 1) / 2
		if !q[k].before(q[up]) {
			return
		}
		q[k], q[up] = q[up], q[k]
		k = up
	}
}

// pop removes and returns the first element.
func (h *heap[T]) pop() T {
	q := *h
	n := len(q) - 1
	first := q[0]
	q[0] = q[n]
	q = q[:n]
	*h = q
	for k := 0; ; {
		least := k
		for child := 2*k + 1; child <= 2*k+2 && child < n; child++ {
			if q[child].before(q[least]) {
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
