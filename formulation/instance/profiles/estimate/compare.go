package estimate

import (
	"jigsaw/formulation/instance"
)

// Comparison holds an estimate against what was measured.
type Comparison struct {
	Model string `json:"model"`
	GPU   string `json:"gpu"`
	Batch int    `json:"batch"`
	// Measured and Estimated are whole iterations: all forward and all backward times.
	Measured  instance.Duration `json:"measured"`
	Estimated instance.Duration `json:"estimated"`
	// Forward and Backward are the ratios of estimate to measurement, 0 where only the whole is known;
	// Activations that of bytes kept.
	Forward     float64 `json:"forward,omitempty"`
	Backward    float64 `json:"backward,omitempty"`
	Activations float64 `json:"activations,omitempty"`
	// Source of the measurement.
	Source string `json:"source"`

	options Options
}

// Error is estimate over measurement, less 1.
func (c *Comparison) Error() float64 { return float64(c.Estimated)/float64(c.Measured) - 1 }

// Compare estimates what was measured, and the published throughputs of whole models: of those that
// formulas stand for.
func Compare(measured []*instance.Profile) ([]Comparison, error) { return compare(measured, fitted()) }

func compare(measured []*instance.Profile, with calibration) ([]Comparison, error) {
	var list []Comparison
	for _, p := range measured {
		if p.Estimated != "" {
			continue
		}
		o, ok, err := known(p)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		o.calibration = &with
		estimate, _, err := Profile(o)
		if err != nil {
			return nil, err
		}
		is, was := estimate.Totals(), p.Totals()
		source := ""
		if p.Source != nil {
			source = p.Source.Repository
		}
		list = append(list, Comparison{
			Model: p.Model, GPU: p.GPU, Batch: p.Batch, Measured: was.Forward + was.Backward, Estimated: is.Forward + is.Backward,
			Forward: ratio(is.Forward, was.Forward), Backward: ratio(is.Backward, was.Backward),
			Activations: ratio(is.Activations, was.Activations), Source: source, options: o,
		})
	}
	for _, t := range throughputs() {
		t.options.calibration = &with
		estimate, _, err := Profile(t.options)
		if err != nil {
			return nil, err
		}
		is := estimate.Totals()
		list = append(list, Comparison{
			Model: t.options.Model, GPU: t.options.GPU, Batch: t.options.Batch, Measured: t.iteration(), Estimated: is.Forward + is.Backward,
			Source: mptSource, options: t.options,
		})
	}
	return list, nil
}

func ratio[T ~int64](is, was T) float64 {
	if was == 0 {
		return 0
	}
	return float64(is) / float64(was)
}
