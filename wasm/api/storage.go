package api

import (
	"context"
	"errors"
	"sync"
	"time"
)

// patience is how long a store may take. If one takes longer, as those of browsers do
// when another tab blocks them or the machine is busy, memory is used meanwhile.
const patience = 2 * time.Second

// storage is the store in use: the page's own or, if that cannot be opened or does
// not answer, memory.
type storage struct {
	open func(context.Context) (Store, error)

	mu       sync.Mutex
	store    Store // nil: not opened yet
	reopened int
	reason   string // why it does not outlive the page; empty: it does
	// moved says, by id in memory, where the latest moved revision went.
	moved map[string]move
}

// move is the destination of a revision kept in memory: a scenario that another tab has
// changed meanwhile continues as a copy.
type move struct {
	revision int
	to       ScenarioHead
}

// mostReopened is how often a closed store is opened again.
const mostReopened = 10

// ErrClosed is the error of a store that was closed from outside, and may be
// opened again.
var ErrClosed = errors.New("the storage was closed")

// errNoStore is the reason why a host without a store keeps scenarios in memory.
var errNoStore = errors.New("this host has no storage")

// use does something with the store. If the store is given up, it is done with memory
// instead.
func (s *storage) use(ctx context.Context, do func(context.Context, Store) error) error {
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	store, err := s.opened(limited)
	if err == nil {
		err = do(limited, store)
	}
	if errors.Is(err, ErrClosed) && s.reopen(store) {
		return s.use(ctx, do)
	}
	switch {
	case err == nil || ctx.Err() != nil:
		return err
	case errors.Is(err, context.DeadlineExceeded):
		return do(ctx, s.bridge(context.WithoutCancel(ctx), store))
	case store == nil, errors.Is(err, ErrClosed):
		return do(ctx, s.giveUp(store, err.Error()))
	}
	return err
}

// opened returns the store, and opens it at the first call. Calls wait for each other,
// but not longer than the first.
func (s *storage) opened(ctx context.Context) (Store, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.store != nil {
		return s.store, nil
	}
	store, err := s.open(ctx)
	if err != nil {
		return nil, err
	}
	s.store = store
	return store, nil
}

// reopen makes the next call open a closed store again. It reports whether that is worth
// trying: not if the store keeps closing.
func (s *storage) reopen(closed Store) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.reopened == mostReopened {
		return false
	}
	if s.store == closed {
		s.store = nil
		s.reopened++
	}
	return true
}

// giveUp switches to memory, unless another call has already done so.
func (s *storage) giveUp(broken Store, reason string) Store {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.store == broken {
		s.store, s.reason = newMemory(), reason
	}
	return s.store
}

// bridge switches to memory, unless another call has already done so, until the page's
// store answers.
func (s *storage) bridge(ctx context.Context, slow Store) Store {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.store == slow {
		bridge := newMemory()
		s.store, s.reason = bridge, "the browser's storage does not answer; once it does, it keeps this, too"
		go s.comeBack(ctx, bridge)
	}
	return s.store
}

// comeBack opens the page's store again, however long that takes, and moves the contents
// of memory into it. If that fails, memory stays in use.
func (s *storage) comeBack(ctx context.Context, bridge *memory) {
	store, err := s.open(ctx)
	if err == nil {
		_, err = store.Heads(ctx)
	}
	moved := map[Scenario]bool{}
	for err == nil {
		next := s.next(bridge, moved, store)
		if next == nil {
			return
		}
		moved[*next] = true
		err = s.move(ctx, store, *next)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reason = err.Error()
}

// next returns what is to be moved next; when nothing is left it returns nil, and the
// store is used from then on.
func (s *storage) next(bridge *memory, moved map[Scenario]bool, store Store) *Scenario {
	s.mu.Lock()
	defer s.mu.Unlock()
	next := bridge.next(moved)
	if next == nil {
		s.store, s.reason = store, ""
	}
	return next
}

// move writes a revision after those that were moved before it. As always nothing is
// overwritten: changes by another tab stay, and this scenario continues as a copy. It does not
// replace a revision either, because then there would be fewer revisions than the page counts.
func (s *storage) move(ctx context.Context, store Store, kept Scenario) error {
	next := kept
	if s.moved[kept.ID].revision == kept.Revision {
		next.Revision++ // its view has changed since it was moved
	}
	written, _, err := write(ctx, store, s.follow(next), false)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.moved == nil {
		s.moved = map[string]move{}
	}
	s.moved[kept.ID] = move{kept.Revision, written.Head()}
	return err
}

// follow returns a revision in the form to be written after the previous one was moved.
func (s *storage) follow(next Scenario) Scenario {
	s.mu.Lock()
	defer s.mu.Unlock()
	if before, ok := s.moved[next.ID]; ok && before.revision == next.Revision-1 {
		next.Revision = before.to.Revision + 1
		if before.to.ID != next.ID {
			next.ID, next.Name = before.to.ID, before.to.Name
		}
	}
	return next
}

// lasting says why stored data are lost with the page; empty: they are not.
func (s *storage) lasting() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.reason
}
