package sweep

import (
	"context"
	"fmt"
	"runtime"
	"sync"

	"golang.org/x/sync/errgroup"

	"jigsaw/study/store"
)

// Options of [Run].
type Options struct {
	// Shard to run; the zero value is the whole study.
	Shard Shard
	// Parallel is the number of cells planned at a time; 0 means one per core.
	Parallel int
	// Progress is called at the start and after every cell, one call at a time.
	Progress func(Progress)
}

// Progress of a run. Weights are about the time of cells.
type Progress struct {
	// Done of Cells cells, of which Held were in the file before the run, and
	// Failed failed.
	Done, Cells, Held, Failed int
	// Weight done in this run, and the total to do in it.
	Weight, Total float64
	// Last is the row just committed; nil at the start.
	Last *store.Row
}

// Run plans the cells of the study, or of a shard of it, that the store does not
// have, and commits a row for each. Once ctx ends, running cells are abandoned
// and Run returns its error; committed rows stay. Failed cells are in the
// progress, and are not an error.
func Run(ctx context.Context, study *Study, to *store.Store, o Options) (Progress, error) {
	program := ThisProgram()
	if err := to.Begin(store.Study{Name: study.Name, Spec: study.Data, Planner: program.Planner, Engine: program.Engine}); err != nil {
		return Progress{}, err
	}
	held, err := to.Done()
	if err != nil {
		return Progress{}, err
	}
	var p Progress
	var todo []*Cell
	for _, c := range study.Work(program, o.Shard) {
		p.Cells++
		if held[c.Key(program)] {
			p.Held++
			continue
		}
		p.Total += c.weight()
		todo = append(todo, c)
	}
	p.Done = p.Held
	if o.Progress != nil {
		o.Progress(p)
	}
	if o.Parallel <= 0 {
		o.Parallel = runtime.GOMAXPROCS(0)
	}

	var mu sync.Mutex // guards p, and serialises Progress
	g, running := errgroup.WithContext(ctx)
	g.SetLimit(o.Parallel)
	for _, c := range todo {
		if running.Err() != nil {
			break
		}
		g.Go(func() error {
			row, schedule := measure(running, c, program, study.library)
			if err := running.Err(); err != nil {
				return err // the plan was cut short, not completed
			}
			if err := to.Put(row, schedule); err != nil {
				return err
			}
			mu.Lock()
			defer mu.Unlock()
			p.Done++
			p.Weight += c.weight()
			p.Last = row
			if row.Status == store.Failed {
				p.Failed++
			}
			if o.Progress != nil {
				o.Progress(p)
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return p, err
	}
	return p, ctx.Err()
}

// Result is a cell of a sweep with its row, nil where it has not been planned.
type Result struct {
	Sweep *Sweep
	Cell  *Cell
	Row   *store.Row
}

// Results returns the cells of the study in order, sweep by sweep, with their
// rows in the store.
func Results(study *Study, from *store.Store) ([]Result, error) {
	held, _, err := from.Study()
	if err != nil {
		return nil, err
	}
	rows, err := from.Rows()
	if err != nil {
		return nil, err
	}
	program := Program{held.Planner, held.Engine}
	var results []Result
	for i := range study.Sweeps {
		w := &study.Sweeps[i]
		cells := study.Cells(w)
		for k := range cells {
			results = append(results, Result{w, &cells[k], rows[cells[k].Key(program)]})
		}
	}
	return results, nil
}

// Lines returns the rows of the study in order, a line for every cell of every
// sweep, and the number of cells without one.
func Lines(study *Study, from *store.Store) (lines []store.TimedLine, missing int, err error) {
	results, err := Results(study, from)
	for _, r := range results {
		if r.Row == nil {
			missing++
			continue
		}
		lines = append(lines, r.Row.Line(r.Sweep.Name))
	}
	return lines, missing, err
}

// Held reads the study in a store.
func Held(from *store.Store) (*Study, error) {
	held, ok, err := from.Study()
	switch {
	case err != nil:
		return nil, err
	case !ok:
		return nil, fmt.Errorf("sweep: %s holds no study yet; jigsaw study run begins one", from.Name())
	}
	study, err := Decode(held.Spec)
	if err != nil {
		return nil, fmt.Errorf("sweep: %s: the study that it holds: %w", from.Name(), err)
	}
	return study, nil
}
