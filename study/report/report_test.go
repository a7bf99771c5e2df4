package report_test

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/study/report"
	"jigsaw/study/report/page"
	"jigsaw/study/store"
	"jigsaw/study/sweep"
)

// small is a study of a few quick cells, with names and questions that a page
// must not interpret as markup.
const small = `
version: 1
name: small
question: Is 1 < 2 & "so" <script>alert(1)</script>?
mixes:
  - name: mixed
    models: [{model: alexnet}, {model: vgg16}]
    workers: [{workers: 2}]
    seconds: [{time: 1s}]
methods: [{name: fast, quick: true, no_lp: true}]
base: {clusters: [1x1x2], seeds: [1, 2]}
sweeps:
  - name: network
    question: Pipes | and <b>.
    axes: {clusters: [1x2x1], nic: [10Gbit/s, 100Gbit/s]}
  - name: rules
    axes: {spb: [{rule: full}, {rule: ladder}]}
  - name: objectives
    axes: {objectives: [weighted_completion, throughput]}
`

// whole is the file of the small study, planned once for all tests that want all of it.
var whole = sync.OnceValues(func() ([]byte, error) {
	folder, err := os.MkdirTemp("", "report")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	study, err := sweep.Decode([]byte(small))
	if err != nil {
		return nil, err
	}
	db, err := store.Create(filepath.Join(folder, "small.db"))
	if err != nil {
		return nil, err
	}
	_, err = sweep.Run(context.Background(), study, db, sweep.Options{})
	if err := errors.Join(err, db.Close()); err != nil {
		return nil, err
	}
	return os.ReadFile(db.Name())
})

// results are those of the small study.
func results(t *testing.T) *store.Store {
	t.Helper()
	file, err := whole()
	require.NoError(t, err)
	name := filepath.Join(t.TempDir(), "small.db")
	require.NoError(t, os.WriteFile(name, file, 0o600))
	db, err := store.Create(name)
	require.NoError(t, err)
	t.Cleanup(func() { db.Close() })
	return db
}

func resultsOf(t *testing.T, text string, shard sweep.Shard) *store.Store {
	t.Helper()
	study, err := sweep.Decode([]byte(text))
	require.NoError(t, err)
	db, err := store.Create(filepath.Join(t.TempDir(), "small.db"))
	require.NoError(t, err)
	t.Cleanup(func() { db.Close() })
	_, err = sweep.Run(context.Background(), study, db, sweep.Options{Shard: shard})
	require.NoError(t, err)
	return db
}

func TestPage(t *testing.T) {
	db := results(t)
	var pages [2]bytes.Buffer
	for i := range pages {
		r, err := report.New(db)
		require.NoError(t, err)
		require.NoError(t, r.HTML(&pages[i]))
	}
	page := pages[0].String()
	assert.Equal(t, page, pages[1].String(), "the same results give the same page")
	assert.NotContains(t, page, "<script", "nothing of a study is markup")
	assert.Contains(t, page, "&lt;b&gt;")
	assert.Contains(t, page, "prefers-color-scheme: dark")
	assert.Contains(t, page, "jigsaw study run small.yaml --db small.db")
	assert.Contains(t, page, "axes: {clusters: [1x2x1], nic: [10Gbit/s, 100Gbit/s]}", "the study's file is there, too")
	assert.Contains(t, page, "The 6 cells of the method &#34;fast&#34; run 2 sets of jobs")
	assert.NotContains(t, page, "Without a plan")
	for _, id := range regexp.MustCompile(`href="#([^"]*)"`).FindAllStringSubmatch(page, -1) {
		assert.Contains(t, page, `id="`+id[1]+`"`)
	}
	// Nothing is fetched: no address except the name spaces of SVG and those in
	// texts.
	for _, attribute := range regexp.MustCompile(`(?:src|href|url)\s*[=(]\s*["']?([^"'\s>)]*)`).FindAllStringSubmatch(page, -1) {
		assert.True(t, strings.HasPrefix(attribute[1], "#"), attribute[0])
	}
	// Plots take their colours from the page.
	for _, plot := range regexp.MustCompile(`(?s)<svg[^>]*class="plot".*?</svg>`).FindAllString(page, -1) {
		assert.NotRegexp(t, `#[0-9A-Fa-f]{6}`, plot)
		assert.Contains(t, plot, "var(--ink)")
		wellFormed(t, []byte(plot))
	}
}

// wellFormed reads XML to its end.
func wellFormed(t *testing.T, data []byte) {
	t.Helper()
	for d := xml.NewDecoder(bytes.NewReader(data)); ; {
		if _, err := d.Token(); errors.Is(err, io.EOF) {
			return
		} else if !assert.NoError(t, err) {
			return
		}
	}
}

func TestMarkdown(t *testing.T) {
	r, err := report.New(results(t))
	require.NoError(t, err)
	var b bytes.Buffer
	require.NoError(t, r.Markdown(&b))
	columns := 0
	for _, line := range strings.Split(b.String(), "\n") {
		n := strings.Count(line, "|") - strings.Count(line, `\|`)
		switch {
		case !strings.HasPrefix(line, "|"):
			columns = 0
		case columns == 0:
			columns = n
		default:
			assert.Equal(t, columns, n, line)
		}
	}
	for _, want := range []string{
		"## What the gain is made of", "## What partial backpropagation saves",
		"| depth rule | cells | gain over queue | order of jobs | interleaving | work left out | packing | over fewer workers | accuracy, k = 2 |",
		"| a quarter fewer workers | ", // with its cost
		"* Could that work have been left out without partial backpropagation? ",
		"* What the rule costs: on two small models, accuracy ",
	} {
		assert.Contains(t, b.String(), want)
	}
}

func TestFigures(t *testing.T) {
	r, err := report.New(results(t))
	require.NoError(t, err)
	files, err := r.Figures(filepath.Join(t.TempDir(), "figures"))
	require.NoError(t, err)
	kinds := map[string]int{}
	for _, name := range files {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		switch kind := filepath.Ext(name); kind {
		case ".png":
			kinds[kind]++
			picture, err := png.Decode(bytes.NewReader(data))
			require.NoError(t, err, name)
			assert.Greater(t, picture.Bounds().Dx(), 1000, "sharp enough for print")
		case ".svg":
			kinds[kind]++
			wellFormed(t, data)
			assert.NotContains(t, string(data), "#-", "%s has a colour that is none", name)
		}
	}
	assert.GreaterOrEqual(t, kinds[".png"], 5, "gains, savings and a plot for each sweep")
	assert.Greater(t, kinds[".svg"], kinds[".png"], "plans are drawings")
}

// TestPartOfAStudy: a report of an unfinished study says so.
func TestPartOfAStudy(t *testing.T) {
	r, err := report.New(resultsOf(t, small, sweep.Shard{Index: 0, Count: 4}))
	require.NoError(t, err)
	var b bytes.Buffer
	require.NoError(t, r.HTML(&b))
	assert.Contains(t, b.String(), "this report covers a part of the study")

	empty, err := store.Create(filepath.Join(t.TempDir(), "empty.db"))
	require.NoError(t, err)
	defer empty.Close()
	_, err = report.New(empty)
	assert.ErrorContains(t, err, "holds no study yet")
}

// mixed is a study whose cells have plans with different gains, and some no
// plan.
const mixed = `
version: 1
name: mixed
mixes:
  - {name: m, models: [{model: alexnet}, {model: vgg16}], workers: [{workers: 2}], seconds: [{time: 1s}]}
methods: [{name: fast, quick: true, no_lp: true}]
base: {clusters: [1x1x2]}
sweeps:
  - {name: gains, axes: {memory: [1MiB, 32GiB], spb: [{rule: full}]}}
  - {name: savings, axes: {speeds: [1, 2], spb: [{rule: full}]}}
  - {name: ladder}
`

// TestWhatIsLeftOut: cells without a plan are in no table, but are listed.
func TestWhatIsLeftOut(t *testing.T) {
	r, err := report.New(resultsOf(t, mixed, sweep.Shard{}))
	require.NoError(t, err)
	assert.Equal(t, "Without a plan: 1 of its 2 cells (1 infeasible).", sectionNamed(t, r, "sweep-gains").Text)
	assert.Empty(t, sectionNamed(t, r, "sweep-savings").Text)

	savings, err := sectionNamed(t, r, "savings").Figures[0].SVG()
	require.NoError(t, err)
	labels := regexp.MustCompile(`y="-([0-9.]+)"[^>]*>\w+, [av]100<`).FindAllSubmatch(savings, -1)
	require.Greater(t, len(labels), 10)
	last := 0.0
	for _, label := range labels {
		y, err := strconv.ParseFloat(string(label[1]), 64)
		require.NoError(t, err)
		assert.Greater(t, y-last, 10.0, "models have lines of their own")
		last = y
	}

	half, err := report.New(resultsOf(t, mixed, sweep.Shard{Index: 0, Count: 2}))
	require.NoError(t, err)
	texts := ""
	for _, s := range half.Sections {
		texts += s.Text
	}
	assert.Contains(t, texts, "1 not planned).")
}

func sectionNamed(t *testing.T, r *report.Report, id string) *page.Section {
	t.Helper()
	i := slices.IndexFunc(r.Sections, func(s page.Section) bool { return s.ID == id })
	require.GreaterOrEqual(t, i, 0, id)
	return &r.Sections[i]
}

// TestBestPlans: the plans drawn are those with the largest gain, wherever their sweep
// is.
func TestBestPlans(t *testing.T) {
	r, err := report.New(resultsOf(t, mixed, sweep.Shard{}))
	require.NoError(t, err)
	plans := sectionNamed(t, r, "plans").Figures
	require.Len(t, plans, 2)
	assert.Contains(t, plans[0].Caption, "Sweep ladder: ")
}

// TestFigureNames: no sweep's figure takes the name of another figure.
func TestFigureNames(t *testing.T) {
	r, err := report.New(resultsOf(t, mixed, sweep.Shard{}))
	require.NoError(t, err)
	seen := map[string]bool{}
	for _, s := range r.Sections {
		for _, f := range s.Figures {
			assert.False(t, seen[f.Name], f.Name)
			seen[f.Name] = true
		}
	}
}

// TestAllCells: the table of all cells has every axis that distinguishes them, and
// names those that do not.
func TestAllCells(t *testing.T) {
	r, err := report.New(resultsOf(t, mixed, sweep.Shard{}))
	require.NoError(t, err)
	lines := map[string]bool{}
	for _, row := range r.Rows.Rows {
		require.Len(t, row, len(r.Rows.Head))
		lines[strings.Join(row[:r.Rows.Words], " ")] = true
	}
	assert.Len(t, lines, 5, "each cell is told apart by its parameters")
	assert.Equal(t, []string{"sweep", "cluster", "GPU speed", "memory per GPU", "depth rule"}, r.Rows.Head[:r.Rows.Words])
	assert.Contains(t, r.Rows.Caption, "In all of them: GPU type v100, residence plan, NIC 100 Gbit/s, fabric 1200 Gbit/s, ")
}
