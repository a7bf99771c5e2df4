package classical

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"os"
	"slices"

	"jigsaw/formulation/instance"
)

// Family is a classical scheduling problem, in the notation of Graham et al.
type Family string

// The families; see the package comment.
const (
	Rigid     Family = "P|size|Cmax"
	Split     Family = "P|size,split|Cmax"
	Identical Family = "P||Cmax"
	Flow      Family = "P||sum Cj"
	Unrelated Family = "R||Cmax"
)

// Families lists all families.
func Families() []Family { return []Family{Rigid, Split, Identical, Flow, Unrelated} }

// Problem is one instance of a family.
type Problem struct {
	Family Family
	Name   string
	Spec   *instance.Spec
	// Known is the best known value. Optimal says that it is the optimum.
	Known   *big.Rat
	Optimal bool
}

// published is a line of the file.
type published struct {
	Family   Family     `json:"family"`
	Name     string     `json:"name"`
	Machines int        `json:"machines"`
	Jobs     [][2]int64 `json:"jobs"`  // width and length
	Times    [][]int64  `json:"times"` // of each job on each machine
	Optimum  int64      `json:"optimum"`
	Best     int64      `json:"best_known"`
}

// longest is the largest number of ticks of a job.
const longest = 1 << 40

// Read returns the problems of a file of JSON Lines, including the derived ones. A
// line has family, name and machines, and either jobs, each [width, length], with
// optimum, or times[job][machine] with best_known.
func Read(name string) ([]Problem, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	problems, err := decode(file)
	if err != nil {
		return nil, fmt.Errorf("classical: %s: %w", name, err)
	}
	return problems, nil
}

func decode(r io.Reader) ([]Problem, error) {
	var problems []Problem
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<26)
	for n := 1; lines.Scan(); n++ {
		var p published
		err := json.Unmarshal(lines.Bytes(), &p)
		if err == nil {
			err = p.valid()
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		switch p.Family {
		case Rigid:
			problems = append(problems, p.problem(Rigid), p.problem(Split))
		case Identical:
			problems = append(problems, p.problem(Identical), p.problem(Flow))
		default:
			problems = append(problems, p.problem(p.Family))
		}
	}
	return problems, lines.Err()
}

// valid reports the first error in a line.
func (p *published) valid() error {
	if p.Machines < 1 {
		return fmt.Errorf("%q: there are %d machines; there has to be one", p.Name, p.Machines)
	}
	switch p.Family {
	case Rigid, Identical:
		if len(p.Jobs) == 0 || p.Optimum < 1 {
			return fmt.Errorf("%q: jobs and their optimum are needed", p.Name)
		}
		for j, job := range p.Jobs {
			if job[0] < 1 || job[0] > int64(p.Machines) || job[1] < 1 || job[1] > longest || p.Family == Identical && job[0] > 1 {
				return fmt.Errorf("%q: jobs[%d] has width %d and length %d", p.Name, j, job[0], job[1])
			}
		}
	case Unrelated:
		if len(p.Times) == 0 || p.Best < 1 {
			return fmt.Errorf("%q: times and the best known makespan are needed", p.Name)
		}
		for j, times := range p.Times {
			if len(times) != p.Machines || slices.Min(times) < 1 || slices.Max(times) > longest {
				return fmt.Errorf("%q: times[%d] has to hold a positive length for each of %d machines", p.Name, j, p.Machines)
			}
		}
	default:
		return fmt.Errorf("%q: family %q is not known; it is one of %q, %q and %q", p.Name, p.Family, Rigid, Identical, Unrelated)
	}
	return nil
}

// problem is the line as an instance of a family.
func (p *published) problem(f Family) Problem {
	q := Problem{Family: f, Name: p.Name, Known: big.NewRat(p.Optimum, 1), Optimal: true}
	s := &instance.Spec{Version: instance.Version, Name: string(f) + " " + p.Name}
	if f == Unrelated {
		q.Known, q.Optimal = big.NewRat(p.Best, 1), false
		for m := range p.Machines {
			gpu := fmt.Sprintf("m%d", m)
			p.machines(s, gpu, 1)
			for j, times := range p.Times {
				profile(s, fmt.Sprintf("j%d", j), gpu, times[m])
			}
		}
		for j := range p.Times {
			job(s, fmt.Sprintf("j%d", j), 1, false)
		}
	} else {
		p.machines(s, "gpu", p.Machines)
		for j, size := range p.Jobs {
			name := fmt.Sprintf("j%d", j)
			profile(s, name, "gpu", size[1])
			job(s, name, int(size[0]), f == Rigid)
		}
	}
	if f == Flow {
		s.Objective = instance.WeightedCompletion
		q.Known = p.shortestFirst()
	}
	q.Spec = s
	return q
}

// shortestFirst is the least sum of completions on identical machines: the longest
// jobs come last on their machines, the next ones last but one, and so on.
func (p *published) shortestFirst() *big.Rat {
	var lengths []int64
	for _, job := range p.Jobs {
		lengths = append(lengths, job[1])
	}
	slices.Sort(lengths)
	slices.Reverse(lengths)
	sum := new(big.Int)
	for n, length := range lengths {
		later := big.NewInt(int64(1 + n/p.Machines)) // number of jobs delayed by it, itself included
		sum.Add(sum, later.Mul(later, big.NewInt(length)))
	}
	return new(big.Rat).SetInt(sum)
}

// gbit and memory of links and GPUs, which no job uses.
const (
	gbit   instance.BitRate = 1_000_000_000
	memory instance.Bytes   = 1_000_000_000
	tick                    = instance.Duration(1e6) // the default of instances
)

// machines adds a rack with the given number of GPUs of a separate type: one node or, if that is
// too many for a node, several.
func (p *published) machines(s *instance.Spec, gpu string, gpus int) {
	nodes := (gpus + instance.MaxNodeGPUs - 1) / instance.MaxNodeGPUs
	each := (gpus + nodes - 1) / nodes
	for n := range nodes*each - gpus {
		s.Cluster.Exceptions = append(s.Cluster.Exceptions, instance.ExceptionSpec{Node: fmt.Sprintf("r%dn%d", len(s.Cluster.Racks), n), GPUs: each - 1})
	}
	s.Cluster.GPUTypes = append(s.Cluster.GPUTypes, instance.GPUTypeSpec{Name: gpu, Memory: memory})
	s.Cluster.Racks = append(s.Cluster.Racks, instance.RackSpec{Nodes: nodes, GPUs: each, GPU: gpu, NIC: gbit, Fabric: gbit})
}

// profile adds a model of one layer that takes the given ticks.
func profile(s *instance.Spec, model, gpu string, ticks int64) {
	s.Profiles = append(s.Profiles, &instance.Profile{
		Model: model, GPU: gpu, Batch: 1, Layers: []instance.Layer{{Name: "all", Forward: instance.Duration(ticks) * tick}},
	})
}

// job adds a job of one iteration.
func job(s *instance.Spec, name string, workers int, gang bool) {
	s.Jobs = append(s.Jobs, instance.JobSpec{
		Name: name, Model: name, Workers: workers, Iterations: 1, Gang: gang, SPB: instance.SPBSpec{Rule: "full"},
	})
}
