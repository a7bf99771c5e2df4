package quality

import "math"

// Rate is a base learning rate, and how it was chosen.
type Rate struct {
	Model Model `json:"model"`
	// Rate chosen: the one of least loss. It is used for all rules.
	Rate float64 `json:"rate"`
	// Losses are means over seeds of held-out loss, in nats, for each rate of [Grid];
	// none if the rate was given.
	Losses []float64 `json:"losses,omitempty"`
}

// Grid lists the base rates tried, for full backpropagation by one worker.
func Grid() []float64 { return []float64{0.01, 0.02, 0.04, 0.08, 0.16} }

// searchSeeds are the seeds of the search for rates; no comparison uses them.
const (
	firstSearchSeed = 1001
	searchSeeds     = 3
)

// rateJobs are the runs of the search: by model, then rate, then seed.
func rateJobs(models []Model, epochs int) (jobs []job) {
	for _, m := range models {
		for _, rate := range Grid() {
			for seed := range searchSeeds {
				jobs = append(jobs, job{m, nil, Mixed, "", rate, uint64(firstSearchSeed + seed), epochs})
			}
		}
	}
	return jobs
}

// bestRates evaluates the runs of [rateJobs]; ties go to the lower rate.
func bestRates(models []Model, runs []Run) (rates []Rate) {
	for _, m := range models {
		best, least := Rate{Model: m}, math.Inf(1)
		for _, rate := range Grid() {
			loss := 0.0
			for _, run := range runs[:searchSeeds] {
				loss += run.Loss / searchSeeds
			}
			runs = runs[searchSeeds:]
			best.Losses = append(best.Losses, loss)
			if loss < least {
				best.Rate, least = rate, loss
			}
		}
		rates = append(rates, best)
	}
	return rates
}
