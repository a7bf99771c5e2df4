package api

import (
	"context"
	"errors"
	"sync"
	"time"
)

// patience is how long a store may take. While one takes longer, as browsers' do
// where another tab holds them or the machine is busy, memory serves.
const patience = 2 * time.Second

// storage is the store in use: the page's own or, where that cannot be opened or
// does not answer, memory.
type storage struct {
	open func(context.Context) (Store, error)

	mu       sync.Mutex
	store    Store // nil: not opened yet
	reopened int
	reason   string // why it does not last; empty: it does
	// moved says by id in memory what became of its latest revision that was moved.
	moved map[string]move
}

// move is where a revision that memory had kept went: a scenario that another tab
// had changed meanwhile goes on as a copy.
type move struct {
	revision int
	to       ScenarioHead
}

// mostReopened is how often a store that was closed is opened again.
const mostReopened = 10

// ErrClosed is the error of a store that was closed from outside, and may be
// opened again.
var ErrClosed = errors.New("the storage was closed")

// errNoStore is why a host that has no store of its own keeps scenarios in memory.
var errNoStore = errors.New("this host has no storage")

// use does something with the store. What a store that is given up was to do is
// done with memory instead.
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

// opened returns the store, opening it at the first call. Calls wait for each
// other, but not longer than the first.
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

// reopen has a closed store opened anew at the next call. It reports whether that
// is worth a try: a store that keeps closing is not.
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

// giveUp goes over to memory, unless another call has already.
func (s *storage) giveUp(broken Store, reason string) Store {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.store == broken {
		s.store, s.reason = newMemory(), reason
	}
	return s.store
}

// bridge goes over to memory, unless another call has already, until the page's
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

// comeBack opens the page's store again, however long that takes, and moves what
// memory has kept meanwhile into it. Where that fails memory goes on.
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

// next returns what is to be moved next; once there is nothing more, nil, and the
// store serves.
func (s *storage) next(bridge *memory, moved map[Scenario]bool, store Store) *Scenario {
	s.mu.Lock()
	defer s.mu.Unlock()
	next := bridge.next(moved)
	if next == nil {
		s.store, s.reason = store, ""
	}
	return next
}

// move writes a revision after those that were moved before it. As ever nothing is
// overwritten: what another tab has changed stays, and this goes on as a copy. It replaces
// nothing either, for then revisions here would be fewer than the page counts.
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

// follow is a revision as it is to be written, where the one before it was moved.
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

// lasting says why what is stored is lost with the page; empty: it is not.
func (s *storage) lasting() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.reason
}
