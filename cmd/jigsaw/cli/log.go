package cli

import (
	"fmt"
	"io"
	"math"
	"math/big"
	"time"

	"jigsaw"
	"jigsaw/formulation/instance"
)

// eventLog prints a line for every new incumbent and bound, but not for each small step of a search. Without
// times it prints all at the end, incumbents first: the events of each side have an
// order that equal runs share, but the order between the sides varies.
type eventLog struct {
	w        io.Writer
	in       *instance.Instance
	timeless bool
	width    int // of a value
	last     jigsaw.Point
	printed  jigsaw.Point // the last one printed
	// incumbents and bounds, by event, if they are held until the end.
	incumbents, bounds []jigsaw.Point
}

func newEventLog(w io.Writer, in *instance.Instance, timeless bool) *eventLog {
	l := &eventLog{w: w, in: in, timeless: timeless, width: 12}
	if in.Objective == instance.WeightedCompletion {
		l.width = 16 // 161.0 s × weight
	}
	l.row("time", "event", "incumbent", "bound", "gap", "columns", "nodes")
	return l
}

func (l *eventLog) row(time, event, incumbent, bound, gap, columns, nodes string) {
	if !l.timeless {
		fmt.Fprintf(l.w, "%9s  ", time)
	}
	fmt.Fprintf(l.w, "%-16s %*s %*s %8s %8s %8s\n", event, l.width, incumbent, l.width, bound, gap, columns, nodes)
}

func (l *eventLog) point(p jigsaw.Point) {
	l.row(fmt.Sprintf("%.2f s", p.Elapsed.Seconds()), p.Event, jigsaw.FormatValue(l.in, p.Primal), jigsaw.FormatValue(l.in, p.Dual),
		Gap(p.Primal, p.Dual, 2), fmt.Sprint(p.Columns), fmt.Sprint(p.Nodes))
}

const (
	// leastStep is the part of its value by which an incumbent is better than the one printed last to get a line at once; others
	// get one if that was logPause ago.
	leastStep = 0.002
	logPause  = time.Second
)

// small reports whether an incumbent is a small step of the search that found the one printed last.
func (l *eventLog) small(p jigsaw.Point) bool {
	if !p.Improves(l.last) || l.printed.Primal == nil || p.Event != l.printed.Event || p.Elapsed-l.printed.Elapsed >= logPause {
		return false
	}
	return jigsaw.Gap(l.printed.Primal, p.Primal) < leastStep
}

// Show is called for every new incumbent and bound.
func (l *eventLog) Show(p jigsaw.Point) {
	switch {
	case !l.timeless:
		if !l.small(p) {
			l.point(p)
			l.printed = p
		}
	case p.Improves(l.last):
		l.incumbents = append(l.incumbents, p)
	default:
		l.bounds = append(l.bounds, p)
	}
	l.last = p
}

// End prints what was held back, and the outcome of the run.
func (l *eventLog) End(r *jigsaw.Result) {
	if r == nil {
		return
	}
	const unknown = "-" // it depends on the timing of the other side's events
	for _, p := range l.incumbents {
		l.row("", p.Event, jigsaw.FormatValue(l.in, p.Primal), unknown, unknown, unknown, unknown)
	}
	columns, nodes := l.last.Columns, l.last.Nodes
	for _, p := range l.bounds {
		columns, nodes = p.Columns, p.Nodes
		l.row("", p.Event, unknown, jigsaw.FormatValue(l.in, p.Dual), unknown, fmt.Sprint(columns), fmt.Sprint(nodes))
	}
	outcome := string(r.Status)
	if r.Status == jigsaw.Unknown {
		outcome = "end"
	}
	l.point(jigsaw.Point{Elapsed: r.Elapsed, Event: outcome, Primal: r.Primal, Dual: r.Dual, Columns: columns, Nodes: nodes})
}

// Gap formats the gap of two values in per cent, with the given number of decimals, if
// there is one.
func Gap(primal, dual *big.Rat, decimals int) string {
	gap := jigsaw.Gap(primal, dual)
	if math.IsNaN(gap) {
		return "-"
	}
	return fmt.Sprintf("%.*f %%", decimals, 100*gap)
}
