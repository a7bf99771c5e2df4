package api

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestExport(t *testing.T) {
	t.Parallel()
	a := New(nil)
	// Long ticks keep the integer program small.
	text := strings.Replace(example(t, "quickstart"), "name: quickstart", "name: quickstart\ntick_us: 200000 # a comment", 1)
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

// What is exported can be read back: as an instance, and as a plan of it.
func TestExportsAreRead(t *testing.T) {
	t.Parallel()
	a, text := New(nil), example(t, "quickstart")
	plan := quick(t, a, text)
	digest := func(text string) string {
		r, failure := call[*compileResult](t, a, "compile", compileParams{text})
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
		r, failure := call[*checkResult](t, a, "check", checkParams{text, f.Data})
		require.Nil(t, failure)
		require.Empty(t, r.Problems)
		require.Empty(t, r.Violations)
		require.InDelta(t, *plan.Primal, *r.Value, 0)
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

// The program of an example at its own ticks is more than a page can hold; the
// message says what to change.
func TestExportOfLargeProgram(t *testing.T) {
	t.Parallel()
	text := example(t, "quickstart")
	_, failure := call[*File](t, New(nil), "export", exportParams{Text: text, Format: "mps"})
	require.Equal(t, Invalid, failure.Code)
	require.Contains(t, failure.Message, "ticks of 1000 us: set tick_us: 200000, or export it")
}

func TestCheck(t *testing.T) {
	t.Parallel()
	a, text := New(nil), example(t, "quickstart")
	plan := quick(t, a, text)
	f, failure := call[*File](t, a, "export", exportParams{Text: text, Format: "schedule", Schedule: plan.Schedule})
	require.Nil(t, failure)
	broken := strings.Replace(f.Data, `"iteration":2,`, `"iteration":3,`, 1)
	require.NotEqual(t, f.Data, broken)
	r, failure := call[*checkResult](t, a, "check", checkParams{text, broken})
	require.Nil(t, failure)
	require.NotEmpty(t, r.Violations)
	require.Equal(t, "tasks", r.Violations[0].Rule)
	require.Nil(t, r.Value)

	r, failure = call[*checkResult](t, a, "check", checkParams{text, `{"residency": {"nobody": []}}`})
	require.Nil(t, failure)
	require.NotEmpty(t, r.Problems)
	require.Positive(t, r.Problems[0].Line)
}

func TestCertify(t *testing.T) {
	t.Parallel()
	a, text := New(nil), example(t, "hetero")
	plan := quick(t, a, text)
	f, failure := call[*File](t, a, "export", exportParams{Text: text, Format: "schedule", Schedule: plan.Schedule})
	require.Nil(t, failure)
	r, failure := call[*certifyResult](t, a, "certify", certifyParams{text, *plan.Certificate, &f.Data})
	require.Nil(t, failure)
	require.Empty(t, r.Problems)
	require.InDelta(t, *plan.Dual, *r.Bound, 0)
	require.InDelta(t, *plan.Gap, *r.Gap, 1e-12)
	require.Contains(t, r.Message, "proven: no schedule has a makespan below")

	// A claim too much is refused, as is a certificate about something else.
	var certificate map[string]any
	require.NoError(t, json.Unmarshal([]byte(*plan.Certificate), &certificate))
	certificate["bound"] = *plan.Dual + 1000
	tampered, err := json.Marshal(certificate)
	require.NoError(t, err)
	r, failure = call[*certifyResult](t, a, "certify", certifyParams{Text: text, Certificate: string(tampered)})
	require.Nil(t, failure)
	require.Nil(t, r.Bound)
	require.Contains(t, r.Message, "does not hold")
	r, failure = call[*certifyResult](t, a, "certify", certifyParams{Text: example(t, "rack"), Certificate: *plan.Certificate})
	require.Nil(t, failure)
	require.Nil(t, r.Bound)
	require.Equal(t, "instance", r.Problems[0].Path)

	infeasible := quick(t, a, example(t, "infeasible"))
	r, failure = call[*certifyResult](t, a, "certify", certifyParams{Text: example(t, "infeasible"), Certificate: *infeasible.Certificate})
	require.Nil(t, failure)
	require.Nil(t, r.Bound)
	require.Contains(t, r.Message, "proven: no valid schedule exists")
}
