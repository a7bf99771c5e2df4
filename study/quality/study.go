package quality

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
)

// Options of [Study]. Zero values stand for the full study.
type Options struct {
	// Models to train; none stands for all.
	Models []Model
	// Workers lists the k; each divides 64. None stands for 2, 4, 8.
	Workers []int
	// Seeds is how many seeds each comparison has, from 1 on, at least 2; 0 stands for 10.
	Seeds int
	// Epochs is the passes over the training set, at least 4; 0 stands for 20.
	Epochs int
	// Rate is the base learning rate of all models; 0 stands for a search for each model.
	Rate float64
	// Progress is called, one call at a time, with the number of runs done.
	Progress func(done, of int)
}

// Result of a study.
type Result struct {
	// Samples of the data set; the first 1,024 in a random order are for training, the rest
	// is held out.
	Samples int     `json:"samples"`
	Seeds   int     `json:"seeds"`
	Epochs  int     `json:"epochs"`
	Rates   []Rate  `json:"rates"`
	Cells   []*Cell `json:"cells"`
}

// Cell is one way to train a model, over all seeds.
type Cell struct {
	Model   Model `json:"model"`
	Workers int   `json:"workers"`
	// Rules that give these depths; several if they coincide.
	Rules  []string `json:"rules"`
	Shards Shards   `json:"shards"`
	// Roles is empty if all workers have the same depth.
	Roles Roles `json:"roles,omitempty"`
	// Depths of an iteration in layers, ascending, and their mean as a fraction of
	// the backward work.
	Depths    []int   `json:"depths"`
	MeanDepth float64 `json:"mean_depth"`
	// WorkSaved and TrafficSaved are fractions of full backpropagation: of the
	// multiplications of all workers, and of the gradients they contribute.
	WorkSaved    float64 `json:"work_saved"`
	TrafficSaved float64 `json:"traffic_saved"`
	// Runs by seed.
	Runs []Run `json:"runs"`
	// Means over the runs.
	Accuracy  Interval `json:"accuracy"`
	Loss      Interval `json:"loss"`
	TrainLoss Interval `json:"train_loss"`
	// Comparison with full backpropagation on the same shards; nil for itself.
	Comparison *Comparison `json:"comparison,omitempty"`
}

// full reports whether c is full backpropagation.
func (c *Cell) full() bool { return slices.Contains(c.Rules, Rules()[0].Name) }

// filled returns the options with their defaults.
func (o Options) filled() Options {
	if len(o.Models) == 0 {
		o.Models = []Model{Perceptron, Convolutional}
	}
	if len(o.Workers) == 0 {
		o.Workers = []int{2, 4, 8}
	}
	if o.Seeds == 0 {
		o.Seeds = 10
	}
	if o.Epochs == 0 {
		o.Epochs = 20
	}
	return o
}

// Validate returns an error for invalid options.
func (o Options) Validate() error {
	o = o.filled()
	for _, m := range o.Models {
		if _, err := newNet(m, rand.New(rand.NewPCG(0, 0))); err != nil {
			return err
		}
	}
	for _, k := range o.Workers {
		if k < 2 || batchSize%k != 0 {
			return fmt.Errorf("quality: %d workers; choose a divisor of %d from 2 on", k, batchSize)
		}
	}
	if !(o.Rate >= 0) || math.IsInf(o.Rate, 0) {
		return fmt.Errorf("quality: a rate of %g; choose a positive one, or none to have it searched for", o.Rate)
	}
	if o.Seeds < 2 {
		return fmt.Errorf("quality: seeds: %d; choose at least 2, because intervals need several", o.Seeds)
	}
	if o.Epochs < 4 {
		return fmt.Errorf("quality: epochs: %d; choose at least 4, because accuracy is measured after a quarter of them", o.Epochs)
	}
	return nil
}

// Study trains all models in all ways and compares them. Runs go in parallel on all
// cores. It ends early only if ctx ends, and then returns its error.
func Study(ctx context.Context, o Options) (*Result, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	o = o.filled()
	data, err := digits()
	if err != nil {
		return nil, err
	}
	r := &Result{Samples: len(data.labels), Seeds: o.Seeds, Epochs: o.Epochs}
	for _, m := range o.Models {
		if err := r.addCells(m, o.Workers); err != nil {
			return nil, err
		}
	}

	var search []job
	if o.Rate == 0 {
		search = rateJobs(o.Models, o.Epochs)
	}
	p := pool{data: data, of: len(search) + len(r.Cells)*o.Seeds, progress: o.Progress}
	runs, err := p.train(ctx, search)
	if err != nil {
		return nil, err
	}
	if o.Rate == 0 {
		r.Rates = bestRates(o.Models, runs)
	} else {
		for _, m := range o.Models {
			r.Rates = append(r.Rates, Rate{Model: m, Rate: o.Rate})
		}
	}

	var jobs []job
	for _, c := range r.Cells {
		rate := r.Rates[slices.Index(o.Models, c.Model)].Rate
		for seed := range o.Seeds {
			jobs = append(jobs, job{c.Model, c.Depths, c.Shards, c.Roles, rate, uint64(seed + 1), o.Epochs})
		}
	}
	if runs, err = p.train(ctx, jobs); err != nil {
		return nil, err
	}
	for i, c := range r.Cells {
		c.Runs = runs[i*o.Seeds : (i+1)*o.Seeds]
	}
	r.compare()
	return r, nil
}

// addCells lists the ways to train a model, full backpropagation first. Rules with equal
// depths share a cell.
func (r *Result) addCells(model Model, workers []int) error {
	shape, err := newNet(model, rand.New(rand.NewPCG(0, 0)))
	if err != nil {
		return err
	}
	for _, k := range workers {
		for _, shards := range []Shards{Mixed, ByClass} {
			first := len(r.Cells)
			for _, rule := range Rules() {
				of, err := plannerRoles(model, shape, k, rule)
				if err != nil {
					return err
				}
				ways := []Roles{Rotating, Fixed}
				if rule.Fewer || of.depths[0] == of.depths[k-1] {
					ways = []Roles{""}
				}
				for _, roles := range ways {
					same := func(c *Cell) bool { return slices.Equal(c.Depths, of.depths) && c.Roles == roles }
					if i := slices.IndexFunc(r.Cells[first:], same); i >= 0 {
						c := r.Cells[first+i]
						c.Rules = append(c.Rules, rule.Name)
						continue
					}
					r.Cells = append(r.Cells, &Cell{
						Model: model, Workers: k, Rules: []string{rule.Name}, Shards: shards, Roles: roles,
						Depths: of.depths, MeanDepth: of.mean, WorkSaved: of.work, TrafficSaved: of.traffic,
					})
				}
			}
		}
	}
	return nil
}

// pool runs jobs, as many at a time as there are cores.
type pool struct {
	data     *samples
	done, of int
	progress func(done, of int)
}

// train returns the runs in the order of the jobs.
func (p *pool) train(ctx context.Context, jobs []job) ([]Run, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	runs := make([]Run, len(jobs))
	var mu sync.Mutex // guards next, p and the order of progress
	var wg sync.WaitGroup
	next := 0
	take := func() int {
		mu.Lock()
		defer mu.Unlock()
		next++
		return next - 1
	}
	for range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for i := take(); i < len(jobs); i = take() {
				run, err := jobs[i].train(ctx, p.data)
				if err != nil {
					cancel(err)
					return
				}
				runs[i] = run
				mu.Lock()
				p.done++
				if p.progress != nil {
					p.progress(p.done, p.of)
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return runs, context.Cause(ctx)
}
