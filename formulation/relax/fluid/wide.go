package fluid

import (
	"jigsaw/formulation/relax/exact"
	"jigsaw/formulation/relax/linear"
)

// wide adds (27), about jobs A with a worker on every GPU. In each iteration of another job B the longest task, of
// p_B ticks or more, runs on some GPU between two tasks of A. These belong to two iterations of A, which take l_A
// ticks each and what A loses against its chain. Of these, a task of B that delays neither has at most s_A + 2 rho
// ticks, where rho = l_A - s_A - p_A is the slack of the shortest task of A. Two iterations of B, which are s_B ticks
// apart, may have their longest tasks before and after the tasks of one iteration of A, on different GPUs, and then
// share l_A - s_B ticks of it. With n_A and n_B jobs of the classes,
//
//	(27) l_A does[A] / n_A + max(0, p_B - s_A - max(2 rho, l_A - s_A - s_B)) does[B] / n_B <= period.
//
// Gangs on all GPUs exclude one another, so what they cost A adds up; but iterations of two of them may follow one
// another at once, and tasks of A may run where shallow tasks of a gang have ended and its longest has not:
//
//	(28) l_A does[A] / n_A + sum_B max(0, p_B - s_A - max(2 rho, l_A - s_A)) does[B] <= period.
//
// If A is a gang, its longest task leaves no time before any of its tasks: in both rows rho replaces the maximum.
func (f *Program) wide() {
	gpus := f.total()
	everywhere := func(s *Shape) bool { return int64(s.Class.Job.Workers) == gpus }
	for a := range f.Shapes {
		A := &f.Shapes[a]
		if !everywhere(A) || A.Class.Sync == 0 {
			continue
		}
		shortest := int64(exact.Never)
		for _, t := range A.Class.Shortest {
			if t >= 0 {
				shortest = min(shortest, int64(t))
			}
		}
		step, sync := int64(A.Class.Iteration), int64(A.Class.Sync)
		slack := max(0, step-sync-shortest)
		gangs := -1 // row (28)
		for b := range f.Shapes {
			B := &f.Shapes[b]
			together := everywhere(B) && B.Class.Job.Gang
			free := sync + slack
			if !A.Class.Job.Gang {
				apart := int64(B.Class.Sync)
				if together { // the next may be of another gang
					apart = 0
				}
				free = max(free+slack, step-apart)
			}
			beyond := int64(B.Class.Full) - free
			if a == b || beyond <= 0 {
				continue
			}
			row, times := gangs, int64(1) // of the row
			if !together {
				times = B.Jobs
			}
			if row < 0 || !together {
				row = f.Linear.Row(A.ID+"."+B.ID+".wide", linear.AtMost, exact.Multiply(f.Period, A.Jobs*times), linear.About{})
				for _, x := range A.does {
					f.Linear.Term(row, x, exact.Multiply(step, times))
				}
			}
			if together {
				gangs = row
			}
			for _, x := range B.does {
				f.Linear.Term(row, x, exact.Multiply(beyond, A.Jobs))
			}
		}
	}
}
