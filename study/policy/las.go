package policy

import (
	"context"
	"math"
	"slices"

	"jigsaw/study/replay"
)

// las is two-dimensional least attained service (J. Gu et al., Tiresias: a GPU
// cluster manager for distributed deep learning, NSDI 2019), without promotion.
type las struct {
	exclusive
	queues *queues
}

func newLAS(_ context.Context, name string, o Options) (replay.Policy, error) {
	return &las{exclusive{name}, newQueues(o.Thresholds, 1)}, nil
}

// Decide runs jobs by queue, until one that runs leaves its queue.
func (p *las) Decide(s *replay.State) replay.Decision {
	order, again := p.queues.order(s)
	return replay.Decision{Groups: alone(order), Again: again}
}

// queues sorts jobs by the GPU-seconds they have held. A job enters the first
// queue when it arrives, and the next one whenever it reaches a threshold; in a
// queue, who entered first is first.
type queues struct {
	thresholds []float64 // GPU-seconds, ascending
	share      int       // jobs that may run on the same GPUs
	entered    int       // entries so far
	entry      map[int]entered
}

// entered is the queue a job is in, and the number of its entry.
type entered struct{ queue, number int }

func newQueues(thresholds []float64, share int) *queues {
	return &queues{thresholds: thresholds, share: share, entry: map[int]entered{}}
}

// order returns the active jobs in order, and when the next one that runs, or
// will, may leave its queue.
func (q *queues) order(s *replay.State) (order []int, again float64) {
	for _, i := range s.Active {
		at := q.of(attainedService(s, i))
		if e, ok := q.entry[i]; !ok || e.queue != at {
			q.entered++
			q.entry[i] = entered{at, q.entered}
		}
	}
	order = slices.Clone(s.Active)
	slices.SortFunc(order, func(a, b int) int {
		x, y := q.entry[a], q.entry[b]
		if x.queue != y.queue {
			return x.queue - y.queue
		}
		return x.number - y.number
	})
	again = math.Inf(1)
	free := q.share * s.Cluster.Total()
	for _, i := range order {
		gpus := s.ClassOf(i).GPUs
		if _, running := s.Running(i); gpus > free && !running {
			continue
		}
		free = max(0, free-gpus)
		if at := q.entry[i].queue; at < len(q.thresholds) {
			again = min(again, s.Now+(q.thresholds[at]-attainedService(s, i))/float64(gpus))
		}
	}
	return order, again
}

func attainedService(s *replay.State, i int) float64 {
	return s.Served(i) * float64(s.ClassOf(i).GPUs)
}

// of returns the queue for so much service. Rounding must not let a job wait at a
// threshold that it has reached.
func (q *queues) of(attained float64) int {
	queue, _ := slices.BinarySearch(q.thresholds, attained*(1+1e-12)+1e-9)
	return queue
}
