package main

import (
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"jigsaw"
	"jigsaw/formulation/instance"
)

// progress shows incumbent, bound and gap on one line of a terminal while the
// planner works. In a pipe it shows nothing.
type progress struct {
	in   *instance.Instance
	bar  *progressbar.ProgressBar
	stop chan struct{}
	done sync.WaitGroup
}

func newProgress(std streams, in *instance.Instance) *progress {
	p := &progress{in: in, stop: make(chan struct{})}
	f, ok := std.err.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return p
	}
	p.bar = progressbar.NewOptions(-1,
		progressbar.OptionSetWriter(f),
		progressbar.OptionSetDescription("planning "+in.Name),
		progressbar.OptionSpinnerType(14),
		progressbar.OptionSetElapsedTime(true),
		progressbar.OptionClearOnFinish(),
	)
	p.done.Go(p.turn)
	return p
}

// turn keeps the line alive between events.
func (p *progress) turn() {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-p.stop:
			return
		case <-tick.C:
			_ = p.bar.Add(1) // a terminal that went away is no reason to stop planning
		}
	}
}

// show is called for every new incumbent and bound.
func (p *progress) show(point jigsaw.Point) {
	if p.bar == nil {
		return
	}
	text := fmt.Sprintf("planning %s: plan %s, bound %s", p.in.Name,
		jigsaw.FormatValue(p.in, point.Primal), jigsaw.FormatValue(p.in, point.Dual))
	if point.Primal != nil && point.Dual != nil {
		text += fmt.Sprintf(", gap %.1f %%", 100*jigsaw.Gap(point.Primal, point.Dual))
	}
	p.bar.Describe(text)
}

// end removes the line.
func (p *progress) end(*jigsaw.Result) {
	if p.bar == nil {
		return
	}
	close(p.stop)
	p.done.Wait()
	_ = p.bar.Finish()
}
