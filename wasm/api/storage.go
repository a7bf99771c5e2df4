package api

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// patience is how long a store may take. One that takes longer is wedged, as
// browsers' sometimes are, and given up for the rest of the visit. So it is far
// more than a busy machine needs, where opening alone has taken a second.
const patience = 10 * time.Second

// storage is the store in use: the page's own or, where that cannot be opened or
// does not answer, memory.
type storage struct {
	open func(context.Context) (Store, error)

	mu       sync.Mutex
	store    Store // nil: not opened yet
	reopened int
	reason   string // why it does not last; empty: it does
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
		return do(ctx, s.giveUp(store, fmt.Sprintf("the browser's storage does not answer within %v", patience)))
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

// lasting says why what is stored is lost with the page; empty: it is not.
func (s *storage) lasting() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.reason
}
