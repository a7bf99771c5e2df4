package quality

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestPublished: the figures quoted in reports cover every rule, as the rules are now,
// and verdicts follow from intervals.
func TestPublished(t *testing.T) {
	f, err := Published()
	require.NoError(t, err)
	for _, m := range models {
		for _, k := range []int{2, 4, 8} {
			for _, rule := range Rules()[1:] {
				of := f.Of(m, k, rule.Name)
				if !assert.NotNil(t, of, "%s, %d workers, %s: make spb-quality", m, k, rule.Name) {
					continue
				}
				assert.Equal(t, verdict(of.Accuracy), of.Verdict, "%v", of)
				n, err := newNet(m, newRNG())
				require.NoError(t, err)
				r, err := plannerRoles(m, n, k, rule)
				require.NoError(t, err)
				assert.InDelta(t, r.work, of.WorkSaved, 0.006, "%v", of)
			}
		}
	}
	assert.Nil(t, f.Of(Perceptron, 3, "ladder"))
}

// TestFigures: written and read again, without the runs.
func TestFigures(t *testing.T) {
	full := &Cell{Model: Perceptron, Workers: 2, Rules: []string{"full"}, Shards: Mixed}
	c := &Cell{Model: Perceptron, Workers: 2, Rules: []string{"ladder"}, Shards: Mixed, Roles: Rotating, WorkSaved: 0.25, Runs: make([]Run, 3),
		Comparison: &Comparison{Accuracy: Interval{-0.0123, 0.004}, Verdict: Loses}}
	f := (&Result{Seeds: 3, Epochs: 20, Cells: []*Cell{full, c}}).Figures("a command")
	require.Len(t, f.Figures, 1, "full depth is compared with nothing")
	var b bytes.Buffer
	require.NoError(t, f.Write(&b))
	back := &Figures{}
	require.NoError(t, json.Unmarshal(b.Bytes(), back))
	assert.Equal(t, f, back)
	assert.Equal(t, "−1.2 ± 0.4", back.Of(Perceptron, 2, "ladder").Points())
}
