package bench

import (
	"fmt"
	"io"
	"math"
	"math/big"
	"slices"
)

// PeerTable writes JigSaw beside the other solvers as Markdown, on the seeds that a peer was
// measured on. For every group of rows, among the peers measured on most of its seeds the best is
// the one that proves the optimum soonest or, if none does, the one with the smallest gap. The
// ratio is over the seeds of that peer.
func PeerTable(w io.Writer, records []Record) {
	var peers []string
	for i := range records {
		if s := records[i].Solver; s != JigSaw && !slices.Contains(peers, s) {
			peers = append(peers, s)
		}
	}
	slices.Sort(peers)
	heading(w, "JigSaw and other solvers", records, append([]string{JigSaw}, peers...)...)
	fmt.Fprint(w, "Each solver: seconds to the proven optimum, or else its gap at the limit. Of a solver with * the model forgets some\n"+
		"rules, so that its value need not be a schedule's; its bound holds. n seeds, where a solver was\n"+
		"not measured on all of the row's. The ratio is the best peer's time over JigSaw's, or its gap over JigSaw's.\n\n")
	fmt.Fprint(w, "| size | objective | regime | seeds | jigsaw |")
	line := "|---|---|---|--:|--:|"
	for _, p := range peers {
		fmt.Fprintf(w, " %s%s |", p, star(records, p))
		line += "--:|"
	}
	fmt.Fprintf(w, " best peer | ratio |\n%s--:|--:|\n", line)

	byPeer := map[string][]group{}
	for _, p := range peers {
		byPeer[p] = groupsOf(records, p)
	}
	for _, ours := range groupsOf(records, JigSaw) {
		others := make([]*group, len(peers))
		best := -1
		for i, p := range peers {
			others[i] = find(byPeer[p], &ours)
			if others[i] != nil && (best < 0 || others[i].ahead(others[best])) {
				best = i
			}
		}
		if best < 0 {
			continue
		}
		ours.records = slices.DeleteFunc(ours.records, func(r Record) bool {
			return !slices.ContainsFunc(others, func(o *group) bool { return o.has(r.Seed) })
		})
		fmt.Fprintf(w, "| %s | %s | %s | %d | %s |", ours.size, ours.objective, ours.regime, len(ours.records), ours.cell())
		for _, o := range others {
			if o == nil {
				fmt.Fprint(w, " – |")
				continue
			}
			fmt.Fprintf(w, " %s%s |", o.cell(), o.seeds(len(ours.records)))
		}
		ours.records = slices.DeleteFunc(ours.records, func(r Record) bool { return !others[best].has(r.Seed) })
		fmt.Fprintf(w, " %s | %s |\n", peers[best], ratio(&ours, others[best]))
	}
	summaries(w, records, peers)
	failures(w, records, func(solver string) bool { return solver != JigSaw })
	if found := Contradictions(records); len(found) > 0 {
		fmt.Fprint(w, "\nContradictions, in which one of the two is wrong:\n\n")
		for _, c := range found {
			fmt.Fprintf(w, "* %s\n", c)
		}
	}
}

// summaries summarises in a sentence for each peer the rows it was measured on.
func summaries(w io.Writer, records []Record, peers []string) {
	ours := map[Row]*Record{}
	for i := range records {
		if records[i].Solver == JigSaw {
			ours[records[i].Row] = &records[i]
		}
	}
	proven := func(r *Record) bool { return r.TimeToOptimum != nil }
	for _, peer := range peers {
		rows, we, it := 0, 0, 0
		neither, theirs := group{}, group{} // rows that neither proves
		var times []float64
		smaller, better, worse := 0, 0, 0
		for i := range records {
			r := &records[i]
			o := ours[r.Row]
			if r.Solver != peer || o == nil {
				continue
			}
			rows++
			if proven(o) {
				we++
			}
			if proven(r) {
				it++
			}
			switch {
			case proven(o) && proven(r):
				times = append(times, *r.TimeToOptimum / *o.TimeToOptimum)
			case !proven(o) && !proven(r):
				neither.records, theirs.records = append(neither.records, *o), append(theirs.records, *r)
				if gapOf(o) < gapOf(r) {
					smaller++
				}
				if !r.Relaxed && o.Primal != nil && r.Primal != nil && *o.Primal != *r.Primal {
					if o.Objective.Better(new(big.Rat).SetFloat64(*o.Primal), new(big.Rat).SetFloat64(*r.Primal)) {
						better++
					} else {
						worse++
					}
				}
			}
		}
		if rows == 0 {
			continue
		}
		fmt.Fprintf(w, "\nOf %d rows JigSaw proves %d optimal, %s%s %d.", rows, we, peer, star(records, peer), it)
		if n := len(times); n > 0 {
			slices.Sort(times)
			fmt.Fprintf(w, " On the %d that both prove JigSaw has the proof %.1f times as fast in the median.", n, times[n/2])
		}
		if n := len(neither.records); n > 0 {
			fmt.Fprintf(w, " On the %d that neither proves its gap is the smaller %d times, %s against %s in the median", n, smaller, neither.cell(), theirs.cell())
			if better+worse > 0 {
				fmt.Fprintf(w, "; its schedule is the better one in %d, and the worse one in %d", better, worse)
			}
			fmt.Fprint(w, ".")
		}
		fmt.Fprintln(w)
	}
}

// relative tolerance of values that solvers return in floating point.
const tolerance = 1e-6

// Contradictions lists, in sentences, where one solver's bound is better than another's
// schedule for the same instance.
func Contradictions(records []Record) []string {
	var found []string
	for i := range records {
		for j := range records {
			a, b := &records[i], &records[j]
			if a.Row != b.Row || a.Digest != b.Digest || a.Relaxed || a.Primal == nil || b.Dual == nil {
				continue
			}
			excess := *b.Dual - *a.Primal // excess of a bound that is too strong
			if a.Objective.Periodic() {
				excess = -excess
			}
			if excess > tolerance*max(1, math.Abs(*a.Primal)) {
				found = append(found, fmt.Sprintf("%v: %s has a schedule of %g, %s a bound of %g", a.Row, a.Solver, *a.Primal, b.Solver, *b.Dual))
			}
		}
	}
	return found
}

// star marks a solver whose models are relaxed.
func star(records []Record, solver string) string {
	for i := range records {
		if records[i].Solver == solver && records[i].Relaxed {
			return "*"
		}
	}
	return ""
}

// has reports whether the group has a record of the seed.
func (g *group) has(seed uint64) bool {
	return g != nil && slices.ContainsFunc(g.records, func(r Record) bool { return r.Seed == seed })
}

// find returns the group of the same rows, on seeds that the other also has; nil if there
// is none.
func find(groups []group, as *group) *group {
	for _, g := range groups {
		if g.size == as.size && g.objective == as.objective && g.regime == as.regime {
			g.records = slices.DeleteFunc(slices.Clone(g.records), func(r Record) bool { return !as.has(r.Seed) })
			if len(g.records) > 0 {
				return &g
			}
		}
	}
	return nil
}

// ahead reports whether g did better than o.
func (g *group) ahead(o *group) bool {
	if a, b := len(g.records), len(o.records); a != b {
		return a > b
	}
	if a, b := g.median(timeToOptimumOf), o.median(timeToOptimumOf); a != b {
		return a < b
	}
	return g.median(gapOf) < o.median(gapOf)
}

// seeds gives their number if it is not all.
func (g *group) seeds(all int) string {
	if len(g.records) == all {
		return ""
	}
	return fmt.Sprintf(" (n = %d)", len(g.records))
}

// cell is the group's result: time to the optimum, or gap.
func (g *group) cell() string {
	if t := g.median(timeToOptimumOf); !math.IsInf(t, 0) {
		return seconds(t, g.limit()) + " s"
	}
	if gap := g.median(gapOf); !math.IsInf(gap, 0) {
		return percent(gap)
	}
	return "no plan"
}

// ratio of a peer's result to ours: of times if one of them proved the optimum, otherwise
// of gaps.
func ratio(ours, peer *group) string {
	a, b := ours.median(timeToOptimumOf), peer.median(timeToOptimumOf)
	switch {
	case !math.IsInf(a, 0) && !math.IsInf(b, 0):
		return fmt.Sprintf("%.1f x time", b/a)
	case !math.IsInf(a, 0):
		return fmt.Sprintf("> %.1f x time", peer.limit()/a)
	case !math.IsInf(b, 0):
		return fmt.Sprintf("< %.2g x time", b/ours.limit())
	}
	a, b = ours.median(gapOf), peer.median(gapOf)
	switch {
	case math.IsInf(a, 0):
		return "–"
	case math.IsInf(b, 0):
		return "no plan"
	case a == 0:
		return "–"
	}
	return fmt.Sprintf("%.1f x gap", b/a)
}
