package store_test

import (
	"bytes"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/study/store"
)

func ptr(f float64) *float64 { return &f }

func row(key string, value float64) *store.Row {
	r := &store.Row{}
	r.Key, r.Cluster, r.GPUs, r.Seed, r.Status, r.Certified = key, "1x2x4", 8, -3, "feasible", true
	r.Plan, r.Gap, r.Reason = ptr(value), ptr(0.1), `quotes " and, commas`
	r.Seconds = 1.5
	return r
}

var study = store.Study{Name: "s", Spec: []byte("version: 1"), Planner: "p", Engine: "e"}

func create(t *testing.T, name string, rows ...*store.Row) *store.Store {
	t.Helper()
	s, err := store.Create(filepath.Join(t.TempDir(), name))
	require.NoError(t, err)
	t.Cleanup(func() { s.Close() })
	require.NoError(t, s.Begin(study))
	for _, r := range rows {
		require.NoError(t, s.Put(r, []byte("schedule of "+r.Key)))
	}
	return s
}

func TestRoundTrip(t *testing.T) {
	s := create(t, "a b?#%.db", row("a", 1), row("b", 2.25))
	failed := row("c", 0)
	failed.Status, failed.Plan = store.Failed, nil
	require.NoError(t, s.Put(failed, nil))
	require.NoError(t, s.Close())

	s, err := store.Open(s.Name())
	require.NoError(t, err)
	defer s.Close()
	rows, err := s.Rows()
	require.NoError(t, err)
	assert.Equal(t, map[string]*store.Row{"a": row("a", 1), "b": row("b", 2.25), "c": failed}, rows)
	done, err := s.Done()
	require.NoError(t, err)
	assert.Equal(t, map[string]bool{"a": true, "b": true}, done, "a failed cell is not done")
	held, ok, err := s.Study()
	require.NoError(t, err)
	assert.True(t, ok)
	assert.Equal(t, study, held)
	schedule, err := s.Schedule("a")
	require.NoError(t, err)
	assert.Equal(t, "schedule of a", string(schedule))
	schedule, err = s.Schedule("c")
	require.NoError(t, err)
	assert.Nil(t, schedule)
}

// TestBeforeResidences: a file from before residences is read as of jobs that are in memory for the whole plan.
func TestBeforeResidences(t *testing.T) {
	s := create(t, "old.db", row("a", 1))
	require.NoError(t, s.Close())
	db, err := sql.Open("sqlite", s.Name())
	require.NoError(t, err)
	_, err = db.Exec("ALTER TABLE run DROP COLUMN residence; PRAGMA user_version = 2")
	require.NoError(t, err)
	require.NoError(t, db.Close())

	for range 2 {
		s, err := store.Open(s.Name())
		require.NoError(t, err)
		rows, err := s.Rows()
		require.NoError(t, err)
		want := row("a", 1)
		want.Residence = "plan"
		assert.Equal(t, map[string]*store.Row{"a": want}, rows)
		require.NoError(t, s.Close())
	}
}

func TestOneWriter(t *testing.T) {
	s := create(t, "s.db", row("a", 1))
	_, err := store.Create(s.Name())
	assert.ErrorContains(t, err, "another jigsaw is using it")
}

func TestOtherStudy(t *testing.T) {
	s := create(t, "s.db")
	assert.ErrorContains(t, s.Begin(store.Study{Name: "other"}), `holds the study "s", not "other"`)
}

func TestDamagedFiles(t *testing.T) {
	whole := create(t, "s.db")
	for i := range 300 {
		require.NoError(t, whole.Put(row(strings.Repeat("k", 40)+string(rune('a'+i%26))+strings.Repeat("x", i), 1), nil))
	}
	require.NoError(t, whole.Close())
	data, err := os.ReadFile(whole.Name())
	require.NoError(t, err)
	scrambled := bytes.Clone(data)
	for i := 4096; i < len(scrambled); i++ {
		scrambled[i] ^= byte(i * 7)
	}
	foreign := bytes.Clone(data)
	copy(foreign[68:72], "none") // the application id of an SQLite file
	later := bytes.Clone(data)
	later[63]++ // the user version
	for name, file := range map[string]struct {
		data []byte
		want string
	}{
		"text":      {bytes.Repeat([]byte("not a database "), 500), "restore a copy, or move it away"},
		"cut":       {data[:len(data)/2], "restore a copy, or move it away"},
		"scrambled": {scrambled, "restore a copy, or move it away"},
		"foreign":   {foreign, "not of a study"},
		"later":     {later, "export it with the program that made it"},
	} {
		path := filepath.Join(t.TempDir(), name)
		require.NoError(t, os.WriteFile(path, file.data, 0o644))
		s, err := store.Open(path)
		if assert.Error(t, err, name) {
			assert.ErrorContains(t, err, file.want)
			assert.ErrorContains(t, err, path)
		} else {
			s.Close()
		}
	}
	_, err = store.Open(filepath.Join(t.TempDir(), "none.db"))
	assert.ErrorContains(t, err, "there is no file")
	_, err = store.Create(t.TempDir())
	assert.ErrorContains(t, err, "is not a file")
}

// TestLostPower cuts the write-ahead log where a machine that loses power
// might: what was committed before the cut is there, nothing else, and no
// partial row.
func TestLostPower(t *testing.T) {
	s := create(t, "s.db")
	var ends []int64 // of the log, after each commit
	for i := range 8 {
		require.NoError(t, s.Put(row(string(rune('a'+i)), float64(i)), []byte("schedule")))
		info, err := os.Stat(s.Name() + "-wal")
		require.NoError(t, err)
		ends = append(ends, info.Size())
	}
	main, err := os.ReadFile(s.Name())
	require.NoError(t, err)
	log, err := os.ReadFile(s.Name() + "-wal")
	require.NoError(t, err)
	for cut := ends[0]; cut <= int64(len(log)); cut += 997 {
		path := filepath.Join(t.TempDir(), "cut.db")
		require.NoError(t, os.WriteFile(path, main, 0o644))
		require.NoError(t, os.WriteFile(path+"-wal", log[:cut], 0o644))
		after, err := store.Open(path)
		require.NoError(t, err)
		rows, err := after.Rows()
		require.NoError(t, err)
		committed := 0
		for _, end := range ends {
			if end <= cut {
				committed++
			}
		}
		assert.Len(t, rows, committed, "log cut at %d", cut)
		for key, r := range rows {
			assert.Equal(t, row(key, float64(key[0]-'a')), r)
		}
		require.NoError(t, after.Close())
	}
}

func TestMerge(t *testing.T) {
	failed := row("b", 0)
	failed.Status = store.Failed
	one := create(t, "1.db", row("a", 1), failed)
	two := create(t, "2.db", row("b", 2), row("c", 3))
	other := row("a", 7)
	three := create(t, "3.db", other, row("c", 3))
	for _, s := range []*store.Store{one, two, three} {
		require.NoError(t, s.Close())
	}
	s, err := store.Create(filepath.Join(t.TempDir(), "all.db"))
	require.NoError(t, err)
	defer s.Close()
	m, err := s.Merge(one.Name(), two.Name(), three.Name())
	require.NoError(t, err)
	assert.Equal(t, store.Merged{Added: 4, Known: 2, Differing: []string{"a"}}, m)
	rows, err := s.Rows()
	require.NoError(t, err)
	assert.Equal(t, map[string]*store.Row{"a": row("a", 1), "b": row("b", 2), "c": row("c", 3)}, rows)
	schedule, err := s.Schedule("c")
	require.NoError(t, err)
	assert.Equal(t, "schedule of c", string(schedule))
}

func TestMergeRefusesOtherStudies(t *testing.T) {
	for want, change := range map[string]func(*store.Study){
		"another version of it": func(s *store.Study) { s.Spec = []byte("version: 1 # changed") },
		"one program":           func(s *store.Study) { s.Planner = "older" },
	} {
		one, two := create(t, "1.db"), create(t, "2.db")
		changed := study
		change(&changed)
		require.NoError(t, two.Begin(changed))
		require.NoError(t, two.Close())
		_, err := one.Merge(two.Name())
		assert.ErrorContains(t, err, want)
	}
}

func TestWrite(t *testing.T) {
	r := row("a", 0.1)
	r.Objective, r.Queue = "makespan", ptr(0.2)
	lines := []store.TimedLine{r.Line("size")}
	var b bytes.Buffer
	require.NoError(t, store.Write(&b, "csv", lines))
	head, body, _ := strings.Cut(b.String(), "\n")
	assert.True(t, strings.HasPrefix(head, "sweep,key,cluster,"), head)
	assert.True(t, strings.HasSuffix(head, ",started,seconds,cores"), head)
	assert.Contains(t, body, `"quotes "" and, commas"`)
	assert.Equal(t, strings.Count(head, ","), strings.Count(body, ",")-1, "what is not known is an empty cell")

	b.Reset()
	require.NoError(t, store.Write(&b, "csv", []store.Line{lines[0].Line}))
	assert.NotContains(t, b.String(), "seconds")

	b.Reset()
	require.NoError(t, store.Write(&b, "jsonl", lines))
	assert.Contains(t, b.String(), `"sweep":"size","key":"a"`)
	assert.Contains(t, b.String(), `"greedy":null`)
	assert.Contains(t, b.String(), `"gain":2,"gain_order":null,`)

	assert.ErrorContains(t, store.Write(&b, "xlsx", lines), "choose csv or jsonl")
}
