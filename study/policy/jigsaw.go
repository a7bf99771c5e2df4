package policy

import (
	"context"

	"jigsaw/study/replay"
)

// jigSaw lets jobs share GPUs at the pace of JigSaw's periodic plans. The most
// urgent jobs are those of least remaining time x GPUs; they share where that is
// faster than taking turns.
type jigSaw struct {
	name    string
	pacer   *pacer
	sharing *sharing
}

// worthwhile is the gain from which GPUs are shared: enough to pay for the moves.
const worthwhile = 0.02

func newJigSaw(ctx context.Context, name string, o Options) (replay.Policy, error) {
	p := &jigSaw{name: name, pacer: newPacer(ctx, o)}
	p.sharing = newSharing(o, worthwhile, func(w *replay.Workload, jobs []int, _ int) float64 {
		return float64(len(jobs)) * p.pacer.estimate(w, jobs)
	})
	p.sharing.sticky = true
	return p, nil
}

func (p *jigSaw) Name() string { return p.name }

// Shares reports that jobs share GPUs.
func (p *jigSaw) Shares() bool { return true }

// Periods follows the plan of the group.
func (p *jigSaw) Periods(w *replay.Workload, jobs []int, kind int) []float64 {
	return p.pacer.periods(w, jobs, kind)
}

// Decide forms groups by urgency.
func (p *jigSaw) Decide(s *replay.State) replay.Decision {
	order := ordered(s, func(i int) float64 { return service(s, i) })
	return replay.Decision{Groups: p.sharing.groups(s, order), Again: replay.Never()}
}
