package classical

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"jigsaw/study/bench"
)

// excess says by how much a ratio is above or below 1.
func excess(ratio *float64) string {
	if ratio == nil {
		return "–"
	}
	return percent(*ratio)
}

func percent(ratio float64) string {
	if math.IsInf(ratio, 0) {
		return "–"
	}
	return fmt.Sprintf("%+.2f %%", 100*(ratio-1))
}

// spread is the median and the worst of a ratio over the records. An absent one is worse than
// any, and for an even number the worse of the two in the middle is the median.
func spread(records []Record, ratio func(*Record) *float64, absent float64) string {
	values := make([]float64, len(records))
	for i := range records {
		values[i] = absent
		if v := ratio(&records[i]); v != nil && records[i].Status != bench.Failed {
			values[i] = *v
		}
	}
	slices.Sort(values)
	if absent < 1 {
		slices.Reverse(values)
	}
	return percent(values[len(values)/2]) + " | " + percent(values[len(values)-1])
}

// Table writes the records as Markdown: the families, then each row of those with unknown
// optimum.
func Table(w io.Writer, records []Record) {
	var c bench.Conditions
	for i := range records {
		c.Add(fmt.Sprintf("%g s", records[i].Limit), &records[i].Origin)
	}
	fmt.Fprint(w, "# Classical families\n\n")
	fmt.Fprintf(w, "How far values are above the optimum, or for %s the best value known; bounds are below it. %s\n\n", Unrelated, &c)
	fmt.Fprint(w, "| family | rows | proven | exclusive, median | worst | plan, median | worst | bound, median | worst | failed |\n")
	fmt.Fprint(w, "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n")
	for _, f := range Families() {
		list := of(records, f)
		if len(list) == 0 {
			continue
		}
		proven, failed := 0, 0
		for i := range list {
			switch list[i].Status {
			case "optimal":
				proven++
			case bench.Failed:
				failed++
			}
		}
		fmt.Fprintf(w, "| %s | %d | %d | %s | %s | %s | %d |\n", name(f), len(list), proven,
			spread(list, func(r *Record) *float64 { return r.Exclusive }, math.Inf(1)),
			spread(list, func(r *Record) *float64 { return r.Plan }, math.Inf(1)),
			spread(list, func(r *Record) *float64 { return r.Bound }, math.Inf(-1)), failed)
	}
	open := of(records, Unrelated)
	if len(open) > 0 {
		fmt.Fprintf(w, "\n## %s\n\n| row | exclusive | greedy | plan | bound | wall s |\n|---|--:|--:|--:|--:|--:|\n", name(Unrelated))
	}
	for i := range open {
		r := &open[i]
		fmt.Fprintf(w, "| %s | %s | %s | %s | %s | %.1f |\n", r.Name, excess(r.Exclusive), excess(r.Greedy), excess(r.Plan), excess(r.Bound), r.Wall)
	}
	for i := range records {
		if r := &records[i]; r.Status == bench.Failed {
			fmt.Fprintf(w, "\n* %s %s: %s\n", name(r.Family), r.Name, strings.Join(strings.Fields(r.Error), " "))
		}
	}
}

// name of a family with escaped bars, which would end a cell.
func name(f Family) string { return strings.ReplaceAll(string(f), "|", `\|`) }

// of returns the records of a family.
func of(records []Record, f Family) []Record {
	var list []Record
	for i := range records {
		if records[i].Family == f {
			list = append(list, records[i])
		}
	}
	return list
}
