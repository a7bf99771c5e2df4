package fluid

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
)

// reasons says which rows a proof of infeasibility uses, those with the largest
// prices first.
func (f *Program) reasons(prices []*big.Int) []string {
	type part struct {
		subject string
		weight  *big.Int
	}
	var parts []part
	index := map[string]int{}
	for i := range f.Linear.Rows {
		r := &f.Linear.Rows[i]
		if r.About.Resource == "" || prices[i].Sign() == 0 {
			continue
		}
		weight := new(big.Int).Mul(prices[i], big.NewInt(max(1, r.Rhs, -r.Rhs)))
		at, ok := index[r.About.Subject]
		if !ok {
			at = len(parts)
			index[r.About.Subject] = at
			parts = append(parts, part{r.About.Subject, new(big.Int)})
		}
		parts[at].weight.Add(parts[at].weight, weight.Abs(weight))
	}
	slices.SortStableFunc(parts, func(a, b part) int { return b.weight.Cmp(a.weight) })
	var subjects []string
	for _, p := range parts[:min(len(parts), 3)] {
		subjects = append(subjects, p.subject)
	}
	if subjects == nil {
		return []string{"the jobs cannot all be placed, even when they are spread fractionally over the cluster"}
	}
	return []string{fmt.Sprintf("the jobs need more than there is, even when they are spread fractionally over the cluster: %s",
		strings.Join(subjects, "; "))}
}
