package store

import (
	"bytes"
	"fmt"
	"reflect"
)

// Merged is the outcome of a merge.
type Merged struct {
	// Added rows, and Known ones that the file already had.
	Added, Known int
	// Differing are the keys of cells that two files have with different outcomes.
	// The first is kept. This should only happen for methods with a time limit.
	Differing []string
}

// Merge adds the rows of other files of the same study to the store. Failed
// rows are replaced by others.
func (s *Store) Merge(files ...string) (Merged, error) {
	var m Merged
	held, err := s.Rows()
	if err != nil {
		return m, err
	}
	for _, name := range files {
		if err := s.mergeFile(name, held, &m); err != nil {
			return m, err
		}
	}
	return m, nil
}

func (s *Store) mergeFile(name string, held map[string]*Row, m *Merged) error {
	from, err := Open(name)
	if err != nil {
		return err
	}
	defer from.Close()
	if err := s.adopt(from); err != nil {
		return err
	}
	rows, err := from.Rows()
	if err != nil {
		return err
	}
	for key, row := range rows {
		if old := held[key]; old != nil && (old.Status != Failed || row.Status == Failed) {
			m.Known++
			if !reflect.DeepEqual(old.Outcome, row.Outcome) {
				m.Differing = append(m.Differing, key)
			}
			continue
		}
		schedule, err := from.Schedule(key)
		if err != nil {
			return err
		}
		if err := s.Put(row, schedule); err != nil {
			return err
		}
		held[key] = row
		m.Added++
	}
	return nil
}

// adopt makes the store one of the other's study, or checks that it already is.
func (s *Store) adopt(from *Store) error {
	theirs, ok, err := from.Study()
	if err != nil {
		return err
	}
	if !ok {
		return fmt.Errorf("store: %s holds no study yet", from.name)
	}
	ours, ok, err := s.Study()
	switch {
	case err != nil:
		return err
	case !ok:
		return s.Begin(theirs)
	case ours.Name != theirs.Name || !bytes.Equal(ours.Spec, theirs.Spec):
		return fmt.Errorf("store: %s is of the study %q and %s of %q, or of another version of it; shards of one study are made from one file", s.name, ours.Name, from.name, theirs.Name)
	case ours.Planner != theirs.Planner || ours.Engine != theirs.Engine:
		return fmt.Errorf("store: %s was made by %s with %s, but %s by %s with %s; run all shards with one program", s.name, ours.Planner, ours.Engine, from.name, theirs.Planner, theirs.Engine)
	}
	return nil
}
