package bench

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"jigsaw/formulation/instance"
)

// Ablation prints the value of methods: by how much the values of rows planned without them
// are worse than those of the same rows planned with them by the same work. The records to
// compare with are those that leave out only what all others leave out, too.
func Ablation(w io.Writer, records []Record) error {
	sets, rows := map[string]bool{}, map[string]map[Row]*Record{}
	for i := range records {
		r := &records[i]
		if r.Solver != JigSaw || r.Work == 0 || r.Primal == nil {
			continue
		}
		if sets[r.Without] = true; rows[r.Without] == nil {
			rows[r.Without] = map[Row]*Record{}
		}
		rows[r.Without][r.Row] = r
	}
	base, ok := common(sets)
	if !ok {
		return errors.New("bench: none of the runs with fixed work (--work) leaves out only what all others do: measure the rows with everything")
	}
	var found []ablated
	for without := range sets {
		if without != base {
			found = append(found, ablate(without, base, rows[without], rows[base]))
		}
	}
	slices.SortFunc(found, func(a, b ablated) int { return cmp.Compare(a.name, b.name) })
	slices.SortStableFunc(found, func(a, b ablated) int { return cmp.Compare(b.all.mean(), a.all.mean()) })
	fmt.Fprintf(w, "Change of values without a method, in percent; + is worse. Left out of all runs: %s.\n\n", cmp.Or(base, "nothing"))
	fmt.Fprintln(w, "| without | rows | mean | ± | worse / better | CPU | makespan | weighted | throughput | most where |")
	fmt.Fprintln(w, "|---|--:|--:|--:|--:|--:|--:|--:|--:|---|")
	for _, a := range found {
		most, at := math.Inf(-1), ""
		for _, name := range a.groups {
			if m := a.of[name].mean(); m > most {
				most, at = m, name
			}
		}
		fmt.Fprintf(w, "| %s | %d | %+.2f | %.2f | %d / %d | %+.0f | %s | %s | %s | %s %+.2f |\n", a.name, len(a.all), a.all.mean(), a.all.error(), a.worse, a.better,
			100*(math.Exp(a.cpu.mean()/100)-1), a.by[instance.Makespan].text(), a.by[instance.WeightedCompletion].text(), a.by[instance.Throughput].text(), at, most)
	}
	return nil
}

// common returns the set of names that all others contain.
func common(sets map[string]bool) (base string, ok bool) {
	for s := range sets {
		if !ok || len(s) < len(base) {
			base, ok = s, true
		}
	}
	for s := range sets {
		for name := range strings.SplitSeq(base, ",") {
			ok = ok && (base == "" || slices.Contains(strings.Split(s, ","), name))
		}
	}
	return base, ok
}

// ablated holds the results of rows without a method.
type ablated struct {
	name          string
	all, cpu      changes
	worse, better int
	by            map[instance.Objective]changes
	of            map[string]changes // per size, regime and objective
	groups        []string           // in the order of the rows
}

// changes in percent of the logarithm.
type changes []float64

func ablate(without, base string, these, those map[Row]*Record) ablated {
	a := ablated{by: map[instance.Objective]changes{}, of: map[string]changes{}}
	left := strings.Split(base, ",")
	a.name = strings.Join(slices.DeleteFunc(strings.Split(without, ","), func(n string) bool { return slices.Contains(left, n) }), ", ")
	list, _ := Selection{Seeds: math.MaxUint8}.Rows()
	for _, row := range list {
		with, of := those[row], these[row]
		if with == nil || of == nil {
			continue
		}
		change := 100 * math.Log(*of.Primal / *with.Primal)
		if row.Objective.Periodic() {
			change = -change
		}
		switch {
		case change > 0:
			a.worse++
		case change < 0:
			a.better++
		}
		a.all = append(a.all, change)
		a.cpu = append(a.cpu, 100*math.Log(of.CPU/with.CPU))
		a.by[row.Objective] = append(a.by[row.Objective], change)
		group := fmt.Sprintf("%s %s %s", row.Size, row.Regime, row.Objective)
		if a.of[group] == nil {
			a.groups = append(a.groups, group)
		}
		a.of[group] = append(a.of[group], change)
	}
	return a
}

func (c changes) mean() float64 {
	sum := 0.0
	for _, v := range c {
		sum += v
	}
	return sum / float64(len(c))
}

// error is the standard error of the mean.
func (c changes) error() float64 {
	sum, mean := 0.0, c.mean()
	for _, v := range c {
		sum += (v - mean) * (v - mean)
	}
	return math.Sqrt(sum / float64(len(c)) / max(1, float64(len(c)-1)))
}

func (c changes) text() string {
	if len(c) == 0 {
		return ""
	}
	return fmt.Sprintf("%+.2f", c.mean())
}
