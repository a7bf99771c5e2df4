package replay_test

import (
	"cmp"
	"context"
	"fmt"
	"log"
	"slices"

	"jigsaw/study/replay"
)

// shortest runs the jobs with the least left to do, each on GPUs of its own.
type shortest struct{}

func (shortest) Name() string { return "shortest" }

func (shortest) Decide(s *replay.State) replay.Decision {
	order := slices.Clone(s.Active)
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(s.Remaining(a), s.Remaining(b)) })
	d := replay.Decision{Again: replay.Never()}
	for _, job := range order {
		d.Groups = append(d.Groups, replay.Group{Jobs: []int{job}, Type: replay.AnyType})
	}
	return d
}

func (shortest) Periods(w *replay.Workload, jobs []int, kind int) []float64 {
	return []float64{w.ClassOf(jobs[0]).Iteration[kind]}
}

// A policy of one's own: on one GPU the short job stops the long one.
func ExampleRun() {
	w := &replay.Workload{
		Name:    "two jobs",
		Classes: []replay.Class{{Model: "m", GPUs: 1, Iteration: []float64{1}, Stages: replay.Stages{GPU: 1}}},
		Jobs: []replay.Job{
			{ID: "long", Arrival: 0, Iterations: 100, Weight: 1},
			{ID: "short", Arrival: 10, Iterations: 5, Weight: 1},
		},
	}
	cluster, err := replay.ParseCluster("1x1")
	if err != nil {
		log.Fatal(err)
	}
	result, err := replay.Run(context.Background(), w, shortest{}, replay.Config{Cluster: cluster})
	if err != nil {
		log.Fatal(err)
	}
	for i, job := range w.Jobs {
		fmt.Printf("%s ends after %g s\n", job.ID, result.Finish[i]-job.Arrival)
	}
	// Output:
	// long ends after 105 s
	// short ends after 5 s
}
