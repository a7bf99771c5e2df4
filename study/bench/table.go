package bench

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// group is a line of a table: the records of one solver on the seeds of one
// size, regime and objective.
type group struct {
	size, regime, objective string
	records                 []Record
}

// groupsOf collects the records of a solver, in the order of [Selection.Rows].
func groupsOf(records []Record, solver string) []group {
	var found []group
	for _, size := range Sizes() {
		for _, objective := range Objectives() {
			for _, regime := range Regimes() {
				g := group{size.Name, string(regime), string(objective), nil}
				for _, r := range records {
					if r.Solver == solver && r.Size == size.Name && r.Regime == regime && r.Objective == objective {
						g.records = append(g.records, r)
					}
				}
				if len(g.records) > 0 {
					found = append(found, g)
				}
			}
		}
	}
	return found
}

// count returns the number of records with a status.
func (g *group) count(status string) (n int) {
	for i := range g.records {
		if g.records[i].Status == status {
			n++
		}
	}
	return n
}

// median of a figure over the records; +Inf stands for a figure that a record has not reached, and a failed
// one has reached none. For an even number the larger of the two in the middle counts, so that nothing
// looks better than half the seeds show.
func (g *group) median(figure func(*Record) float64) float64 {
	values := make([]float64, len(g.records))
	for i := range g.records {
		values[i] = math.Inf(1)
		if g.records[i].Status != Failed {
			values[i] = figure(&g.records[i])
		}
	}
	slices.Sort(values)
	return values[len(values)/2]
}

// limit is the longest of the records' limits.
func (g *group) limit() (longest float64) {
	for i := range g.records {
		longest = max(longest, g.records[i].Limit)
	}
	return longest
}

// optional returns a figure that may be absent.
func optional(v *float64) float64 {
	if v == nil {
		return math.Inf(1)
	}
	return *v
}

func gapOf(r *Record) float64           { return optional(r.Gap) }
func timeToOptimumOf(r *Record) float64 { return optional(r.TimeToOptimum) }

// distanceOf is the distance of the value from the optimum known by
// construction.
func distanceOf(r *Record) float64 {
	if r.Primal == nil || r.Optimum == nil {
		return math.Inf(1)
	}
	return math.Abs(*r.Primal-*r.Optimum) / math.Abs(*r.Optimum)
}

func percent(v float64) string {
	if math.IsInf(v, 0) {
		return "–"
	}
	return fmt.Sprintf("%.2f %%", 100*v)
}

// seconds of a time that was censored at the limit.
func seconds(v, limit float64) string {
	switch {
	case math.IsInf(v, 0):
		return fmt.Sprintf("> %.0f", limit)
	case v < 10:
		return fmt.Sprintf("%.2f", v)
	}
	return fmt.Sprintf("%.0f", v)
}

// whole is an optional count.
func whole(v float64) string {
	if math.IsInf(v, 0) {
		return "–"
	}
	return fmt.Sprintf("%.0f", v)
}

// memory is an optional amount in bytes.
func memory(v float64) string {
	if math.IsInf(v, 0) {
		return "–"
	}
	return bytesText(int64(v))
}

// megabytes is the size of a file.
func megabytes(v float64) string {
	if math.IsInf(v, 0) {
		return "–"
	}
	return fmt.Sprintf("%.2f MB", v/1e6)
}

func counter(v *int64) float64 {
	if v == nil {
		return math.Inf(1)
	}
	return float64(*v)
}

// Table writes JigSaw's records as Markdown: medians over seeds, by size,
// objective and regime.
func Table(w io.Writer, records []Record) {
	heading(w, "JigSaw", records, JigSaw)
	var short, long []group
	for _, g := range groupsOf(records, JigSaw) {
		if g.regime == string(Long) {
			long = append(long, g)
		} else {
			short = append(short, g)
		}
	}
	if len(short) > 0 {
		shortTable(w, short)
	}
	if len(long) > 0 {
		longTable(w, long)
	}
	failures(w, records, func(solver string) bool { return solver == JigSaw })
}

// longTable is the table of jobs of hours.
func longTable(w io.Writer, list []group) {
	fmt.Fprint(w, "\nOf jobs of hours, how much a plan is below the baselines, which are at full depth: queue, exclusive, interleaved-full:\n\n")
	fmt.Fprint(w, "| size | objective | seeds | gap | below queue | below exclusive | below interleaved-full | wall s | memory | plan file | failed |\n")
	fmt.Fprint(w, "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n")
	for _, g := range list {
		below := func(of func(*Record) *float64) string {
			return percent(-g.median(func(r *Record) float64 {
				if of(r) == nil || r.Primal == nil {
					return math.Inf(1)
				}
				return *r.Primal / *of(r) - 1
			}))
		}
		fmt.Fprintf(w, "| %s | %s | %d | %s | %s | %s | %s | %s | %s | %s | %d |\n", g.size, g.objective, len(g.records), percent(g.median(gapOf)),
			below(func(r *Record) *float64 { return r.Queue }), below(func(r *Record) *float64 { return r.Exclusive }),
			below(func(r *Record) *float64 { return r.InterleavedFull }), seconds(g.median(func(r *Record) float64 { return r.Wall }), g.limit()),
			memory(g.median(func(r *Record) float64 { return float64(r.PeakMemory) })), megabytes(g.median(func(r *Record) float64 { return float64(r.PlanFile) })),
			g.count(Failed))
	}
}

// shortTable is the table of plans of seconds.
func shortTable(w io.Writer, list []group) {
	fmt.Fprint(w, "| size | objective | regime | seeds | optimal | gap | from optimum | s to 5 % | s to 2 % | s to 1 % | s to optimum | wall s | columns | nodes | memory | failed |\n")
	fmt.Fprint(w, "|---|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n")
	for _, g := range list {
		limit := g.limit()
		at := func(figure func(*Record) float64) string { return seconds(g.median(figure), limit) }
		fmt.Fprintf(w, "| %s | %s | %s | %d | %d | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %d |\n",
			g.size, g.objective, g.regime, len(g.records), g.count("optimal"),
			percent(g.median(gapOf)), percent(g.median(distanceOf)),
			at(func(r *Record) float64 { return optional(r.TimeTo5) }),
			at(func(r *Record) float64 { return optional(r.TimeTo2) }),
			at(func(r *Record) float64 { return optional(r.TimeTo1) }),
			at(timeToOptimumOf), at(func(r *Record) float64 { return r.Wall }),
			whole(g.median(func(r *Record) float64 { return counter(r.Columns) })),
			whole(g.median(func(r *Record) float64 { return counter(r.Nodes) })),
			memory(g.median(func(r *Record) float64 { return float64(r.PeakMemory) })),
			g.count(Failed))
	}
}

// heading writes a title and the conditions under which the records were made.
func heading(w io.Writer, title string, records []Record, solvers ...string) {
	var c Conditions
	for i := range records {
		if r := &records[i]; slices.Contains(solvers, r.Solver) {
			c.Add(fmt.Sprintf("%s %.0f s", r.Size, r.Limit), &r.Origin)
		}
	}
	fmt.Fprintf(w, "# %s\n\nMedians over seeds. %s\n", title, &c)
	fmt.Fprint(w, "`>` means not reached within the limit, – not known. The gap is |primal - dual| / |primal|.\n\n")
}

// failures lists the rows that failed.
func failures(w io.Writer, records []Record, of func(solver string) bool) {
	first := true
	for i := range records {
		if r := &records[i]; r.Status == Failed && of(r.Solver) {
			if first {
				fmt.Fprint(w, "\nFailed:\n\n")
			}
			first = false
			fmt.Fprintf(w, "* %v, %s: %s\n", r.Row, r.Solver, strings.Join(strings.Fields(r.Error), " "))
		}
	}
}
