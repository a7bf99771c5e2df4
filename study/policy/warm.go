package policy

import "jigsaw/solver"

// warmStart is what one allocation passes to the next one, whose jobs are mostly the
// same with nearly the same progress.
type warmStart struct {
	ids   []int   // of the allocated jobs
	ratio float64 // the last value of finish-time fairness; 0 for none
	jobs  map[int]jobStatus
	room  []solver.VarStatus
	value solver.VarStatus
}

// jobStatus is the basis status of the columns and rows of a job.
type jobStatus struct {
	cols       []solver.VarStatus // by GPU type
	part, goal solver.VarStatus
}

// basis makes a basis for the program of a; nil if there is nothing to start from.
func (w *warmStart) basis(a *allocator) *solver.Basis {
	if w == nil || w.jobs == nil {
		return nil
	}
	b := &solver.Basis{Cols: make([]solver.VarStatus, a.problem.Cols()), Rows: make([]solver.VarStatus, a.problem.Rows())}
	for i, id := range w.ids {
		of, known := w.jobs[id]
		if !known {
			of = newcomer(a.jobs[i].Rate)
		}
		for t, col := range a.cols[i] {
			if col >= 0 {
				b.Cols[col] = of.cols[t]
			}
		}
		b.Rows[a.part[i]], b.Rows[a.goal[i]] = of.part, of.goal
	}
	for t, row := range a.room {
		b.Rows[row] = w.room[t]
	}
	b.Cols[a.value] = w.value
	return b
}

// newcomer gets its requirement on its fastest type.
func newcomer(rate []float64) jobStatus {
	s := jobStatus{cols: make([]solver.VarStatus, len(rate)), part: solver.Basic}
	fastest := 0
	for t, r := range rate {
		if r > rate[fastest] {
			fastest = t
		}
	}
	s.cols[fastest] = solver.Basic
	return s
}

// keep stores the basis of the last solution of a, and its ratio.
func (w *warmStart) keep(a *allocator, ratio float64) {
	if w == nil || a.basis == nil {
		return
	}
	w.ratio, w.jobs, w.room = ratio, make(map[int]jobStatus, len(w.ids)), w.room[:0]
	for i, id := range w.ids {
		of := jobStatus{cols: make([]solver.VarStatus, len(a.cols[i])), part: a.basis.Rows[a.part[i]], goal: a.basis.Rows[a.goal[i]]}
		for t, col := range a.cols[i] {
			if col >= 0 {
				of.cols[t] = a.basis.Cols[col]
			}
		}
		w.jobs[id] = of
	}
	for _, row := range a.room {
		w.room = append(w.room, a.basis.Rows[row])
	}
	w.value = a.basis.Cols[a.value]
}
