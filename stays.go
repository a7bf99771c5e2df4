package jigsaw

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"

	"jigsaw/formulation/instance"
	"jigsaw/heuristics/horizon"
)

// Stay is a line of the table by job of a plan in blocks: where and when a job runs. Times are in
// seconds.
type Stay struct {
	Job  string
	GPUs []instance.GPUID
	// Nodes by name that the GPUs are in.
	Nodes                []string
	Admitted, Start, End float64
	// Wait is from the release to the admission.
	Wait float64
	// Slowdown is the time from release to end over that of the job alone on the empty
	// cluster at full depth, its load included; 0 where that is not known.
	Slowdown float64
}

// Stays returns a line for every job, in order of the instance; nil without a plan in blocks.
func (r *Result) Stays() []Stay {
	if r.Blocks == nil {
		return nil
	}
	in := r.Instance
	second := float64(in.TickUS) / 1e6
	from, to := r.Blocks.Spans(in)
	alone := horizon.Alone(in)
	stays := make([]Stay, len(in.Jobs))
	for i := range stays {
		j := &in.Jobs[i]
		s := Stay{
			Job: j.Name, GPUs: r.Blocks.Residency[i], Start: float64(from[i]) * second, End: float64(to[i]) * second,
			Admitted: float64(max(0, from[i]-j.Load)) * second, Wait: float64(max(0, from[i]-j.Load-j.Release)) * second,
		}
		if alone[i] > 0 {
			s.Slowdown = float64(to[i]-j.Release) / (float64(j.Load) + float64(j.Iterations)*float64(alone[i]))
		}
		last := instance.NodeID(-1)
		for _, g := range s.GPUs {
			if n := in.GPUs[g].Node; n != last {
				s.Nodes, last = append(s.Nodes, in.Nodes[n].Name), n
			}
		}
		stays[i] = s
	}
	return stays
}

// WriteStays writes the table by job as CSV.
func WriteStays(w io.Writer, stays []Stay) error {
	out := csv.NewWriter(w)
	if err := out.Write([]string{"job", "nodes", "gpus", "admitted_s", "start_s", "end_s", "wait_s", "slowdown"}); err != nil {
		return err
	}
	number := func(v float64) string { return strconv.FormatFloat(v, 'f', 3, 64) }
	for _, s := range stays {
		nodes, gpus := "", ""
		for i, n := range s.Nodes {
			if i > 0 {
				nodes += " "
			}
			nodes += n
		}
		for i, g := range s.GPUs {
			if i > 0 {
				gpus += " "
			}
			gpus += fmt.Sprint(int(g))
		}
		if err := out.Write([]string{s.Job, nodes, gpus, number(s.Admitted), number(s.Start), number(s.End), number(s.Wait), number(s.Slowdown)}); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}
