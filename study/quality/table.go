package quality

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Markdown writes the result as tables.
func (r *Result) Markdown(w io.Writer) error {
	t := &writer{w: w}
	t.line("%d seeds, %d epochs of %d samples in batches of %d, %d samples held out.",
		r.Seeds, r.Epochs, trainSize, batchSize, r.Samples-trainSize)
	if len(r.Rates[0].Losses) > 0 {
		t.line("Base rates, by held-out loss of full backpropagation with one worker, over %d other seeds:", searchSeeds)
		t.line("")
		t.rates(r.Rates)
	} else {
		t.line("Base rate %g, as given.", r.Rates[0].Rate)
	}
	for i := range r.Rates {
		t.model(r.of(r.Rates[i].Model))
	}
	return t.err
}

// of returns the cells of a model.
func (r *Result) of(m Model) (cells []*Cell) {
	for _, c := range r.Cells {
		if c.Model == m {
			cells = append(cells, c)
		}
	}
	return cells
}

// writer keeps the first error.
type writer struct {
	w   io.Writer
	err error
}

func (t *writer) line(format string, args ...any) {
	if t.err == nil {
		_, t.err = fmt.Fprintf(t.w, format+"\n", args...)
	}
}

// row writes a line of a table.
func (t *writer) row(fields ...string) { t.line("| %s |", strings.Join(fields, " | ")) }

func (t *writer) rates(rates []Rate) {
	head, rule := []string{"model"}, []string{"---"}
	for _, rate := range Grid() {
		head, rule = append(head, fmt.Sprintf("rate %g", rate)), append(rule, "---:")
	}
	t.row(head...)
	t.line("|%s|", strings.Join(rule, "|"))
	for _, rate := range rates {
		fields := []string{string(rate.Model)}
		for i, loss := range rate.Losses {
			field := fmt.Sprintf("%.3f", loss)
			if Grid()[i] == rate.Rate {
				field = "**" + field + "**"
			}
			fields = append(fields, field)
		}
		t.row(fields...)
	}
}

// way to train, apart from model, workers and rule: a column.
type way struct {
	shards Shards
	roles  Roles
}

func (w way) String() string { return fmt.Sprintf("%s, %s", w.shards, w.roles) }

func ways() []way {
	return []way{{Mixed, Rotating}, {Mixed, Fixed}, {ByClass, Rotating}, {ByClass, Fixed}}
}

// model writes the tables of one model.
func (t *writer) model(cells []*Cell) {
	t.line("")
	t.line("### %s", cells[0].Model)
	t.line("")
	t.line("Full backpropagation:")
	t.line("")
	t.row("k", "shards", "accuracy, %", "held-out loss", "training loss")
	t.line("|--:|---|--:|--:|--:|")
	for _, c := range cells {
		if c.full() {
			t.row(strconv.Itoa(c.Workers), string(c.Shards), c.Accuracy.points(), c.Loss.nats(), c.TrainLoss.nats())
		}
	}
	t.line("")
	t.line("Difference in accuracy to it, in points (bold: loses; italic: open), and what is saved:")
	t.line("")
	t.differences(cells, true, func(c *Comparison) string {
		switch s := c.Accuracy.signed(100, 2); c.Verdict {
		case Loses:
			return "**" + s + "**"
		case Open:
			return "*" + s + "*"
		default:
			return s
		}
	})
	t.line("")
	t.line("Difference in accuracy after a quarter of the epochs, in points:")
	t.line("")
	t.differences(cells, false, func(c *Comparison) string { return c.Early.signed(100, 1) })
	t.line("")
	t.line("Difference in held-out loss, in nats:")
	t.line("")
	t.differences(cells, false, func(c *Comparison) string { return c.Loss.signed(1, 3) })
	t.line("")
	t.line("Runs with SPB that learned nothing, with a training loss above 2.2 where guessing has ln 10 = 2.30:")
	for _, w := range ways() {
		stuck, of := countStuck(cells, w)
		t.line("%s: %d of %d.", w, stuck, of)
	}
}

// differences writes a row for each number of workers and rule, a column for each way.
func (t *writer) differences(cells []*Cell, savings bool, show func(*Comparison) string) {
	head, rule := []string{"k", "rule"}, "|--:|---|"
	if savings {
		head = append(head, "depths", "mean depth", "work saved", "gradients saved")
		rule += "---|--:|--:|--:|"
	}
	for _, w := range ways() {
		head = append(head, w.String())
		rule += "--:|"
	}
	t.row(head...)
	t.line("%s", rule)
	for _, c := range cells {
		if c.Comparison == nil || c.Shards != Mixed || c.Roles == Fixed {
			continue // covered by the first cell of the row
		}
		fields := []string{strconv.Itoa(c.Workers), strings.Join(c.Rules, " = ")}
		if savings {
			fields = append(fields, runLengths(c.Depths), fmt.Sprintf("%.2f", c.MeanDepth), percent(c.WorkSaved), percent(c.TrafficSaved))
		}
		for _, w := range ways() {
			i := slices.IndexFunc(cells, func(o *Cell) bool {
				return o.Workers == c.Workers && slices.Equal(o.Depths, c.Depths) && o.Shards == w.shards &&
					(o.Roles == w.roles || o.Roles == "")
			})
			fields = append(fields, show(cells[i].Comparison))
		}
		t.row(fields...)
	}
}

// countStuck counts the runs, of those under SPB rules that train in a way, whose loss
// ended near that of guessing.
func countStuck(cells []*Cell, w way) (stuck, of int) {
	for _, c := range cells {
		if c.Roles != w.roles || c.Shards != w.shards {
			continue
		}
		of += len(c.Runs)
		for _, run := range c.Runs {
			if run.TrainLoss > 2.2 {
				stuck++
			}
		}
	}
	return stuck, of
}

// runLengths writes ascending depths like 3×3 2×5 8, for 3 3 3 5 5 8.
func runLengths(depths []int) string {
	var parts []string
	for from := 0; from < len(depths); {
		n := from
		for n < len(depths) && depths[n] == depths[from] {
			n++
		}
		part := strconv.Itoa(depths[from])
		if n-from > 1 {
			part = fmt.Sprintf("%d×%d", n-from, depths[from])
		}
		parts = append(parts, part)
		from = n
	}
	return strings.Join(parts, " ")
}

func percent(fraction float64) string { return fmt.Sprintf("%.0f %%", 100*fraction) }

// points is an interval of fractions, in per cent.
func (v Interval) points() string { return fmt.Sprintf("%.2f ± %.2f", 100*v.Mean, 100*v.Half) }

// nats is an interval of losses.
func (v Interval) nats() string { return fmt.Sprintf("%.3f ± %.3f", v.Mean, v.Half) }

// signed is an interval of differences, scaled.
func (v Interval) signed(scale float64, digits int) string {
	mean := scale * v.Mean
	if math.Abs(mean) < 0.5*math.Pow10(-digits) {
		mean = 0 // without a sign
	}
	return strings.Replace(fmt.Sprintf("%+.*f ± %.*f", digits, mean, digits, scale*v.Half), "-", "−", 1)
}
