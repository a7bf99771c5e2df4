package bench

import (
	"fmt"

	"jigsaw/formulation/instance"
)

// kind is a kind of jobs that only differ in their iterations.
type kind struct {
	count   int
	model   string
	workers int
}

// rackKinds are the jobs of the example "rack".
var rackKinds = []kind{
	{2, "vgg16", 8}, {2, "resnet50", 8}, {2, "resnet101", 8}, {2, "inception_v3", 8}, {4, "inception_v3", 4},
	{4, "densenet121", 4}, {3, "gnmt", 4}, {4, "alexnet", 2}, {1, "bert24", 16},
}

// long makes an instance of one of the long sizes: jobs of hours, as users would write
// them.
//
//	rack    the jobs of the example of that name, of up to 60,000 iterations, in memory for the whole plan
//	racks   eight racks with eight times these jobs
//	night   200 jobs of up to 60,000 iterations, five alike, with Adam, in memory while they run
//	month   10,000 jobs that come over the horizon, each of another length, whose work at full depth is
//	        nine tenths of what the cluster does in that time
func (d *drawing) long() (*Case, error) {
	s := d.spec()
	rack := &s.Cluster.Racks[0]
	rack.NIC, rack.Fabric, rack.Oversubscription = 100*gbit, 1200*gbit, 0
	s.Cluster.Latency, s.Cluster.RateLevels = msec/10, nil
	switch d.row.Size {
	case "night", "month":
		s.Residence, s.Cluster.LoadRate = instance.WhileRunning, 16*gbit
		d.night(s)
	default:
		d.racks(s)
	}
	lengths := d.shorten
	if d.row.Size == "month" {
		rack.Oversubscription, lengths = 2*instance.One, d.fill
	}
	if err := lengths(s); err != nil {
		return nil, err
	}
	in, err := compile(s)
	return &Case{Row: d.row, Spec: s, Instance: in}, err
}

// racks draws the jobs of size racks.
func (d *drawing) racks(s *instance.Spec) {
	for n, k := range rackKinds {
		s.Jobs = append(s.Jobs, instance.JobSpec{
			Name: fmt.Sprintf("%s-%d", k.model, n), Count: k.count * d.size.Racks, Model: k.model, Workers: k.workers,
			Iterations: 1000 * d.between(16, 60), Weight: int64(d.between(1, 5)),
		})
	}
}

// night draws jobs of the library's models in turn, with numbers of workers that are usual for
// each.
func (d *drawing) night(s *instance.Spec) {
	workers := map[string][]int{"alexnet": {2}, "bert24": {8, 16}, "densenet121": {4}, "gnmt": {4, 8}, "inception_v3": {4, 4, 8}, "resnet50": {4, 8, 8}, "resnet101": {8}, "vgg16": {8, 16, 16}}
	alike := 5
	if d.row.Size == "month" {
		alike = 1
	}
	for n := range d.size.Jobs / alike {
		model := libraryModels[n%len(libraryModels)]
		s.Jobs = append(s.Jobs, instance.JobSpec{
			Name: fmt.Sprintf("%s-%d", model.name, n/len(libraryModels)), Count: alike, Model: model.name, Batch: model.batch,
			Workers: pick(d, workers[model.name]...), Iterations: 1000 * d.between(20, 60),
			Weight: int64(d.between(1, 5)), Optimizer: "adam",
		})
	}
}

// shorten reduces the iterations of the longest jobs, so that plans are limited by work.
func (d *drawing) shorten(s *instance.Spec) error {
	in, err := compile(s)
	if err != nil {
		return err
	}
	demands, first := make([]demand, len(s.Jobs)), 0
	for i := range s.Jobs {
		demands[i] = demandOf(in, &in.Jobs[first])
		first += s.Jobs[i].Count
	}
	for range 10 {
		area := 0.0
		for i, job := range s.Jobs {
			area += demands[i].work * float64(job.Count*job.Iterations) / float64(d.size.TotalGPUs())
		}
		for i := range s.Jobs {
			s.Jobs[i].Iterations = min(s.Jobs[i].Iterations, int(0.85*area/demands[i].iteration/1000)*1000)
		}
	}
	return nil
}

// fill makes jobs arrive over the horizon, and sets their iterations: lengths between one and fifty
// of a unit that gives the intended total work.
func (d *drawing) fill(s *instance.Spec) error {
	trial := *s
	trial.Jobs = append([]instance.JobSpec(nil), s.Jobs...)
	for i := range trial.Jobs {
		trial.Jobs[i].Iterations = 1
	}
	in, err := compile(&trial)
	if err != nil {
		return err
	}
	work, lengths := 0.0, make([]float64, len(s.Jobs))
	for i := range lengths {
		lengths[i] = float64(d.between(1, 7) * d.between(1, 7))
		work += lengths[i] * float64(s.Jobs[i].Workers)
	}
	unit := 0.9 * float64(d.size.Horizon) * float64(d.size.TotalGPUs()) / work
	for i := range s.Jobs {
		s.Jobs[i].Iterations = max(1, int(lengths[i]*unit/float64(in.Jobs[i].FastestFull())))
		s.Jobs[i].Release = tick(s) * instance.Duration(d.Int64N(int64(d.size.Horizon)))
	}
	return nil
}
