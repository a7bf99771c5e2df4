package jigsaw

import (
	"sync"
	"time"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
	"jigsaw/formulation/instance/symmetry"
)

// showEvery is the least time between two schedules that [Options.Incumbent] is
// told of: a picture of the plan need not change more often.
const showEvery = 100 * time.Millisecond

// showcase hands incumbents to a listener, as often as that can follow. The
// last of a burst is held back for the rest of showEvery and then shown, not
// lost. nil shows nothing.
type showcase struct {
	in   *instance.Instance
	tell func(*instance.Schedule)

	mu     sync.Mutex
	next   *instance.Schedule // held back
	timer  *time.Timer        // that will show it
	last   time.Time          // when one was shown
	closed bool
}

func newShowcase(in *instance.Instance, tell func(*instance.Schedule)) *showcase {
	if tell == nil {
		return nil
	}
	return &showcase{in: in, tell: tell}
}

// offer shows a schedule, now or soon.
func (c *showcase) offer(s *instance.Schedule) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.next = s
	if wait := showEvery - time.Since(c.last); wait <= 0 {
		c.show()
	} else if c.timer == nil {
		c.timer = time.AfterFunc(wait, c.due)
	}
}

// due shows what was held back.
func (c *showcase) due() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.timer = nil
	if !c.closed && c.next != nil {
		c.show()
	}
}

// show tells of the next schedule. A heuristic's word is not enough: what is
// not valid is not shown; the run itself finds out and says so.
func (c *showcase) show() {
	s := symmetry.Canonical(c.in, c.next)
	c.next = nil
	if len(check.Schedule(c.in, s)) == 0 {
		c.tell(s)
	}
	c.last = time.Now()
}

// close ends the show: nothing is told after it returns.
func (c *showcase) close() {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	if c.timer != nil {
		c.timer.Stop()
	}
}
