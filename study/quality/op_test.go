package quality

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
)

func newRNG() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

func random(rows, columns int, rng *rand.Rand) *mat.Dense {
	m := mat.NewDense(rows, columns, nil)
	for i := range rows {
		for j := range columns {
			m.Set(i, j, rng.NormFloat64())
		}
	}
	return m
}

// TestConvolution compares with the definition, pixel by pixel.
func TestConvolution(t *testing.T) {
	const edge, channels, outputs, samples = 4, 3, 2, 5
	rng := newRNG()
	c := newConvolution(edge, channels, outputs, rng)
	c.b[0], c.b[1] = 0.5, -2
	x := random(channels, samples*edge*edge, rng)
	got := c.forward(x)
	for o := range outputs {
		for s := range samples {
			for y := range edge {
				for u := range edge {
					want := c.b[o]
					for ch := range channels {
						for dy := -1; dy <= 1; dy++ {
							for dx := -1; dx <= 1; dx++ {
								if y+dy >= 0 && y+dy < edge && u+dx >= 0 && u+dx < edge {
									want += c.w.At(o, ch*9+(dy+1)*3+dx+1) * x.At(ch, s*edge*edge+(y+dy)*edge+u+dx)
								}
							}
						}
					}
					require.InDelta(t, want, got.At(o, s*edge*edge+y*edge+u), 1e-12)
				}
			}
		}
	}
}

func TestPooling(t *testing.T) {
	p := &pooling{edge: 4}
	y := p.forward(mat.NewDense(1, 32, []float64{
		1, 2, 0, 0,
		3, 4, 0, 9,
		5, 0, 7, 7,
		0, 0, 8, 7,

		-1, -2, 1, 1,
		-3, -4, 1, 1,
		0, 0, 0, 0,
		0, 6, 0, 0,
	}))
	assert.Equal(t, []float64{4, 9, 5, 8, -1, 1, 6, 0}, y.RawMatrix().Data)
	dx := p.backward(mat.NewDense(1, 8, []float64{1, 2, 3, 4, 5, 6, 7, 8}), true)
	assert.Equal(t, []float64{
		0, 0, 0, 0,
		0, 1, 0, 2,
		3, 0, 0, 0,
		0, 0, 4, 0,

		5, 0, 6, 0,
		0, 0, 0, 0,
		0, 0, 8, 0,
		0, 7, 0, 0,
	}, dx.RawMatrix().Data)
}

func TestFlatten(t *testing.T) {
	f := &flatten{pixels: 2}
	x := mat.NewDense(2, 6, []float64{
		1, 2, 3, 4, 5, 6,
		7, 8, 9, 10, 11, 12,
	})
	y := f.forward(x)
	assert.True(t, mat.Equal(mat.NewDense(3, 4, []float64{
		1, 2, 7, 8,
		3, 4, 9, 10,
		5, 6, 11, 12,
	}), y))
	assert.True(t, mat.Equal(x, f.backward(y, true)))
}

func TestCrossEntropy(t *testing.T) {
	scores := mat.NewDense(2, 3, []float64{1, 2, 3, 0, 0, 0})
	sum, correct := crossEntropy(scores, []int{2, 1})
	// ln(e + e^2 + e^3) - 3 = 0.40760596444438; ln 3 = 1.09861228866811.
	assert.InDelta(t, 1.50621825311249, sum, 1e-13)
	assert.Equal(t, 1, correct)
	// softmax(1, 2, 3) = 0.09003057, 0.24472847, 0.66524096.
	assert.InDeltaSlice(t, []float64{0.045015287, 0.122364236, -0.167379522}, scores.RawRowView(0), 1e-9)
	assert.InDeltaSlice(t, []float64{1. / 6, -1. / 3, 1. / 6}, scores.RawRowView(1), 1e-15)
}
