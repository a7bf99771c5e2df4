package quality

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
)

var models = []Model{Perceptron, Convolutional}

// newTest is a training of a fresh net with nonzero biases, because rectifiers of
// blank images have no derivative at 0.
func newTest(t *testing.T, m Model) *training {
	data, err := digits()
	require.NoError(t, err)
	rng := newRNG()
	n, err := newNet(m, rng)
	require.NoError(t, err)
	for _, l := range n {
		for i := range l.b {
			l.b[i] = 0.1 * rng.NormFloat64()
		}
	}
	return newTraining(n, data)
}

// TestGradients compares with differences of losses, for weights of every layer.
func TestGradients(t *testing.T) {
	const h, perLayer = 1e-6, 60
	for _, m := range models {
		tr := newTest(t, m)
		batch := []int{3, 14, 159, 265, 358}
		loss := func() float64 {
			scores, labels := tr.scores(batch)
			sum, _ := crossEntropy(scores, labels)
			return sum / float64(len(batch))
		}
		tr.gradient(batch, len(tr.net))
		rng := newRNG()
		for i, l := range tr.net {
			gradients := slices.Clone(l.gradients)
			require.NotZero(t, floats.Norm(gradients, 2))
			for range perLayer {
				// Half of them biases.
				j := rng.IntN(len(l.values))
				if rng.IntN(2) == 0 {
					j = len(l.values) - 1 - rng.IntN(len(l.b))
				}
				value := l.values[j]
				l.values[j] = value + h
				above := loss()
				l.values[j] = value - h
				below := loss()
				l.values[j] = value
				require.InDelta(t, (above-below)/(2*h), gradients[j], 1e-8, "%s, layer %d, weight %d", m, i, j)
			}
		}
	}
}

// TestDepth: a shallow pass gives its layers the gradients of the full one, and
// leaves the others alone.
func TestDepth(t *testing.T) {
	for _, m := range models {
		tr := newTest(t, m)
		batch := []int{1, 2, 3}
		tr.gradient(batch, len(tr.net))
		var full [][]float64
		for _, l := range tr.net {
			full = append(full, slices.Clone(l.gradients))
		}
		for depth := 1; depth <= len(tr.net); depth++ {
			for _, l := range tr.net {
				clear(l.gradients)
			}
			tr.gradient(batch, depth)
			for i, l := range tr.net {
				if i < len(tr.net)-depth {
					assert.Zero(t, floats.Norm(l.gradients, 1))
				} else {
					assert.Equal(t, full[i], l.gradients)
				}
			}
		}
	}
}

// TestFullDepthIsOneWorker: workers at full depth give the same as one worker with
// all their samples.
func TestFullDepthIsOneWorker(t *testing.T) {
	for _, m := range models {
		for _, k := range []int{2, 4, 8} {
			many, one := newTest(t, m), newTest(t, m)
			rng := newRNG()
			for range 5 {
				batch := rng.Perm(len(many.data.labels))[:batchSize]
				lossMany := many.step(slices.Collect(slices.Chunk(batch, batchSize/k)), slices.Repeat([]int{len(many.net)}, k), 0.05)
				lossOne := one.step([][]int{batch}, []int{len(one.net)}, 0.05)
				require.InDelta(t, lossOne, lossMany, 1e-12)
			}
			for i := range one.net {
				require.InDeltaSlice(t, one.net[i].values, many.net[i].values, 1e-12, "%s, %d workers, layer %d", m, k, i)
			}
		}
	}
}

// TestContributors computes two iterations by the definition in doc.go, from every
// worker's own gradients.
func TestContributors(t *testing.T) {
	const rate = 0.05
	for _, m := range models {
		tr, ref := newTest(t, m), newTest(t, m)
		layers := len(tr.net)
		depths := []int{1, layers, 3, layers - 1}
		velocity := make([][]float64, layers)
		for i := range velocity {
			velocity[i] = make([]float64, len(ref.net[i].values))
		}
		for iteration := range 2 {
			var batches [][]int
			var gradients [][][]float64 // worker, layer
			for w := range depths {
				batch := []int{100*iteration + 10*w, 100*iteration + 10*w + 5}
				batches = append(batches, batch)
				ref.gradient(batch, layers)
				var own [][]float64
				for _, l := range ref.net {
					own = append(own, slices.Clone(l.gradients))
				}
				gradients = append(gradients, own)
			}
			for i, l := range ref.net {
				for j := range l.values {
					sum, n := 0.0, 0.0
					for w, depth := range depths {
						if depth > layers-(i+1) { // layer i+1 counted from 1
							sum += gradients[w][i][j]
							n++
						}
					}
					velocity[i][j] = 0.9*velocity[i][j] - rate*sum/n
					l.values[j] += velocity[i][j]
				}
			}
			tr.step(batches, depths, rate)
			for i := range ref.net {
				require.InDeltaSlice(t, ref.net[i].values, tr.net[i].values, 1e-14, "%s, iteration %d, layer %d", m, iteration, i)
			}
		}
	}
}

// TestLearns: the compared nets do learn.
func TestLearns(t *testing.T) {
	data, err := digits()
	require.NoError(t, err)
	for _, m := range models {
		run, err := (&job{model: m, rate: 0.04, seed: 1, epochs: 20}).train(context.Background(), data)
		require.NoError(t, err)
		assert.Greater(t, run.Accuracy, 0.93, "%s", m)
		assert.Greater(t, run.Accuracy, run.EarlyAccuracy)
		assert.Less(t, run.TrainLoss, run.Loss)
	}
}

func TestDiverged(t *testing.T) {
	data, err := digits()
	require.NoError(t, err)
	run, err := (&job{model: Perceptron, rate: 1e9, seed: 1, epochs: 4}).train(context.Background(), data)
	require.NoError(t, err)
	assert.Equal(t, Run{Seed: 1, Accuracy: 0.1, EarlyAccuracy: 0.1, Loss: math.Log(10), TrainLoss: math.Log(10), Diverged: true}, run)
}
