package instance

// Partition divides the numbers from 0 to n - 1 into sets; NewPartition has each by itself.
type Partition []int

// NewPartition returns n sets.
func NewPartition(n int) Partition { return UpTo[int](n) }

// Of returns the number that stands for the set of i.
func (p Partition) Of(i int) int {
	for p[i] != i {
		p[i] = p[p[i]]
		i = p[i]
	}
	return i
}

// Join makes the sets of i and j one, for which the number stands that stood for that of j.
func (p Partition) Join(i, j int) { p[p.Of(i)] = p.Of(j) }
