package trace

import (
	_ "embed"
	"encoding/csv"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"

	"jigsaw/study/replay"
)

//go:embed synthetic.csv
var measuredIterations string

// Limits of a synthetic trace.
const mostSynthetic = 1 << 20

// Sizes of synthetic jobs in GPUs, and their number per hundred jobs.
var sizes = []struct{ gpus, share int }{{1, 50}, {2, 10}, {4, 15}, {8, 20}, {16, 4}, {32, 1}}

// Synthetic durations in seconds are log-normal about the median, within limits:
// many short jobs, and few that account for most of the work.
const (
	medianDuration   = 3600
	spread           = 1.5
	shortestDuration = 60
	longestDuration  = 5 * 24 * 3600
)

// Synthetic draws a trace of the given number of jobs, with measured iterations,
// which arrive at random times such that, with GPUs of their own, a fraction load
// of the GPU time would be in use. Jobs that do not fit the cluster are not drawn.
// The same seed gives the same trace; its model table is that of Muri.
func Synthetic(jobs int, load float64, c *replay.Cluster, seed uint64) (*Trace, error) {
	if jobs < 1 || jobs > mostSynthetic || !(load > 0) || load > 1000 {
		return nil, fmt.Errorf("trace: a synthetic trace has 1 to %d jobs, and a load above 0", mostSynthetic)
	}
	kinds, err := measured()
	if err != nil {
		return nil, err
	}
	t := &Trace{File: fmt.Sprintf("synthetic:%d", jobs), Format: Muri}
	rng := rand.New(rand.NewPCG(seed, 1))
	work := 0.0
	for len(t.Jobs) < jobs {
		gpus := drawSize(rng)
		if !c.Fits(gpus, func(int) bool { return true }) {
			if !c.Fits(1, func(int) bool { return true }) {
				return nil, fmt.Errorf("trace: the cluster %v has no GPU", c)
			}
			continue
		}
		of := kinds[gpus]
		j := of[rng.IntN(len(of))]
		duration := min(longestDuration, max(shortestDuration, medianDuration*math.Exp(spread*rng.NormFloat64())))
		j.ID = strconv.Itoa(len(t.Jobs))
		j.Iterations = max(1, int64(duration/j.Iteration))
		j.Duration = float64(j.Iterations) * j.Iteration
		work += j.Duration * float64(gpus)
		t.Jobs = append(t.Jobs, j)
	}
	pause := work / load / float64(c.Total()) / float64(jobs)
	now := 0.0
	for i := range t.Jobs {
		t.Jobs[i].Arrival = now
		now += pause * rng.ExpFloat64()
	}
	return t, nil
}

func drawSize(rng *rand.Rand) int {
	at := rng.IntN(100)
	for _, s := range sizes {
		if at -= s.share; at < 0 {
			return s.gpus
		}
	}
	panic("trace: the shares of sizes do not add up to 100")
}

// measured returns jobs without iterations, by their number of GPUs.
func measured() (map[int][]Job, error) {
	r := csv.NewReader(strings.NewReader(measuredIterations))
	r.Comment = '#'
	rows, err := r.ReadAll()
	if err != nil {
		return nil, err
	}
	kinds := map[int][]Job{}
	for _, row := range rows[1:] {
		var v [6]float64
		for k := range v {
			if v[k], err = strconv.ParseFloat(row[k+1], 64); err != nil {
				return nil, err
			}
		}
		length := v[2]
		part := func(ms float64) float64 { return min(1, ms/length) }
		j := Job{
			Model: row[0], GPUs: int(v[0]), Batch: int(v[1]), Iteration: length * millisecond, Weight: 1,
			Stages: replay.Stages{Load: part(v[3]), GPU: part(v[4]), Network: part(v[5])},
		}
		kinds[j.GPUs] = append(kinds[j.GPUs], j)
	}
	return kinds, nil
}
