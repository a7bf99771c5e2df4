package cli

import (
	"fmt"
	"io"
	"math"
	"math/big"

	"jigsaw"
	"jigsaw/formulation/instance"
)

// eventLog prints a line for every new incumbent and bound. Without times it
// prints them at the end, incumbents first: the events of each side have an
// order that equal runs share, but the order between the sides varies.
type eventLog struct {
	w        io.Writer
	in       *instance.Instance
	timeless bool
	last     jigsaw.Point
	// incumbents and bounds, by event, if they are held until the end.
	incumbents, bounds []jigsaw.Point
}

func newEventLog(w io.Writer, in *instance.Instance, timeless bool) *eventLog {
	l := &eventLog{w: w, in: in, timeless: timeless}
	l.row("time", "event", "incumbent", "bound", "gap", "columns", "nodes")
	return l
}

func (l *eventLog) row(time, event, incumbent, bound, gap, columns, nodes string) {
	if !l.timeless {
		fmt.Fprintf(l.w, "%9s  ", time)
	}
	fmt.Fprintf(l.w, "%-16s %12s %12s %8s %8s %8s\n", event, incumbent, bound, gap, columns, nodes)
}

func (l *eventLog) point(p jigsaw.Point) {
	l.row(fmt.Sprintf("%.2f s", p.Elapsed.Seconds()), p.Event, jigsaw.FormatValue(l.in, p.Primal), jigsaw.FormatValue(l.in, p.Dual),
		Gap(p.Primal, p.Dual, 2), fmt.Sprint(p.Columns), fmt.Sprint(p.Nodes))
}

// Show is called for every new incumbent and bound.
func (l *eventLog) Show(p jigsaw.Point) {
	switch {
	case !l.timeless:
		l.point(p)
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
