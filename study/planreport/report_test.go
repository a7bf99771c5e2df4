package planreport

import (
	"bytes"
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/codec"
	"jigsaw/formulation/instance/view"
)

// planned is a quick plan of an example with another objective, if one is given.
func planned(t *testing.T, name string, objective instance.Objective) *jigsaw.Result {
	t.Helper()
	examples, err := jigsaw.Examples()
	require.NoError(t, err)
	at := slices.IndexFunc(examples, func(e jigsaw.Example) bool { return e.Name == name })
	document, err := codec.Decode(examples[at].Data)
	require.NoError(t, err)
	if objective != "" {
		document.Spec.Objective = objective
	}
	models, err := jigsaw.Models()
	require.NoError(t, err)
	in, err := document.Compile(models)
	require.NoError(t, err)
	r, err := jigsaw.Plan(context.Background(), in, jigsaw.Options{Quick: true})
	require.NoError(t, err)
	return r
}

// TestUse compares what a plan uses with what its expansion uses, task by task: plans that run once, that repeat, and
// that are made of blocks.
func TestUse(t *testing.T) {
	for _, c := range []struct {
		name      string
		objective instance.Objective
	}{{"quickstart", ""}, {"quickstart", instance.Throughput}, {"crossing", ""}, {"queue", ""}} {
		t.Run(c.name+" "+string(c.objective), func(t *testing.T) {
			r := planned(t, c.name, c.objective)
			require.NotNil(t, r.Schedule, "short enough to be written out")
			in, blocks := r.Instance, r.Blocks
			assert.Equal(t, c.name == "queue", blocks != nil)
			if blocks == nil {
				blocks = r.Schedule.Block()
			}
			u := newUse(in, blocks, r.Schedule.Period)
			whole, err := view.Utilisation(in, r.Schedule)
			require.NoError(t, err)
			busy := 0.0
			for g := range in.GPUs {
				assert.Equal(t, whole.GPUs[g], u.GPUs[g], "GPU %d", g)
				assert.LessOrEqual(t, float64(u.GPUs[g].Busy), u.held[g]+1e-6)
				assert.LessOrEqual(t, u.held[g], float64(u.Span)+1e-6)
				busy += float64(u.GPUs[g].Busy)
			}
			for l := range in.Links {
				assert.InDelta(t, float64(whole.Links[l].Bytes), float64(u.Links[l].Bytes), 1, in.Links[l].Name)
				assert.InDelta(t, whole.Links[l].Share, u.Links[l].Share, 1e-9, in.Links[l].Name)
			}
			curve := 0.0
			for i, n := range u.computing {
				assert.LessOrEqual(t, n, float64(len(in.GPUs))+1e-6)
				assert.LessOrEqual(t, u.occupied[i], float64(len(in.GPUs))+1e-6)
				curve += n * float64(u.Span) / useParts
			}
			assert.InEpsilon(t, busy, curve, 1e-9, "the area below the curve is the time of all tasks")
			assert.Equal(t, r.Schedule.Iterations(in), u.iterations)
			for j, w := range u.work {
				if u.iterations[j] > 0 { // throughput leaves jobs out
					assert.True(t, 0 < w && w <= 1, "job %d: %v", j, w)
				}
			}
		})
	}
}

// TestCurveOfRepeats spreads many short repeats evenly: between exact curves, which a few long ones have, and those there is
// no difference but for rounding at the ends.
func TestCurveOfRepeats(t *testing.T) {
	for _, b := range []instance.Block{{Start: 1000, Period: 10, Repeats: 5000}, {Start: 1000, Period: 2000, Repeats: 25}} {
		u := &use{Usage: &view.Usage{Span: 60_000}, computing: make([]float64, useParts)}
		task := instance.Task{Start: 0, End: b.Period / 2}
		u.compute(&b, task, 0)
		sum := 0.0
		for i, n := range u.computing {
			sum += n * 200
			if at := (i + 1) * 200; at < 1000 || at > 51_200 {
				assert.Zero(t, n, "part %d", i)
			}
		}
		assert.InEpsilon(t, 25_000, sum, 1e-9)
	}
}

// TestReport reads pages: what they say, and that equal runs give equal pages.
func TestReport(t *testing.T) {
	r := planned(t, "quickstart", "")
	write := func(r *jigsaw.Result) string {
		p, err := New(r, Options{Command: "jigsaw plan quickstart --quick", Instance: "version: 1", Timeless: true})
		require.NoError(t, err)
		var b bytes.Buffer
		require.NoError(t, p.HTML(&b))
		return b.String()
	}
	text := write(r)
	for _, part := range []string{
		"<title>JigSaw plan: quickstart</title>", "No valid plan has less than", "interleaved-full", "jigsaw plan quickstart --quick", "version: 1",
		jigsaw.FormatValue(r.Instance, r.Primal), "r0n0.fabric", r.Instance.Digest(), "5 lines", "<td class=\"word\">inception</td>",
	} {
		assert.Contains(t, text, part)
	}
	assert.NotContains(t, text, "Planned in")
	assert.Equal(t, text, write(planned(t, "quickstart", "")))

	text = write(planned(t, "quickstart", instance.Throughput))
	assert.Contains(t, text, "No valid plan has more than")
	assert.Contains(t, text, "iterations per second")

	text = write(planned(t, "queue", ""))
	assert.Contains(t, text, "close up")
	assert.Contains(t, text, "slowdown")

	_, err := New(&jigsaw.Result{Instance: r.Instance, Status: jigsaw.Infeasible}, Options{})
	assert.ErrorIs(t, err, ErrNoPlan)
}
