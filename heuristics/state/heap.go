package state

// A heap is a list whose first element is one before which none comes.

// Heapify makes a list a heap.
func Heapify[T any](h []T, before func(a, b T) bool) {
	for i := len(h)/2 - 1; i >= 0; i-- {
		SiftDown(h, i, before)
	}
}

// SiftDown restores the heap below index i.
func SiftDown[T any](h []T, i int, before func(a, b T) bool) {
	for {
		c := 2*i + 1
		if c >= len(h) {
			return
		}
		if c+1 < len(h) && before(h[c+1], h[c]) {
			c++
		}
		if !before(h[c], h[i]) {
			return
		}
		h[i], h[c] = h[c], h[i]
		i = c
	}
}

// Push adds an element to a heap.
func Push[T any](h *[]T, x T, before func(a, b T) bool) {
	list := append(*h, x)
	for i := len(list) - 1; i > 0 && before(list[i], list[(i-1)/2]); i = (i - 1) / 2 {
		list[i], list[(i-1)/2] = list[(i-1)/2], list[i]
	}
	*h = list
}

// Pop removes the first element of a heap.
func Pop[T any](h *[]T, before func(a, b T) bool) T {
	list, last := *h, len(*h)-1
	first := list[0]
	list[0] = list[last]
	*h = list[:last]
	SiftDown(*h, 0, before)
	return first
}
