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
//	nights  nights of many shapes: 16 to 256 GPUs, and three to eight jobs a node of 20 minutes to 8 hours; of
//	        five seeds one has V100s and older models, one two types of GPUs, one deadlines, and one jobs that
//	        come later
//	month   10,000 jobs that come over the horizon, each of another length, whose work at full depth is
//	        nine tenths of what the cluster does in that time
func (d *drawing) long() (*Case, error) {
	s := d.spec()
	rack := &s.Cluster.Racks[0]
	rack.NIC, rack.Fabric, rack.Oversubscription = 100*gbit, 1200*gbit, 0
	s.Cluster.Latency, s.Cluster.RateLevels = msec/10, nil
	switch d.row.Size {
	case "night", "nights", "month":
		s.Residence, s.Cluster.LoadRate = instance.WhileRunning, 16*gbit
		if d.row.Size == "nights" {
			return d.nights(s)
		}
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

// newerModels of the library were measured on an H100.
var newerModels = []libraryModel{
	{"resnet50", 256}, {"resnet152", 64}, {"vgg16", 256}, {"vit_l16", 64}, {"bert_large", 16}, {"gpt2_xl", 4}, {"llama3_8b", 1},
}

// nights makes a case of the size of that name.
func (d *drawing) nights(s *instance.Spec) (*Case, error) {
	const minute = instance.Duration(60e9)
	rack := &s.Cluster.Racks[0]
	rack.Nodes = pick(d, 2, 4, 8, 16, 32)
	models, gpus := newerModels, []instance.GPUTypeSpec{{Name: "h100", Memory: 80 << 30}}
	if d.row.Seed%5 == 0 {
		models, gpus = libraryModels, s.Cluster.GPUTypes
	}
	rack.GPU, s.Cluster.GPUTypes = gpus[0].Name, gpus
	if d.row.Seed%5 == 2 {
		slow := *rack
		slow.GPU, slow.Nodes, rack.Nodes = "half", rack.Nodes/2, rack.Nodes/2
		s.Cluster.Racks = append(s.Cluster.Racks, slow)
		s.Cluster.GPUTypes = append(s.Cluster.GPUTypes, instance.GPUTypeSpec{Name: slow.GPU, Memory: gpus[0].Memory,
			ProfiledAs: []instance.ProfiledAs{{GPU: gpus[0].Name, Speed: instance.One / 2}}})
	}
	nodes := 0
	for _, r := range s.Cluster.Racks {
		nodes += r.Nodes
	}
	for n := range nodes * pick(d, 3, 5, 8) {
		model := pick(d, models...)
		job := instance.JobSpec{
			Name: fmt.Sprintf("%s-%d", model.name, n), Model: model.name, Batch: model.batch, Workers: pick(d, 1, 2, 4, 4, 8, 8, 16),
			Iterations: 1, Weight: int64(d.between(1, 5)), Optimizer: "adam",
		}
		if model.name == "llama3_8b" { // which fits in shards only
			job.Workers, job.Sharding = 8, "zero3"
		}
		if d.oneIn(4) {
			job.SPB.Rule, job.SPB.MinMeanDepth = "free", 500_000
		}
		s.Jobs = append(s.Jobs, job)
	}
	in, err := compile(s)
	if err != nil {
		return nil, err
	}
	work := instance.Duration(0) // of all GPUs
	for i := range s.Jobs {
		job := &s.Jobs[i]
		length := minute * instance.Duration(d.between(20, 100)*d.between(1, 5))
		job.Iterations = int(length / (tick(s) * instance.Duration(in.Jobs[i].FastestFull())))
		work += length * instance.Duration(job.Workers)
	}
	night := work / instance.Duration(nodes*d.size.GPUs)
	for i := range s.Jobs {
		switch job := &s.Jobs[i]; {
		case d.row.Seed%5 == 3 && d.oneIn(3):
			job.Deadline = night + minute*instance.Duration(d.between(60, 500))
		case d.row.Seed%5 == 4 && d.oneIn(2):
			job.Release = minute * instance.Duration(d.between(1, 180))
		}
	}
	in, err = compile(s)
	return &Case{Row: d.row, Spec: s, Instance: in}, err
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
