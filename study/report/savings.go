package report

import (
	"fmt"
	"slices"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"jigsaw/formulation/instance"
	"jigsaw/study/quality"
	"jigsaw/study/report/page"
	"jigsaw/study/sweep"
)

// savingWorkers are the numbers of workers for which savings are shown.
var savingWorkers = []int{2, 4, 8, 16}

// saving of partial backpropagation in an iteration, as fractions of full
// depth.
type saving struct {
	// compute is GPU time; activations are the memory that the tasks keep for their
	// backward passes, averaged over workers; bytes are what each worker sends.
	compute, activations, bytes float64
}

// savingsSection shows what the study's own depth rule saves for each model, from
// its profile alone, without planning.
func savingsSection(study *sweep.Study) (page.Section, error) {
	rule := study.Defaults().SPB[0]
	s := page.Section{
		ID: "savings", Title: "What partial backpropagation saves",
		Text: "From the layer profiles alone, under the depth rule " + sweep.RuleName(rule) + " with the depths of least work that it allows. " +
			"Weights, gradients and optimiser states stay on every worker; the memory saved is that of activations, averaged over the workers of an iteration. " +
			"Bytes are what each worker sends, with every worker on a node of its own: gradients are reduced among the workers that contribute and broadcast to all. " +
			"The iteration still lasts as long as its deepest worker: these savings are idle time that a scheduler has to fill.",
	}
	tables := []page.Table{{Caption: "GPU time saved."}, {Caption: "Memory of activations saved."}, {Caption: "Bytes sent saved."}}
	for i := range tables {
		tables[i].Head, tables[i].Words = []string{"model", "GPU", "batch"}, 2
		for _, k := range savingWorkers {
			tables[i].Head = append(tables[i].Head, fmt.Sprintf("k = %d", k))
		}
	}
	var names []string
	var computes []float64
	for _, p := range study.Library().All() {
		if p.GPUs > 1 {
			continue
		}
		if !largestBatch(study, p) {
			continue
		}
		lines := make([][]string, len(tables))
		for i := range lines {
			lines[i] = []string{p.Model, p.GPU, fmt.Sprint(p.Batch)}
		}
		for _, k := range savingWorkers {
			v, err := savingOf(study, p, k, rule)
			if err != nil {
				return s, err
			}
			for i, f := range []float64{v.compute, v.activations, v.bytes} {
				lines[i] = append(lines[i], fmt.Sprintf("%.0f %%", 100*f))
			}
			if k == 8 {
				names = append(names, p.Model+", "+p.GPU)
				computes = append(computes, v.compute)
			}
		}
		for i := range tables {
			tables[i].Rows = append(tables[i].Rows, lines[i])
		}
	}
	s.Tables = tables
	s.Figures = []page.Figure{savingsFigure(rule, names, computes)}
	return s, nil
}

// largestBatch reports whether p is the profile of its model and GPU with the
// largest batch: others of the same model save about the same.
func largestBatch(study *sweep.Study, p *instance.Profile) bool {
	for _, other := range study.Library().Profiles(p.Model) {
		if other.GPU == p.GPU && other.Batch > p.Batch {
			return false
		}
	}
	return true
}

// savingOf compiles a job of k workers in ticks of a microsecond.
func savingOf(study *sweep.Study, p *instance.Profile, k int, rule instance.SPBSpec) (saving, error) {
	in, err := instance.Compile(&instance.Spec{
		Version: instance.Version, TickUS: 1,
		Cluster: instance.ClusterSpec{
			GPUTypes: []instance.GPUTypeSpec{{Name: p.GPU, Memory: 1 << 40}},
			Racks:    []instance.RackSpec{{Nodes: k, GPUs: 1, GPU: p.GPU, NIC: 100e9, Fabric: 100e9}},
		},
		Jobs: []instance.JobSpec{{Name: "job", Model: p.Model, Batch: p.Batch, Workers: k, Iterations: 1, SPB: rule}},
	}, study.Library())
	if err != nil {
		return saving{}, err
	}
	j := &in.Jobs[0]
	full, costs := j.Full(), j.On[0]
	all := make([]int, len(j.Depths))
	all[full] = k
	counts := quality.Cheapest(j)
	var time, kept float64
	for d, n := range counts {
		time += float64(n) * float64(costs.Time[d])
		kept += float64(n) * float64(costs.Ephemeral[d])
	}
	return saving{
		compute:     saved(time, float64(k)*float64(costs.Time[full])),
		activations: saved(kept, float64(k)*float64(costs.Ephemeral[full])),
		bytes:       saved(float64(j.Volume(counts, k)), float64(j.Volume(all, k))),
	}, nil
}

// saved is the fraction of all that is not taken; 0 if there is nothing.
func saved(taken, all float64) float64 {
	if all == 0 {
		return 0
	}
	return 1 - taken/all
}

// savingsFigure shows the GPU time saved at eight workers, a row for each model, so that any number of names has room.
func savingsFigure(rule instance.SPBSpec, names []string, computes []float64) page.Figure {
	p := page.NewPlot("GPU time saved at k = 8 (%)", "")
	values := make(plotter.Values, len(computes))
	rows := slices.Clone(names)
	slices.Reverse(rows) // the first is on top
	for i, c := range computes {
		values[len(values)-1-i] = 100 * c
	}
	if bars, err := plotter.NewBarChart(values, vg.Points(9)); err == nil {
		bars.Color, bars.LineStyle, bars.Horizontal = page.PlanColour, draw.LineStyle{}, true
		p.Add(bars)
	}
	p.NominalY(rows...)
	p.Y.Tick.Label.Color = page.Ink
	p.X.Min = 0
	return page.Figure{
		Name: "savings", Caption: "GPU time that the rule " + sweep.RuleName(rule) + " saves in an iteration of eight workers.",
		Alt: "Bars by model. The table below has the numbers.", Plot: p, Width: 760, Height: 70 + 18*float64(len(names)),
	}
}
