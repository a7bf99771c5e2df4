package columns

import "jigsaw/formulation/relax/columns"

// Tariff holds integer prices of a master's rows: what a unit costs from 0 to
// each tick, by group of rows.
type Tariff struct {
	calendar columns.Calendar
	// sum[g][t] is the price of a unit of group g through [0, t); length
	// horizon + 1.
	sum [][]int64
}

// newTariff adds prices up: prices[g][b] is what a unit costs in each tick of
// bucket b.
func newTariff(c columns.Calendar, prices [][]int64) *Tariff {
	t := &Tariff{calendar: c, sum: make([][]int64, len(prices))}
	for g, list := range prices {
		sum := make([]int64, c.Horizon+1)
		total, at := int64(0), 0
		for _, price := range list {
			for range c.Width {
				total += price
				at++
				sum[at] = total
			}
		}
		t.sum[g] = sum
	}
	return t
}

// Through is the price of a unit of the group in [0, tick).
func (t *Tariff) Through(g int, tick int64) int64 {
	return t.sum[g][min(tick, t.calendar.Horizon)]
}
