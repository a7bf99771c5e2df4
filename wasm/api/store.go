package api

import "context"

// Scenario is an instance stored by the page, with its view.
type Scenario struct {
	ID       string  `json:"id"`
	Name     string  `json:"name"`
	Revision int     `json:"revision"`
	SavedMS  float64 `json:"saved_ms"`
	Text     string  `json:"text"`
	View     string  `json:"view"`
}

// ScenarioHead is a scenario without its content.
type ScenarioHead struct {
	ID       string  `json:"id"`
	Name     string  `json:"name"`
	Revision int     `json:"revision"`
	SavedMS  float64 `json:"saved_ms"`
}

// Head returns the scenario without its content.
func (s *Scenario) Head() ScenarioHead {
	return ScenarioHead{s.ID, s.Name, s.Revision, s.SavedMS}
}

// KeptRevisions is the number of revisions kept of a scenario.
const KeptRevisions = 20

// Store keeps scenarios and their latest [KeptRevisions] revisions. Other stores
// may work on the same data: those of the page's other tabs.
type Store interface {
	// Heads lists the latest revision of every scenario.
	Heads(ctx context.Context) ([]ScenarioHead, error)
	// Revisions returns the kept revisions of a scenario, newest first.
	Revisions(ctx context.Context, id string) ([]Scenario, error)
	// Change asks for the next revision of a scenario, given the latest (nil if there is
	// none), and writes it; the scenario is not changed by others in between. The revision
	// may also belong to another, new scenario, or replace the latest.
	Change(ctx context.Context, id string, next func(latest *ScenarioHead) Scenario) error
	// Remove removes a scenario with all revisions. It reports whether there was one.
	Remove(ctx context.Context, id string) (bool, error)
}
