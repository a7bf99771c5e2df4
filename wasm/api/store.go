package api

import "context"

// Scenario is an instance that the page keeps, with how the page shows it.
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

// KeptRevisions is how many revisions of a scenario are kept.
const KeptRevisions = 20

// Store keeps scenarios and their latest [KeptRevisions] revisions. Other stores
// may work on the same data: those of the page's other tabs.
type Store interface {
	// Heads lists the latest revision of every scenario.
	Heads(ctx context.Context) ([]ScenarioHead, error)
	// Revisions returns the kept revisions of a scenario, newest first.
	Revisions(ctx context.Context, id string) ([]Scenario, error)
	// Change asks for the next revision of a scenario, given the latest, which is
	// nil where there is none, and writes it; nobody changes the scenario in
	// between. The revision may also be of another, new scenario, or the latest anew.
	Change(ctx context.Context, id string, next func(latest *ScenarioHead) Scenario) error
	// Remove removes a scenario with all revisions. It reports whether there was one.
	Remove(ctx context.Context, id string) (bool, error)
}
