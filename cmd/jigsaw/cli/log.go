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
// prints them at the end, incumbents first: each side's events come in an order
// of their own that equal runs share, but which side is first does not repeat.
type eventLog struct {
	w        io.Writer
	in       *instance.Instance
	timeless bool
	last     jigsaw.Point
	// incumbents and bounds, by event, where they wait for the end.
	incumbents, bounds []jigsaw.Point
}

func newEventLog(w io.Writer, in *instance.Instance, timeless bool) *eventLog {
	l := &eventLog{w: w, in: in, timeless: timeless}
	l.row("time", "event", "incumbent", "bound", "gap", "columns", "nodes")
	return l
}

func (l *eventLog) row(time, event, incumbent, bound, gap, columns, nodes string) {
	if !l.timeless {
		fmt.Fprintf(l.w, "%10s  ", time)
	}
	fmt.Fprintf(l.w, "%-16s %12s %12s %9s %9s %9s\n", event, incumbent, bound, gap, columns, nodes)
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

// End prints what was kept back, and what the run came to.
func (l *eventLog) End(r *jigsaw.Result) {
	if r == nil {
		return
	}
	const unknown = "-" // it depends on when the other side's events came
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

// Gap writes the gap of two values in per cent, with so many decimals, where there is one.
func Gap(primal, dual *big.Rat, decimals int) string {
	gap := jigsaw.Gap(primal, dual)
	if math.IsNaN(gap) {
		return "-"
	}
	return fmt.Sprintf("%.*f %%", decimals, 100*gap)
}
