package state

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// Parallel calls f(0) to f(n-1) on all cores, in no particular order, and returns
// when all have returned.
func Parallel(n int, f func(i int)) { ParallelBut(0, n, f) }

// ParallelBut is [Parallel] with some cores left out if there are others.
func ParallelBut(spare, n int, f func(i int)) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(max(1, runtime.GOMAXPROCS(0)-spare), n) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				f(i)
			}
		}()
	}
	wg.Wait()
}
