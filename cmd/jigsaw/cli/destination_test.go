package cli

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRecordLines: records, with lists of plain values, are on one line from the third level on, and the document means the same.
func TestRecordLines(t *testing.T) {
	type task struct {
		Job   string `json:"job"`
		Start int    `json:"start"`
	}
	document := map[string]any{
		"a": 1, "empty": []int{}, "none": map[string]int{},
		"plan": map[string]any{
			"blocks": []any{map[string]any{"end": 7, "names": []string{"x{", "y[", "},"}, "syncs": []int{}, "tasks": []task{{"one\n}", 1}, {"two", 2}}, "then": nil,
				"jobs": []any{map[string]any{"job": "a", "starts": []int{1, 2}, "syncs": []int{}}, map[string]any{"lists": [][]int{{1}, {2}}, "of": []int{3}}}}},
			"homes": [][]int{{1, 2}, {}, {3}},
		},
	}
	var indented bytes.Buffer
	encoder := json.NewEncoder(&indented)
	encoder.SetIndent("", "  ")
	require.NoError(t, encoder.Encode(document))
	want := `{
  "a": 1,
  "empty": [],
  "none": {},
  "plan": {
    "blocks": [
      {
        "end": 7,
        "jobs": [
          {"job": "a", "starts": [1, 2], "syncs": []},
          {
            "lists": [
              [1],
              [2]
            ],
            "of": [3]
          }
        ],
        "names": ["x{", "y[", "},"],
        "syncs": [],
        "tasks": [
          {"job": "one\n}", "start": 1},
          {"job": "two", "start": 2}
        ],
        "then": null
      }
    ],
    "homes": [
      [1, 2],
      [],
      [3]
    ]
  }
}
`
	lines := recordLines(indented.Bytes())
	require.Equal(t, want, string(lines))
	var again any
	require.NoError(t, json.Unmarshal(lines, &again))
	b, err := json.Marshal(again)
	require.NoError(t, err)
	before, err := json.Marshal(document)
	require.NoError(t, err)
	require.JSONEq(t, string(before), string(b))
}
