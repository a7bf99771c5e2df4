package quality

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"strconv"

	"gonum.org/v1/gonum/mat"
)

const (
	side    = 8           // pixels of an image's edge
	pixels  = side * side // of an image
	classes = 10
	// darkest is the value of a pixel full of ink.
	darkest = 16
)

// digitsFile is the data set; see data/README.md.
//
//go:embed data/digits.csv.gz
var digitsFile []byte

// samples are images with their digits.
type samples struct {
	images *mat.Dense // a row for each sample, pixels columns from 0 to 1
	labels []int      // 0..9
}

// digits reads the data set.
func digits() (*samples, error) {
	file, err := gzip.NewReader(bytes.NewReader(digitsFile))
	if err != nil {
		return nil, fmt.Errorf("quality: data/digits.csv.gz: %w", err)
	}
	table := csv.NewReader(file)
	table.FieldsPerRecord = pixels + 1
	rows, err := table.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("quality: data/digits.csv.gz: %w", err)
	}
	s := &samples{mat.NewDense(len(rows), pixels, nil), make([]int, len(rows))}
	for i, row := range rows {
		for j, field := range row {
			v, err := strconv.ParseUint(field, 10, 8)
			switch {
			case err != nil || j < pixels && v > darkest || j == pixels && v >= classes:
				return nil, fmt.Errorf("quality: data/digits.csv.gz: line %d, field %d: %q is out of range", i+1, j+1, field)
			case j < pixels:
				s.images.Set(i, j, float64(v)/darkest)
			default:
				s.labels[i] = int(v)
			}
		}
	}
	return s, nil
}

// split draws n of the samples to train on, in random order; the rest is held out.
func (s *samples) split(n int, rng *rand.Rand) (train, heldOut []int) {
	order := rng.Perm(len(s.labels))
	return order[:n], order[n:]
}

// batch copies samples, by index, into x, and their digits into labels.
func (s *samples) batch(index []int, x *mat.Dense, labels []int) {
	for row, i := range index {
		x.SetRow(row, s.images.RawRowView(i))
		labels[row] = s.labels[i]
	}
}
