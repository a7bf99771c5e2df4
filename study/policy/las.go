package policy

import (
	"cmp"
	"context"
	"math"
	"slices"

	"jigsaw/study/replay"
)

// las is two-dimensional least attained service (J. Gu et al., Tiresias: a GPU
// cluster manager for distributed deep learning, NSDI 2019), without promotion.
//
// Jobs are in queues by the GPU-seconds they have held. A job enters the first queue
// when it arrives, and the next one whenever it reaches a threshold, each time at the
// end. As in the published simulator and in Muri's testbed, jobs that a decision does
// not run go behind those of their queue that it runs: a running job is not stopped
// for a job of its own queue.
type las struct {
	exclusive
	thresholds []float64   // GPU-seconds, ascending
	order      []int       // jobs, in the order of the last decision
	queue      map[int]int // by job, at the last decision
}

func newLAS(_ context.Context, name string, o Options) (replay.Policy, error) {
	return &las{exclusive: exclusive{name}, thresholds: o.Thresholds, queue: map[int]int{}}, nil
}

// Decide runs jobs by queue, until a running one leaves its queue.
func (p *las) Decide(s *replay.State) replay.Decision {
	p.sort(s)
	return replay.Decision{Groups: alone(slices.Clone(p.order)), Again: p.nextDemotion(s)}
}

// Position of a job in its queue.
const (
	runs = iota
	waits
	enters
)

// sort sorts the active jobs by their queues.
func (p *las) sort(s *replay.State) {
	active := slices.DeleteFunc(p.order, func(i int) bool {
		_, found := slices.BinarySearch(s.Active, i)
		return !found
	})
	for _, i := range s.Active {
		if _, known := p.queue[i]; !known {
			active = append(active, i)
		}
	}
	queue, place := map[int]int{}, map[int]int{}
	for _, i := range active {
		queue[i] = p.of(attainedService(s, i))
		_, running := s.Running(i)
		switch before, known := p.queue[i]; {
		case !known || before != queue[i]:
			place[i] = enters
		case running:
			place[i] = runs
		default:
			place[i] = waits
		}
	}
	slices.SortStableFunc(active, func(a, b int) int {
		return cmp.Or(cmp.Compare(queue[a], queue[b]), cmp.Compare(place[a], place[b]))
	})
	p.order, p.queue = active, queue
}

// nextDemotion returns when the next running or started job may leave its queue.
func (p *las) nextDemotion(s *replay.State) float64 {
	next, free := math.Inf(1), s.Cluster.Total()
	for _, i := range p.order {
		gpus := s.ClassOf(i).GPUs
		if _, running := s.Running(i); gpus > free && !running {
			continue
		}
		free = max(0, free-gpus)
		if at := p.queue[i]; at < len(p.thresholds) {
			next = min(next, s.Now+(p.thresholds[at]-attainedService(s, i))/float64(gpus))
		}
	}
	return next
}

// attainedService is the GPU-seconds that job i has held.
func attainedService(s *replay.State, i int) float64 {
	return s.Served(i) * float64(s.ClassOf(i).GPUs)
}

// of returns the queue for an amount of service. Rounding must not let a job wait at
// a threshold that it has reached.
func (p *las) of(attained float64) int {
	queue, _ := slices.BinarySearch(p.thresholds, attained*(1+1e-12)+1e-9)
	return queue
}
