package api

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw"
	"jigsaw/formulation/instance/check"
	"jigsaw/formulation/instance/codec"
)

func TestExport(t *testing.T) {
	t.Parallel()
	a := New(nil)
	// Long ticks keep the integer program small.
	text := strings.Replace(example(t, "quickstart"), "name: quickstart", "name: quickstart\ntick_us: 1000000 # a comment", 1)
	plan := quick(t, a, text)
	for format, c := range map[string]struct{ name, begins string }{
		"yaml": {"quickstart.yaml", "version: 1"}, "json": {"quickstart.json", "{"}, "mps": {"quickstart.mps", "NAME"}, "lp": {"quickstart.lp", "\\"},
		"svg": {"quickstart.svg", "<"}, "csv": {"quickstart.csv", "kind,job"}, "trace": {"quickstart.trace.json", "{"},
		"schedule": {"quickstart.schedule.json", "{"}, "result": {"quickstart.plan.json", "{"},
	} {
		f, failure := call[*File](t, a, "export", exportParams{text, format, plan.Schedule, plan.Dual, plan.Certified})
		require.Nil(t, failure, format)
		require.Equal(t, c.name, f.Name)
		require.NotEmpty(t, f.MIME)
		require.True(t, strings.HasPrefix(f.Data, c.begins), "%s: %.40s", format, f.Data)
		require.Equal(t, strings.HasSuffix(f.Name, ".json"), json.Valid([]byte(f.Data)), format)
	}
}

// Exports can be read back: as an instance, and as a plan of it.
func TestExportsAreRead(t *testing.T) {
	t.Parallel()
	a, text := New(nil), example(t, "quickstart")
	plan := quick(t, a, text)
	digest := func(text string) string {
		r, failure := call[*compileResult](t, a, "compile", textParams{text})
		require.Nil(t, failure)
		return r.Instance.Digest
	}
	asJSON, failure := call[*File](t, a, "export", exportParams{Text: text, Format: "json"})
	require.Nil(t, failure)
	back, failure := call[*File](t, a, "export", exportParams{Text: asJSON.Data, Format: "yaml"})
	require.Nil(t, failure)
	require.Equal(t, digest(text), digest(asJSON.Data))
	require.Equal(t, digest(text), digest(back.Data))
	require.NotEqual(t, "{", back.Data[:1])

	for _, format := range []string{"schedule", "result"} {
		f, failure := call[*File](t, a, "export", exportParams{text, format, plan.Schedule, plan.Dual, plan.Certified})
		require.Nil(t, failure)
		s, err := a.compiled.instance(text)
		require.NoError(t, err)
		schedule, err := codec.DecodeSchedule(s.in, strings.NewReader(f.Data))
		require.NoError(t, err)
		require.Empty(t, check.Schedule(s.in, schedule))
		require.InDelta(t, *plan.Primal, *jigsaw.Number(s.in.Value(schedule)), 0)
	}
}

func TestExportOfPeriodicProgram(t *testing.T) {
	t.Parallel()
	a, text := New(nil), example(t, "periodic")
	_, failure := call[*File](t, a, "export", exportParams{Text: text, Format: "mps"})
	require.NotNil(t, failure)
	require.Equal(t, Invalid, failure.Code)
	require.Contains(t, failure.Message, "plan first")
}

// The program of an example at its own ticks is too large for a page; the message
// says what to change.
func TestExportOfLargeProgram(t *testing.T) {
	t.Parallel()
	text := example(t, "quickstart")
	_, failure := call[*File](t, New(nil), "export", exportParams{Text: text, Format: "mps"})
	require.Equal(t, Invalid, failure.Code)
	require.Contains(t, failure.Message, "ticks of 1000 us: set a longer tick_us")
}

// The certificate that comes with a plan proves its bound.
func TestCertificate(t *testing.T) {
	t.Parallel()
	a, text := New(nil), example(t, "hetero")
	plan := quick(t, a, text)
	s, err := a.compiled.instance(text)
	require.NoError(t, err)
	certificate, err := jigsaw.DecodeCertificate(s.in, strings.NewReader(*plan.Certificate))
	require.NoError(t, err)
	proven, err := jigsaw.Certify(t.Context(), s.in, certificate)
	require.NoError(t, err)
	require.InDelta(t, *plan.Dual, *jigsaw.Number(proven.Value), 0)
}
