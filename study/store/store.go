package store

import (
	"bytes"
	"compress/gzip"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"strings"
)

// format is the version of the file's tables.
const format = 3

// application marks the file as one of ours ("JgSw").
const application = 0x4a675377

// Store is an open study file. Its methods may be called concurrently.
type Store struct {
	name string
	db   *sql.DB
}

// Study is the file's information on its study.
type Study struct {
	Name string
	// Spec is the study's file as given.
	Spec []byte
	// Planner and Engine of the rows of the last run.
	Planner, Engine string
}

var rowColumns = columnsOf(reflect.TypeFor[Row]())

// Open opens a study file to read it. The file must exist.
func Open(name string) (*Store, error) {
	info, err := os.Stat(name)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("store: there is no file %s; jigsaw study run makes it", name)
		}
		return nil, fmt.Errorf("store: %w", err)
	}
	if info.Mode().IsRegular() && info.Size() == 0 { // SQLite would turn it into a database
		return nil, fmt.Errorf("store: %s is empty; give the file of jigsaw study run --db", name)
	}
	return open(name)
}

// Create opens a study file to add to it, and creates it if it is missing.
func Create(name string) (*Store, error) {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return nil, fmt.Errorf("store: %w", err)
	}
	return open(name)
}

// open opens the file under its single lock.
func open(name string) (*Store, error) {
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("store: %s is not a file", name)
	}
	// locking_mode=EXCLUSIVE before WAL keeps the log's index in this process's
	// memory: there is no second writer, and no memory is shared.
	source := url.URL{Scheme: "file", Opaque: (&url.URL{Path: filepath.ToSlash(name)}).EscapedPath(), RawQuery: url.Values{
		"_pragma": {"busy_timeout(0)", "locking_mode(EXCLUSIVE)", "journal_mode(WAL)", "synchronous(FULL)"},
		"_txlock": {"immediate"},
	}.Encode()}
	db, err := sql.Open("sqlite", source.String())
	if err != nil {
		return nil, fmt.Errorf("store: %s: this build has no SQLite: %w", name, err)
	}
	db.SetMaxOpenConns(1)
	s := &Store{name, db}
	if err := s.prepare(); err != nil {
		db.Close()
		return nil, s.explain(err)
	}
	return s, nil
}

// prepare creates the tables of a new file, and checks those of an existing
// one.
func (s *Store) prepare() error {
	var app, version, tables int64
	if err := errors.Join(
		s.db.QueryRow("PRAGMA application_id").Scan(&app),
		s.db.QueryRow("PRAGMA user_version").Scan(&version),
		s.db.QueryRow("SELECT count(*) FROM sqlite_master").Scan(&tables),
	); err != nil {
		return err
	}
	switch {
	case tables == 0 && app == 0:
		return s.transact(func(t *sql.Tx) error {
			for _, statement := range []string{
				fmt.Sprintf("PRAGMA application_id = %d", application),
				fmt.Sprintf("PRAGMA user_version = %d", format),
				"CREATE TABLE study (id INTEGER PRIMARY KEY CHECK (id = 1), name TEXT NOT NULL, spec BLOB NOT NULL, planner TEXT NOT NULL, engine TEXT NOT NULL) STRICT",
				"CREATE TABLE run (" + definition(rowColumns) + ") STRICT, WITHOUT ROWID",
				"CREATE TABLE plan (key TEXT PRIMARY KEY, schedule BLOB NOT NULL) STRICT, WITHOUT ROWID",
			} {
				if _, err := t.Exec(statement); err != nil {
					return err
				}
			}
			return nil
		})
	case app != application:
		return errors.New("it is an SQLite file, but not of a study")
	case version == format-1: // it lacks one column
		if err := s.transact(func(t *sql.Tx) error {
			_, err := t.Exec(fmt.Sprintf("ALTER TABLE run ADD COLUMN residence TEXT NOT NULL DEFAULT 'plan'; PRAGMA user_version = %d", format))
			return err
		}); err != nil {
			return err
		}
	case version != format:
		return fmt.Errorf("its tables have version %d; this program reads version %d: export it with the program that made it", version, format)
	}
	var verdict string
	if err := s.db.QueryRow("PRAGMA quick_check(1)").Scan(&verdict); err != nil {
		return err
	}
	if verdict != "ok" {
		return fmt.Errorf("database disk image is malformed: %s", verdict)
	}
	return nil
}

// explain adds the file's name, and advice, to an error.
func (s *Store) explain(err error) error {
	if err == nil {
		return nil
	}
	hint := ""
	switch text := err.Error(); {
	case strings.Contains(text, "database is locked"), strings.Contains(text, "SQLITE_BUSY"):
		hint = "; another jigsaw is using it: wait until it ends, or use another file and merge them"
	case strings.Contains(text, "not a database"):
		// SQLite repeats it for each attempt.
		err = errors.New("it is not the file of a study, or it is damaged")
		hint = "; give the file of jigsaw study run --db, restore a copy, or move it away and run the study again"
	case strings.Contains(text, "malformed"):
		hint = "; the file is damaged: restore a copy, or move it away and run the study again"
	case strings.Contains(text, "disk is full"), strings.Contains(text, "SQLITE_FULL"):
		hint = "; make room and run the study again: it goes on where it was"
	case strings.Contains(text, "readonly"), strings.Contains(text, "unable to open"):
		hint = "; it and its folder have to be writable, also for reading"
	}
	return fmt.Errorf("store: %s: %w%s", s.name, err, hint)
}

// Close closes the file and writes its log back.
func (s *Store) Close() error { return s.explain(s.db.Close()) }

// Name of the file.
func (s *Store) Name() string { return s.name }

func (s *Store) transact(do func(*sql.Tx) error) error {
	t, err := s.db.Begin()
	if err != nil {
		return err
	}
	if err := do(t); err != nil {
		return errors.Join(err, t.Rollback())
	}
	return t.Commit()
}

// Begin records which study the file is of. A file keeps to studies of one
// name; the study itself may have changed since.
func (s *Store) Begin(study Study) error {
	held, ok, err := s.Study()
	if err != nil {
		return err
	}
	if ok && held.Name != study.Name {
		return fmt.Errorf("store: %s holds the study %q, not %q; choose another file", s.name, held.Name, study.Name)
	}
	return s.explain(s.transact(func(t *sql.Tx) error {
		_, err := t.Exec("INSERT OR REPLACE INTO study (id, name, spec, planner, engine) VALUES (1, ?, ?, ?, ?)", study.Name, study.Spec, study.Planner, study.Engine)
		return err
	}))
}

// Study returns which study the file is of; ok is false in a new file.
func (s *Store) Study() (study Study, ok bool, err error) {
	err = s.db.QueryRow("SELECT name, spec, planner, engine FROM study").Scan(&study.Name, &study.Spec, &study.Planner, &study.Engine)
	if errors.Is(err, sql.ErrNoRows) {
		return Study{}, false, nil
	}
	return study, err == nil, s.explain(err)
}

// Done returns the keys of the cells that are done.
func (s *Store) Done() (map[string]bool, error) {
	rows, err := s.db.Query("SELECT key FROM run WHERE status <> ?", Failed)
	if err != nil {
		return nil, s.explain(err)
	}
	defer rows.Close()
	done := map[string]bool{}
	for rows.Next() {
		var key string
		if err := rows.Scan(&key); err != nil {
			return nil, s.explain(err)
		}
		done[key] = true
	}
	return done, s.explain(rows.Err())
}

// Put commits a row, and its schedule if that is not empty. Once it returns nil,
// the cell is done, whatever happens next. A row with the same key is replaced.
func (s *Store) Put(row *Row, schedule []byte) error {
	var packed bytes.Buffer
	if len(schedule) > 0 {
		z := gzip.NewWriter(&packed)
		if _, err := z.Write(schedule); err != nil {
			return err
		}
		if err := z.Close(); err != nil {
			return err
		}
	}
	insert := "INSERT OR REPLACE INTO run (" + names(rowColumns) + ") VALUES (?" + strings.Repeat(", ?", len(rowColumns)-1) + ")"
	return s.explain(s.transact(func(t *sql.Tx) error {
		if _, err := t.Exec(insert, values(reflect.ValueOf(row).Elem(), rowColumns)...); err != nil {
			return err
		}
		if packed.Len() == 0 {
			return nil
		}
		_, err := t.Exec("INSERT OR REPLACE INTO plan (key, schedule) VALUES (?, ?)", row.Key, packed.Bytes())
		return err
	}))
}

// values returns the columns of a record.
func values(record reflect.Value, columns []column) []any {
	var all []any
	for _, c := range columns {
		v := record.FieldByIndex(c.index)
		switch {
		case c.null && v.IsNil():
			all = append(all, nil)
		case c.null:
			all = append(all, v.Elem().Interface())
		default:
			all = append(all, v.Interface())
		}
	}
	return all
}

// Rows returns all rows by key.
func (s *Store) Rows() (map[string]*Row, error) {
	rows, err := s.db.Query("SELECT " + names(rowColumns) + " FROM run")
	if err != nil {
		return nil, s.explain(err)
	}
	defer rows.Close()
	all := map[string]*Row{}
	for rows.Next() {
		row := &Row{}
		if err := rows.Scan(pointers(reflect.ValueOf(row).Elem(), rowColumns)...); err != nil {
			return nil, s.explain(err)
		}
		all[row.Key] = row
	}
	return all, s.explain(rows.Err())
}

// Schedule returns the schedule of a cell, nil if none was stored.
func (s *Store) Schedule(key string) ([]byte, error) {
	var packed []byte
	err := s.db.QueryRow("SELECT schedule FROM plan WHERE key = ?", key).Scan(&packed)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, s.explain(err)
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, s.explain(err)
	}
	data, err := io.ReadAll(z)
	return data, s.explain(errors.Join(err, z.Close()))
}
