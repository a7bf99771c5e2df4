package view

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
)

var hostile = []string{
	"</svg><script>alert(1)</script>", `" onload="alert(1)`, "]]>", "<!--", "&amp;&#0;", "a\x00b\x1b[31m",
	"\xff\xfe\xfd", "\u202egnp.exe", "=HYPERLINK(\"http://x\")", "+1", "-1", "@SUM(1)", "'quoted", "\t=1", "＝1",
	"a,b\"c\"\nd", "</title><rect/>", "</style>", "\ufffe\uffff", "日本語の仕事の名前はとても長いことがあります", strings.Repeat("W", 200), " =1", "",
}

// harmless fails where a name has got out of its place.
func harmless(t *testing.T, name string) {
	in, s := tiny(t, name, name)
	in.Name = name
	in.Nodes[0].Name = name
	in.Types[0].Name = name
	in.Racks[0].Name = name
	for l := range in.Links {
		in.Links[l].Name = name
	}
	plainIn, plainSchedule := tiny(t)
	want := wellFormed(t, picture(t, plainIn, plainSchedule, GanttOptions{}, defaultLimits))
	svg := picture(t, in, s, GanttOptions{Title: name}, defaultLimits)
	got := wellFormed(t, svg)
	assert.True(t, utf8.ValidString(svg))
	for _, element := range []string{"svg", "style", "title", "rect", "script", "desc"} {
		assert.Equal(t, want[element], got[element], element)
	}

	var b bytes.Buffer
	require.NoError(t, Trace(&b, in, s))
	var trace any
	require.NoError(t, json.Unmarshal(b.Bytes(), &trace))

	b.Reset()
	require.NoError(t, CSV(&b, in, s))
	rows, err := csv.NewReader(&b).ReadAll()
	require.NoError(t, err)
	require.Len(t, rows, 1+len(s.Tasks)+len(s.Syncs))
	for _, row := range rows[1:] {
		// A reader of CSV takes \r\n in a cell for \n.
		assert.Equal(t, strings.ReplaceAll(name, "\r\n", "\n"), strings.TrimPrefix(row[1], "'"))
		if row[1] != "" {
			assert.NotContains(t, "=+-@\t\r", row[1][:1], "a formula")
		}
	}
}

func TestHostileNames(t *testing.T) {
	for _, name := range hostile {
		harmless(t, name)
	}
}

func FuzzNames(f *testing.F) {
	for _, name := range hostile {
		f.Add(name)
	}
	f.Fuzz(harmless)
}

func TestClean(t *testing.T) {
	assert.Equal(t, "a\uFFFDb", clean("a\nb"))
	assert.Equal(t, "\uFFFDabc", clean("\u202eabc"))
	assert.Equal(t, "\uFFFDx", clean("\xffx"))
	assert.Equal(t, "é日·", clean("é日·"))
}

func TestFit(t *testing.T) {
	assert.Equal(t, "short", fit("short", 100, 10))
	assert.Equal(t, "a lon…", fit("a long name", 38, 10))
	assert.Equal(t, "", fit("name", 1, 10))
	for _, name := range hostile {
		assert.LessOrEqual(t, textWidth(fit(name, 50, 9), 9), 50.0)
	}
}

func TestQuantities(t *testing.T) {
	in := &instance.Instance{TickUS: 250}
	assert.Equal(t, "0.75", millis(in, 3))
	assert.Equal(t, "1", millis(in, 4))
	assert.Equal(t, "0", millis(in, 0))
	in.TickUS = 60_000_000
	assert.Equal(t, "270215977642229760000", millis(in, 1<<52), "beyond 64 bits")
	for want, v := range map[string]float64{"0": 0, "0.125": 0.125, "12.35": 12.345678, "1,234": 1234, "1,234,567": 1234567, "-12": -12} {
		assert.Equal(t, want, significant(v))
	}
	assert.Equal(t, "112 %", percent(1.12))
	assert.Equal(t, "17.3 %", percent(0.1731))
}
