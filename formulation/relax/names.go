package relax

import (
	"fmt"
	"slices"
)

// ClassName is a class in a sentence: `job "x"`, `the 4 jobs "x-1" to "x-4"`.
func (m *Model) ClassName(class int) string {
	jobs := m.Classes[class].Jobs
	first, last := m.Instance.Jobs[jobs[0]].Name, m.Instance.Jobs[jobs[len(jobs)-1]].Name
	if len(jobs) == 1 {
		return fmt.Sprintf("job %q", first)
	}
	if slices.IsSorted(jobs) && int(jobs[len(jobs)-1]-jobs[0]) == len(jobs)-1 {
		return fmt.Sprintf("the %d jobs %q to %q", len(jobs), first, last)
	}
	return fmt.Sprintf("the %d jobs like %q", len(jobs), first)
}
