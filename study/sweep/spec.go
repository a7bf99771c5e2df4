package sweep

import (
	"jigsaw/formulation/instance"
)

// Version is the version of the study file's format.
const Version = 1

// Spec is a study as the user writes it.
type Spec struct {
	// Version of the file format.
	Version int `yaml:"version" json:"version"`
	// Name of the study in files and reports.
	Name string `yaml:"name" json:"name"`
	// Question that the study asks, in a line or two.
	Question string `yaml:"question,omitempty" json:"question,omitempty"`
	// TickUS is the length of a tick of the instances in microseconds; 0 means 1000.
	TickUS int64 `yaml:"tick_us,omitempty" json:"tick_us,omitempty" absent:"1000"`
	// Profiles of models that the library lacks.
	Profiles []*instance.Profile `yaml:"profiles,omitempty" json:"profiles,omitempty"`
	// Mixes of jobs from which sweeps draw.
	Mixes []Mix `yaml:"mixes" json:"mixes"`
	// Methods of planning that sweeps compare. Empty means one, named "plan", with
	// the planner's default settings.
	Methods []Method `yaml:"methods,omitempty" json:"methods,omitempty" absent:"the planner as it is"`
	// Base holds the axes of sweeps that do not specify them.
	Base Axes `yaml:"base,omitempty" json:"base,omitzero"`
	// Sweeps of the study.
	Sweeps []Sweep `yaml:"sweeps" json:"sweeps"`
}

// Mix is a distribution of jobs. Each list is drawn from by weight.
type Mix struct {
	Name   string         `yaml:"name" json:"name"`
	Models []ModelChoice  `yaml:"models" json:"models"`
	Counts []WorkerChoice `yaml:"workers,omitempty" json:"workers,omitempty"`
	// Seconds of a job at full depth without waiting; empty means 10 s.
	Seconds []TimeChoice `yaml:"seconds,omitempty" json:"seconds,omitempty" absent:"10s"`
	// Weights of jobs in the objective; empty means 1.
	Weights []int64 `yaml:"weights,omitempty" json:"weights,omitempty" absent:"1"`
	// Releases are drawn uniformly from 0 to this time.
	Releases instance.Duration `yaml:"releases,omitempty" json:"releases,omitempty"`
}

// ModelChoice is a model of the profile library.
type ModelChoice struct {
	Model string `yaml:"model" json:"model"`
	// Batch per worker; 0 is permitted if the library has only one size.
	Batch int `yaml:"batch,omitempty" json:"batch,omitempty" absent:"the one that the library has"`
	// Weight among the choices; 0 means 1.
	Weight int `yaml:"weight,omitempty" json:"weight,omitempty" absent:"1"`
}

// WorkerChoice is a number of workers.
type WorkerChoice struct {
	Workers int `yaml:"workers" json:"workers"`
	// Weight among the choices; 0 means 1.
	Weight int `yaml:"weight,omitempty" json:"weight,omitempty" absent:"1"`
}

// TimeChoice is a length of a job.
type TimeChoice struct {
	Time instance.Duration `yaml:"time" json:"time"`
	// Weight among the choices; 0 means 1.
	Weight int `yaml:"weight,omitempty" json:"weight,omitempty" absent:"1"`
}

// Method is a way of planning.
type Method struct {
	Name string `yaml:"name" json:"name"`
	// Time limit of a plan; with one, equal cells need not give equal rows. 0 means
	// none.
	Time instance.Duration `yaml:"time,omitempty" json:"time,omitempty" absent:"none"`
	// Effort scales the work if there is no time limit; 0 means 1.
	Effort int `yaml:"effort,omitempty" json:"effort,omitempty" absent:"1"`
	// Gap ends a plan once it is proven to be this close to the optimum.
	Gap instance.Ratio `yaml:"gap,omitempty" json:"gap,omitempty"`
	// Quick makes a greedy plan, the baselines and the chain, area and fluid bounds.
	Quick bool `yaml:"quick,omitempty" json:"quick,omitempty"`
	// NoLP leaves out the bounds that need a linear program.
	NoLP bool `yaml:"no_lp,omitempty" json:"no_lp,omitempty"`
}

// Axes are the lists whose product is a sweep. An empty list is that of the
// base, or else the default given here.
type Axes struct {
	// Clusters as racks x nodes x GPUs: "1x8x8"; at least one is needed.
	Clusters []Shape `yaml:"clusters,omitempty" json:"clusters,omitempty" absent:"those of base, or else the default"`
	// GPUs are types for which the library has profiles; default v100.
	GPUs []string `yaml:"gpus,omitempty" json:"gpus,omitempty" absent:"those of base, or else the default"`
	// Speeds of the GPUs relative to the profiled ones; default 1.
	Speeds []instance.Ratio `yaml:"speeds,omitempty" json:"speeds,omitempty" absent:"those of base, or else the default"`
	// Memory of a GPU; default 32GiB.
	Memory []instance.Bytes `yaml:"memory,omitempty" json:"memory,omitempty" absent:"those of base, or else the default"`
	// Residence of jobs in memory: plan, or run for jobs of hours that are there only while they run; default plan.
	Residence []instance.Residence `yaml:"residence,omitempty" json:"residence,omitempty" absent:"those of base, or else the default"`
	// NIC of a node, each way; default 100Gbit/s.
	NIC []instance.BitRate `yaml:"nic,omitempty" json:"nic,omitempty" absent:"those of base, or else the default"`
	// Fabric inside a node; default 1200Gbit/s.
	Fabric []instance.BitRate `yaml:"fabric,omitempty" json:"fabric,omitempty" absent:"those of base, or else the default"`
	// Oversubscription of the racks' uplinks; default 1.
	Oversubscription []instance.Ratio `yaml:"oversubscription,omitempty" json:"oversubscription,omitempty" absent:"those of base, or else the default"`
	// Mixes by name; default all.
	Mixes []string `yaml:"mixes,omitempty" json:"mixes,omitempty" absent:"those of base, or else the default"`
	// Load is the number of workers per GPU; default 2.
	Load []instance.Ratio `yaml:"load,omitempty" json:"load,omitempty" absent:"those of base, or else the default"`
	// Workers of every job; 0, the default, leaves it to the mix.
	Workers []int `yaml:"workers,omitempty" json:"workers,omitempty" absent:"those of base, or else the default"`
	// SPB rules; default the ladder of four depths.
	SPB []instance.SPBSpec `yaml:"spb,omitempty" json:"spb,omitempty" absent:"those of base, or else the default"`
	// Objectives; default makespan.
	Objectives []instance.Objective `yaml:"objectives,omitempty" json:"objectives,omitempty" absent:"those of base, or else the default"`
	// Methods by name; default all.
	Methods []string `yaml:"methods,omitempty" json:"methods,omitempty" absent:"those of base, or else the default"`
	// Seeds of the jobs and of the planner; default 1.
	Seeds []int64 `yaml:"seeds,omitempty" json:"seeds,omitempty" absent:"those of base, or else the default"`
}

// Sweep is a product of axes, or a sample of it.
type Sweep struct {
	Name string `yaml:"name" json:"name"`
	// Question that the sweep answers.
	Question string `yaml:"question,omitempty" json:"question,omitempty"`
	// Axis by which the report groups the results, like nic; empty means the first
	// with several values.
	Axis   string  `yaml:"axis,omitempty" json:"axis,omitempty"`
	Axes   Axes    `yaml:"axes,omitempty" json:"axes,omitzero"`
	Sample *Sample `yaml:"sample,omitempty" json:"sample,omitempty"`
}

// Sample takes some cells of a product.
type Sample struct {
	// Cells to take; all if there are fewer.
	Cells int `yaml:"cells" json:"cells"`
	// Seed of the choice.
	Seed int64 `yaml:"seed,omitempty" json:"seed,omitempty"`
}
