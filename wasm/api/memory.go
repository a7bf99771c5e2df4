package api

import (
	"context"
	"slices"
	"sync"
)

// memory is a store that lasts as long as the page.
type memory struct {
	mu   sync.Mutex
	kept map[string][]Scenario // by id, newest first
}

func newMemory() *memory { return &memory{kept: map[string][]Scenario{}} }

func (m *memory) Heads(context.Context) ([]ScenarioHead, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var heads []ScenarioHead
	for _, revisions := range m.kept {
		heads = append(heads, revisions[0].Head())
	}
	return heads, nil
}

func (m *memory) Revisions(_ context.Context, id string) ([]Scenario, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.kept[id]), nil
}

func (m *memory) Change(_ context.Context, id string, next func(*ScenarioHead) Scenario) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	var latest *ScenarioHead
	if revisions := m.kept[id]; len(revisions) > 0 {
		head := revisions[0].Head()
		latest = &head
	}
	s := next(latest)
	revisions := slices.Insert(m.kept[s.ID], 0, s)
	m.kept[s.ID] = revisions[:min(len(revisions), KeptRevisions)]
	return nil
}

func (m *memory) Remove(_ context.Context, id string) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	_, ok := m.kept[id]
	delete(m.kept, id)
	return ok, nil
}
