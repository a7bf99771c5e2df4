package api

import (
	"context"
	"maps"
	"slices"
	"sync"
)

// memory is a store that lasts as long as the page, or until it is closed.
type memory struct {
	mu     sync.Mutex
	kept   map[string][]Scenario // by id, newest first
	closed bool
}

func newMemory() *memory { return &memory{kept: map[string][]Scenario{}} }

func (m *memory) Heads(context.Context) ([]ScenarioHead, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil, ErrClosed
	}
	var heads []ScenarioHead
	for _, revisions := range m.kept {
		heads = append(heads, revisions[0].Head())
	}
	return heads, nil
}

func (m *memory) Revisions(_ context.Context, id string) ([]Scenario, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil, ErrClosed
	}
	return slices.Clone(m.kept[id]), nil
}

func (m *memory) Change(_ context.Context, id string, next func(*ScenarioHead) Scenario) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return ErrClosed
	}
	var latest *ScenarioHead
	if revisions := m.kept[id]; len(revisions) > 0 {
		head := revisions[0].Head()
		latest = &head
	}
	s := next(latest)
	revisions := m.kept[s.ID]
	if len(revisions) > 0 && revisions[0].Revision == s.Revision {
		revisions = revisions[1:]
	}
	revisions = slices.Insert(slices.Clone(revisions), 0, s)
	m.kept[s.ID] = revisions[:min(len(revisions), KeptRevisions)]
	return nil
}

func (m *memory) Remove(_ context.Context, id string) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return false, ErrClosed
	}
	_, ok := m.kept[id]
	delete(m.kept, id)
	return ok, nil
}

// next returns a revision that has not been moved elsewhere, the oldest of each scenario
// first. If there is none, the memory closes and nil is returned.
func (m *memory) next(moved map[Scenario]bool) *Scenario {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, id := range slices.Sorted(maps.Keys(m.kept)) {
		for _, s := range slices.Backward(m.kept[id]) {
			if !moved[s] {
				return &s
			}
		}
	}
	m.closed = true
	return nil
}
