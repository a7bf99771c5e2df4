package columns

import "jigsaw/formulation/relax/columns"

// Tariff holds integer prices of a master's rows, cumulative: the cost of a
// unit from 0 to each tick, by group of rows.
type Tariff struct {
	calendar columns.Calendar
	prices   [][]int64 // of a unit in each tick of a bucket, by group
	sum      [][]int64 // of a unit through all buckets before, by group; one longer
}

// newTariff sums prices: prices[g][b] is the cost of a unit in each tick of
// bucket b.
func newTariff(c columns.Calendar, prices [][]int64) *Tariff {
	t := &Tariff{calendar: c, prices: prices, sum: make([][]int64, len(prices))}
	for g, list := range prices {
		sum := make([]int64, c.Buckets()+1)
		for b, price := range list {
			sum[b+1] = sum[b] + price*c.Width
		}
		t.sum[g] = sum
	}
	return t
}

// Through is the price of a unit of the group in [0, tick).
func (t *Tariff) Through(g int, tick int64) int64 {
	sum, width := t.sum[g], t.calendar.Width
	if tick >= t.calendar.Horizon {
		return sum[len(sum)-1]
	}
	if width == 1 {
		return sum[tick]
	}
	b := tick / width
	return sum[b] + t.prices[g][b]*(tick-b*width)
}
