package bench

import (
	"fmt"

	"jigsaw/formulation/instance"
)

// models draws the profiles of an instance of drawn models: about one for every
// three jobs, so that some jobs are alike and most are not. A model has four to
// six layers; backward passes take twice the forward pass, and times are
// quarters of ticks, so that rounding to ticks matters.
func (d *drawing) models(s *instance.Spec) {
	if d.size.Real {
		return
	}
	quarter := tick(s) / 4
	most := 5 // quarters of a tick of a layer's forward pass
	if d.size.Jobs <= 8 {
		most = 3
	}
	for m := range max(3, d.size.Jobs/3) {
		p := &instance.Profile{Model: fmt.Sprintf("m%d", m), GPU: "v100", Batch: 32, Workspace: 64 * mega}
		for l := range d.between(4, 6) {
			forward := d.between(1, most)
			p.Layers = append(p.Layers, instance.Layer{
				Name:        fmt.Sprintf("l%d", l),
				Forward:     quarter * instance.Duration(forward),
				Backward:    quarter * instance.Duration(2*forward),
				Parameters:  mega * instance.Bytes(d.between(1, 12)),
				Activations: 10 * mega * instance.Bytes(d.between(5, 20)),
			})
		}
		s.Profiles = append(s.Profiles, p)
	}
}

// libraryModel is a model of the profile library at one batch size.
type libraryModel struct {
	name  string
	batch int
}

// libraryModels from which instances of real durations draw. The first three
// have much to synchronise relative to their computing time.
var libraryModels = []libraryModel{
	{"alexnet", 256}, {"gnmt", 32}, {"bert24", 2}, {"vgg16", 128}, {"resnet50", 128}, {"resnet101", 64}, {"inception_v3", 128}, {"densenet121", 64},
}

// jobs draws the jobs, their workers and iterations to be fitted. Half follow
// the ladder, most others a free rule, some are full; a quarter is released
// late, and a few are gangs or bound to a node.
func (d *drawing) jobs(s *instance.Spec) {
	count := d.size.Jobs
	if d.row.Regime == ChainBound {
		count = min(count, d.size.TotalGPUs()*2/5) // otherwise jobs of one worker alone keep the GPUs busy
	}
	for n := range count {
		job := instance.JobSpec{Name: fmt.Sprintf("j%d", n), Weight: int64(d.between(1, 5)), Iterations: 1}
		job.Workers = pick(d, 1, 2, 2, 4, 4, 8)
		if d.size.Real {
			models := libraryModels
			if d.row.Regime == Network {
				models = models[:3]
			}
			model := pick(d, models...)
			job.Model, job.Batch = model.name, model.batch
		} else {
			job.Model = s.Profiles[d.IntN(len(s.Profiles))].Model
		}
		switch d.IntN(10) {
		case 0, 1, 2, 3, 4:
			job.SPB.Rule = "ladder"
		case 5, 6, 7:
			job.SPB.Rule = "free"
			job.SPB.MinMeanDepth = pick[instance.Ratio](d, 400_000, 500_000, 625_000, 750_000)
		default:
			job.SPB.Rule = "full"
		}
		if d.oneIn(4) {
			share := instance.Duration(d.between(1, 10))
			job.Release = instance.Duration(d.size.Horizon) * tick(s) / 100 * share / tick(s) * tick(s)
		}
		job.Gang = d.oneIn(12)
		if d.oneIn(12) {
			job.Placement.Within = "node"
		}
		if d.row.Regime == Network && d.IntN(10) < 6 {
			job.Workers = d.spanning()
			job.Placement.Within = ""
		}
		s.Jobs = append(s.Jobs, job)
	}
}

// spanning is the number of workers of a job that needs two nodes.
func (d *drawing) spanning() int { return 2 * d.size.GPUs }

// slowNIC draws the NICs of the network regime.
func (d *drawing) slowNIC() instance.BitRate {
	if d.size.Real {
		return pick(d, 5*gbit, 10*gbit)
	}
	return pick(d, gbit, 2*gbit, 4*gbit)
}
