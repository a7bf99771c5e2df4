package api

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"unicode/utf8"
)

// Limits of a scenario, in bytes. All scenarios share the browser's store.
const (
	maxScenarioName = 200
	maxScenarioText = 8 << 20
	maxScenarioView = 1 << 20
)

type listResult struct {
	Persistent bool           `json:"persistent"`
	Reason     string         `json:"reason"`
	Scenarios  []ScenarioHead `json:"scenarios"`
}

// storeList lists what is stored, the latest first.
func (a *API) storeList(ctx context.Context, _ *none) (*listResult, error) {
	heads := []ScenarioHead{}
	err := a.storage.use(ctx, func(ctx context.Context, store Store) error {
		list, err := store.Heads(ctx)
		heads = append([]ScenarioHead{}, list...)
		return err
	})
	slices.SortFunc(heads, func(x, y ScenarioHead) int {
		return cmp.Or(cmp.Compare(y.SavedMS, x.SavedMS), cmp.Compare(x.ID, y.ID))
	})
	reason := a.storage.lasting()
	return &listResult{reason == "", reason, heads}, err
}

type idParams struct {
	ID string `json:"id"`
}

// storeGet returns the latest revision, or nil.
func (a *API) storeGet(ctx context.Context, p *idParams) (*Scenario, error) {
	revisions, err := a.storeHistory(ctx, p)
	if err != nil || len(revisions) == 0 {
		return nil, err
	}
	return &revisions[0], nil
}

func (a *API) storeHistory(ctx context.Context, p *idParams) (revisions []Scenario, err error) {
	err = a.storage.use(ctx, func(ctx context.Context, store Store) error {
		list, err := store.Revisions(ctx, p.ID)
		revisions = append([]Scenario{}, list...)
		return err
	})
	return revisions, err
}

func (a *API) storeRemove(ctx context.Context, p *idParams) (removed bool, err error) {
	err = a.storage.use(ctx, func(ctx context.Context, store Store) error {
		removed, err = store.Remove(ctx, p.ID)
		return err
	})
	return removed, err
}

type putParams struct {
	ID    string  `json:"id"`
	Text  string  `json:"text"`
	View  string  `json:"view"`
	Base  int     `json:"base"`
	NowMS float64 `json:"now_ms"`
}

type putResult struct {
	Scenario   ScenarioHead `json:"scenario"`
	Conflict   bool         `json:"conflict"`
	Persistent bool         `json:"persistent"`
}

func (p *putParams) check() error {
	switch {
	case p.ID == "" || len(p.ID) > maxScenarioName:
		return invalid("the id of a scenario has 1 to %d bytes", maxScenarioName)
	case len(p.Text) > maxScenarioText:
		return invalid("the scenario is larger than %d MiB: export it to a file", maxScenarioText>>20)
	case len(p.View) > maxScenarioView:
		return invalid("the view of a scenario is larger than %d MiB", maxScenarioView>>20)
	case !(p.NowMS >= 0):
		return invalid("now_ms %v: give the time in milliseconds since 1970", p.NowMS)
	case p.Base < 0:
		return invalid("base %d: revisions count from 1; 0 is a new scenario", p.Base)
	}
	return nil
}

// storePut writes the next revision of a scenario, under the name in its text.
func (a *API) storePut(ctx context.Context, p *putParams) (*putResult, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	var name string
	text, err := a.compiled.read(p.Text)
	if err != nil {
		return nil, err
	}
	if text.document != nil {
		name = shortened(text.document.Spec.Name, "")
	}
	var r putResult
	err = a.storage.use(ctx, func(ctx context.Context, store Store) error {
		next := a.storage.follow(Scenario{p.ID, name, p.Base + 1, p.NowMS, p.Text, p.View})
		written, conflict, err := write(ctx, store, next, true)
		r.Scenario, r.Conflict = written.Head(), conflict || written.ID != p.ID
		return err
	})
	if err != nil {
		return nil, err
	}
	r.Persistent = a.storage.lasting() == ""
	return &r, nil
}

// write writes the next revision of a scenario, and reads it back. If the revision on which
// it is based is no longer the latest, it becomes a scenario of its own, and conflict is true.
// With replace, a revision with the text of the latest replaces that: only the view is new,
// and the history is one of texts. A scenario that was removed meanwhile is stored again.
// If an earlier try has written the revision already, it stays as it is. A scenario without
// a name, as when the text cannot be read, keeps its previous name.
func write(ctx context.Context, store Store, s Scenario, replace bool) (written Scenario, conflict bool, err error) {
	there, err := store.Revisions(ctx, s.ID)
	if s.Name == "" {
		s.Name = unnamed
		if len(there) > 0 {
			s.Name = there[0].Name
		}
	}
	if err != nil || slices.Contains(there, s) {
		return s, false, err
	}
	err = store.Change(ctx, s.ID, func(latest *ScenarioHead) Scenario {
		written = s
		switch conflict = latest != nil && latest.Revision != s.Revision-1; {
		case conflict:
			written.ID, written.Name, written.Revision = newID(), shortened(s.Name, " (copy)"), 1
		case replace && latest != nil && len(there) > 0 && there[0].Revision == latest.Revision && there[0].Text == s.Text:
			written.Revision = latest.Revision
		}
		return written
	})
	if err == nil {
		err = readBack(ctx, store, written)
	}
	return written, conflict, err
}

// shortened is a name with a suffix, cut to the permitted length.
func shortened(name, suffix string) string {
	for len(name)+len(suffix) > maxScenarioName {
		_, size := utf8.DecodeLastRuneInString(name)
		name = name[:len(name)-size]
	}
	return name + suffix
}

// readBack checks that a store returns what was written.
func readBack(ctx context.Context, store Store, written Scenario) error {
	revisions, err := store.Revisions(ctx, written.ID)
	switch {
	case err != nil:
		return fmt.Errorf("the scenario was written but cannot be read back: %w", err)
	case !slices.Contains(revisions, written):
		return errors.New("the browser's storage does not hold what was written: export the scenario to a file")
	}
	return nil
}

// newID returns a unique id. Package crypto/rand would add much that a first plan has to load (DECISIONS.md, section 21).
func newID() string {
	return strconv.FormatUint(rand.Uint64(), 36) + strconv.FormatUint(rand.Uint64(), 36) // #nosec G404 -- no secret
}
