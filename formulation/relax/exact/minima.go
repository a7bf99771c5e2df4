package exact

import (
	"math/bits"
)

// Minima answers range minimum queries over a list.
type Minima struct {
	level [][]int64 // level[k][i] is the least of 2^k entries from i
}

// NewMinima prepares a list for [Minima.Least].
func NewMinima(list []int64) *Minima {
	r := &Minima{level: [][]int64{list}}
	for step := 1; 2*step <= len(list); step *= 2 {
		below := r.level[len(r.level)-1]
		above := make([]int64, len(list)-2*step+1)
		for i := range above {
			above[i] = min(below[i], below[i+step])
		}
		r.level = append(r.level, above)
	}
	return r
}

// Least returns the least of the entries from first to last, both included.
func (r *Minima) Least(first, last int) int64 {
	k := bits.Len(uint(last-first+1)) - 1
	return min(r.level[k][first], r.level[k][last-(1<<k)+1])
}
