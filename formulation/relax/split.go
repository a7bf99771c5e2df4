package relax

import (
	"jigsaw/formulation/instance"
)

// Split returns the model with every job a class of its own.
func (m *Model) Split() *Model {
	out := *m
	out.Classes = nil
	of := make([]int, len(m.Instance.Jobs))
	for c := range m.Classes {
		for _, j := range m.Classes[c].Jobs {
			of[j] = c
		}
	}
	for j := range m.Instance.Jobs {
		d := m.Classes[of[j]]
		d.Jobs = []instance.JobID{instance.JobID(j)}
		d.Job = &m.Instance.Jobs[j]
		out.Classes = append(out.Classes, d)
	}
	return &out
}
