package study

import (
	"fmt"

	"github.com/schollz/progressbar/v3"

	"jigsaw/cmd/jigsaw/cli"
	"jigsaw/study/store"
	"jigsaw/study/sweep"
)

// studyProgress shows the progress of a study, and about how long it will take,
// on one line of a terminal. In a pipe it prints a line for each failed cell.
type studyProgress struct {
	std  cli.Streams
	name string
	bar  *progressbar.ProgressBar
	live bool
}

func newStudyProgress(std cli.Streams, name string) *studyProgress {
	_, live := std.Terminal()
	return &studyProgress{std: std, name: name, live: live}
}

// update is called at the start and after every cell.
func (s *studyProgress) update(p sweep.Progress) {
	if p.Last != nil && p.Last.Status == store.Failed {
		fmt.Fprintf(s.std.Err, "cell %.12s failed: %s\n", p.Last.Key, p.Last.Reason)
	}
	if !s.live {
		return
	}
	// The bar counts weights, so that its estimate accounts for large cells coming
	// first.
	if s.bar == nil {
		s.bar = progressbar.NewOptions64(int64(max(1, p.Total)),
			progressbar.OptionSetWriter(s.std.Err),
			progressbar.OptionSetPredictTime(true),
			progressbar.OptionSetElapsedTime(true),
			progressbar.OptionClearOnFinish(),
		)
	}
	s.bar.Describe(fmt.Sprintf("%s: %d of %d cells", s.name, p.Done, p.Cells))
	_ = s.bar.Set64(int64(p.Weight)) // a lost terminal is no reason to stop
}

// end removes the line.
func (s *studyProgress) end() {
	if s.bar != nil {
		_ = s.bar.Finish()
	}
}
