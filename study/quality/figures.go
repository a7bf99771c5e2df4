package quality

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Figures are the comparisons of a study without its single runs, for use in other
// documents.
type Figures struct {
	// Command that made them.
	Command string   `json:"command"`
	Seeds   int      `json:"seeds"`
	Epochs  int      `json:"epochs"`
	Figures []Figure `json:"figures"`
}

// Figure is a way to train, compared with full backpropagation; see [Cell] and [Comparison].
type Figure struct {
	Model     Model    `json:"model"`
	Workers   int      `json:"workers"`
	Rules     []string `json:"rules"`
	Shards    Shards   `json:"shards"`
	Roles     Roles    `json:"roles,omitempty"`
	WorkSaved float64  `json:"work_saved"`
	// Accuracy is the difference to full backpropagation's, as a fraction.
	Accuracy Interval `json:"accuracy"`
	Verdict  Verdict  `json:"verdict"`
}

// Figures returns the figures of the result, made by the given command.
func (r *Result) Figures(command string) *Figures {
	f := &Figures{Command: command, Seeds: r.Seeds, Epochs: r.Epochs}
	for _, c := range r.Cells {
		if c.Comparison != nil {
			f.Figures = append(f.Figures, Figure{c.Model, c.Workers, c.Rules, c.Shards, c.Roles, c.WorkSaved, c.Comparison.Accuracy, c.Comparison.Verdict})
		}
	}
	return f
}

// Write writes the figures as JSON, one line each.
func (f *Figures) Write(w io.Writer) error {
	head := *f
	head.Figures = nil
	text, err := json.Marshal(head)
	if err != nil {
		return fmt.Errorf("quality: %w", err)
	}
	lines := make([]string, len(f.Figures))
	for i := range f.Figures {
		line, err := json.Marshal(f.Figures[i])
		if err != nil {
			return fmt.Errorf("quality: %w", err)
		}
		lines[i] = string(line)
	}
	_, err = fmt.Fprintf(w, "%s[\n%s\n]}\n", strings.TrimSuffix(string(text), "null}"), strings.Join(lines, ",\n"))
	return err
}

//go:embed figures.json
var published []byte

// Published returns the figures of docs/spb-quality.md, which `make spb-quality` makes.
func Published() (*Figures, error) {
	f := &Figures{}
	if err := json.Unmarshal(published, f); err != nil {
		return nil, fmt.Errorf("quality: figures.json: %w; make spb-quality writes it", err)
	}
	return f, nil
}

// Of returns the figure of a rule, by name, under the conditions of plans: samples dealt
// at random, and depths that rotate over the workers. It is nil if that was not measured.
func (f *Figures) Of(m Model, workers int, rule string) *Figure {
	i := slices.IndexFunc(f.Figures, func(o Figure) bool {
		return o.Model == m && o.Workers == workers && o.Shards == Mixed && o.Roles != Fixed && slices.Contains(o.Rules, rule)
	})
	if i < 0 {
		return nil
	}
	return &f.Figures[i]
}

// Points is the difference of accuracy in points, like "−1.2 ± 0.7".
func (f *Figure) Points() string { return f.Accuracy.signed(100, 1) }
