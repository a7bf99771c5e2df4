package quality

import (
	"context"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

const (
	// batchSize is B, the samples of an iteration over all workers.
	batchSize = 64
	// trainSize is the number of samples for training; all others, 773, are held
	// out.
	trainSize = 16 * batchSize
	momentum  = 0.9
)

// training is one run: a net and its optimiser.
type training struct {
	net    net
	data   *samples
	images buffer
	labels []int
	// Of each layer: the sum of its contributors' gradients, how many there are,
	// and the velocity.
	sum          [][]float64
	contributors []int
	velocity     [][]float64
}

func newTraining(n net, data *samples) *training {
	t := &training{net: n, data: data, labels: make([]int, batchSize), contributors: make([]int, len(n))}
	for _, l := range n {
		t.sum = append(t.sum, make([]float64, len(l.values)))
		t.velocity = append(t.velocity, make([]float64, len(l.values)))
	}
	return t
}

// scores runs the forward pass on samples, at most batchSize.
func (t *training) scores(index []int) (scores *mat.Dense, labels []int) {
	x, labels := t.images.dense(len(index), pixels), t.labels[:len(index)]
	t.data.batch(index, x, labels)
	return t.net.forward(x), labels
}

// gradient is one worker's part of an iteration: it sets the gradients of the
// last depth layers and returns the mean loss.
func (t *training) gradient(index []int, depth int) float64 {
	scores, labels := t.scores(index)
	sum, _ := crossEntropy(scores, labels)
	t.net.backward(scores, depth)
	return sum / float64(len(index))
}

// step makes an iteration of workers with equally large batches, and returns
// the mean loss. Workers are processed in order, so that sums do not depend on
// timing.
func (t *training) step(batches [][]int, depths []int, rate float64) (loss float64) {
	clear(t.contributors)
	for i := range t.sum {
		clear(t.sum[i])
	}
	for w, batch := range batches {
		loss += t.gradient(batch, depths[w]) / float64(len(batches))
		for i := len(t.net) - depths[w]; i < len(t.net); i++ {
			floats.Add(t.sum[i], t.net[i].gradients)
			t.contributors[i]++
		}
	}
	for i, l := range t.net {
		floats.Scale(momentum, t.velocity[i])
		if n := t.contributors[i]; n > 0 {
			floats.AddScaled(t.velocity[i], -rate/float64(n), t.sum[i])
		}
		floats.Add(l.values, t.velocity[i])
	}
	return loss
}

// evaluate returns mean loss and accuracy, 0 to 1.
func (t *training) evaluate(index []int) (loss, accuracy float64) {
	hits := 0
	for from := 0; from < len(index); from += batchSize {
		scores, labels := t.scores(index[from:min(from+batchSize, len(index))])
		sum, correct := crossEntropy(scores, labels)
		loss += sum / float64(len(index))
		hits += correct
	}
	return loss, float64(hits) / float64(len(index))
}

// job is everything a run depends on.
type job struct {
	model  Model
	depths []int // of each role; their number is k. None: one worker at full depth
	shards Shards
	roles  Roles
	rate   float64 // the base rate
	seed   uint64
	epochs int // passes over the training set
}

// Run is the result of one run.
type Run struct {
	Seed uint64 `json:"seed"`
	// Accuracy on held-out samples, 0 to 1, and mean losses in nats: on those, and on
	// the training set.
	Accuracy  float64 `json:"accuracy"`
	Loss      float64 `json:"loss"`
	TrainLoss float64 `json:"train_loss"`
	// EarlyAccuracy is Accuracy after a quarter of the epochs.
	EarlyAccuracy float64 `json:"early_accuracy"`
	// Diverged says that the loss overflowed; the figures are then those of guessing.
	Diverged bool `json:"diverged,omitempty"`
}

// Separate streams of random numbers, so that what one draws does not depend on
// how much another has drawn.
const (
	streamSplit uint64 = iota
	streamWeights
	streamShards
	streamOrder // followed by one for each worker
)

// train runs the job.
func (j *job) train(ctx context.Context, data *samples) (Run, error) {
	stream := func(id uint64) *rand.Rand { return rand.New(rand.NewPCG(j.seed, id)) }
	n, err := newNet(j.model, stream(streamWeights))
	if err != nil {
		return Run{}, err
	}
	t := newTraining(n, data)
	train, heldOut := data.split(trainSize, stream(streamSplit))
	ofRole := j.depths
	if len(ofRole) == 0 {
		ofRole = []int{len(n)}
	}
	k := len(ofRole)
	shards := j.shards.deal(train, data.labels, k, stream(streamShards))
	orders := make([]*rand.Rand, k)
	for w := range orders {
		orders[w] = stream(streamOrder + uint64(w))
	}

	run := Run{Seed: j.seed, EarlyAccuracy: 1.0 / classes}
	const steps = trainSize / batchSize // of an epoch
	batches, depths := make([][]int, k), make([]int, k)
	for i := range j.epochs * steps {
		if i%steps == 0 {
			if err := ctx.Err(); err != nil {
				return Run{}, err
			}
			if i == j.epochs/4*steps {
				_, run.EarlyAccuracy = t.evaluate(heldOut)
			}
			for w, shard := range shards {
				orders[w].Shuffle(len(shard), func(a, b int) { shard[a], shard[b] = shard[b], shard[a] })
			}
		}
		for w, shard := range shards {
			from := i % steps * batchSize / k
			batches[w] = shard[from : from+batchSize/k]
			depths[w] = ofRole[j.roles.of(w, i, k)]
		}
		rate := j.rate / 2 * (1 + math.Cos(math.Pi*float64(i)/float64(j.epochs*steps)))
		if loss := t.step(batches, depths, rate); math.IsNaN(loss) || math.IsInf(loss, 0) {
			run.Diverged = true
			run.Accuracy, run.Loss, run.TrainLoss = 1.0/classes, math.Log(classes), math.Log(classes)
			return run, nil
		}
	}
	run.Loss, run.Accuracy = t.evaluate(heldOut)
	run.TrainLoss, _ = t.evaluate(train)
	return run, nil
}
