package profiles

import "jigsaw/formulation/instance"

// Row sums up a profile for a listing.
type Row struct {
	Model string `json:"model"`
	// Family is the kind of the model, see [Family]; Estimated that nobody measured it.
	Family    string `json:"family,omitempty"`
	Estimated bool   `json:"estimated,omitempty"`
	GPU       string `json:"gpu"`
	GPUs      int    `json:"gpus"` // of a worker
	Batch     int    `json:"batch"`
	Layers    int    `json:"layers"`
	// Cuts is how many depths below full are allowed.
	Cuts        int               `json:"cuts"`
	Forward     instance.Duration `json:"forward"`
	Backward    instance.Duration `json:"backward"`
	Parameters  instance.Bytes    `json:"parameters"`
	Activations instance.Bytes    `json:"activations"`
	// Source is the repository and commit, or the file, that the figures come from.
	Source string `json:"source"`
}

// Rows sums up profiles, in their order.
func Rows(ps []*instance.Profile) []Row {
	rows := make([]Row, len(ps))
	for i, p := range ps {
		t := p.Totals()
		cuts := 0
		for d := 1; d < len(p.Layers); d++ {
			if p.CutAllowed(d) {
				cuts++
			}
		}
		rows[i] = Row{p.Model, Family(p.Model), p.Estimated != "", p.GPU, p.Group(), p.Batch, len(p.Layers), cuts, t.Forward, t.Backward, t.Parameters, t.Activations, origin(p)}
	}
	return rows
}
