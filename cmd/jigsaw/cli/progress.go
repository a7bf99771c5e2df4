package cli

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

// Progress shows incumbent, bound and gap on one line of a terminal while the
// planner works. In a pipe it shows nothing.
type Progress struct {
	in       *instance.Instance
	terminal *os.File
	bar      *progressbar.ProgressBar
	stop     chan struct{}
	done     sync.WaitGroup
}

// NewProgress shows the progress of a run on a terminal, and nothing elsewhere.
func NewProgress(std Streams, in *instance.Instance) *Progress {
	p := &Progress{in: in, stop: make(chan struct{})}
	f, ok := std.Terminal()
	if !ok {
		return p
	}
	p.terminal = f
	p.bar = progressbar.NewOptions(-1,
		progressbar.OptionSetWriter(f),
		progressbar.OptionSetDescription(p.line("…")),
		progressbar.OptionSpinnerType(14),
		progressbar.OptionSetElapsedTime(true),
		progressbar.OptionClearOnFinish(),
	)
	p.done.Go(p.turn)
	return p
}

// turn keeps the spinner moving between events.
func (p *Progress) turn() {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-p.stop:
			return
		case <-tick.C:
			_ = p.bar.Add(1) // a lost terminal is no reason to stop planning
		}
	}
}

// Show is called for every new incumbent and bound.
func (p *Progress) Show(point jigsaw.Point) {
	if p.bar == nil {
		return
	}
	text := fmt.Sprintf("plan %s, bound %s", jigsaw.FormatValue(p.in, point.Primal), jigsaw.FormatValue(p.in, point.Dual))
	if point.Primal != nil && point.Dual != nil {
		text += ", gap " + Gap(point.Primal, point.Dual, 1)
	}
	p.bar.Describe(p.line(text))
}

// line is the text cut to the width of the terminal, which may have been resized: a
// longer line could not be overwritten.
func (p *Progress) line(text string) string {
	const beside = 16 // the spinner and the time
	width, _, err := term.GetSize(int(p.terminal.Fd()))
	if err != nil || width <= 0 {
		width = 80
	}
	return Fit("planning "+p.in.Name+": ", text, width-beside)
}

// Fit writes a title and a text in at most room characters; the text is
// shortened first.
func Fit(title, text string, room int) string {
	line := []rune(title + text)
	if len(line) > room {
		line = []rune(text)
	}
	if len(line) > room {
		line = append(line[:max(0, room-1)], '…')
	}
	return string(line)
}

// End removes the line.
func (p *Progress) End(*jigsaw.Result) {
	if p.bar == nil {
		return
	}
	close(p.stop)
	p.done.Wait()
	_ = p.bar.Finish()
}
