package bench

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"

	"jigsaw"
	"jigsaw/formulation/instance"
)

// Case is a generated instance.
type Case struct {
	Row
	Spec     *instance.Spec
	Instance *instance.Instance
	// Optimum is the optimal value if it is known by construction, otherwise nil:
	//
	//	makespan             the work fills every GPU from 0 to T, and every job ends with
	//	                     a synchronisation of s ticks: T + s, the area bound
	//	weighted completion  every job ends at r_j + R_j l_j: the chain bound
	//	throughput           every job runs 1/l_j iterations per tick: the chain bound
	Optimum *big.Rat
	// Witness attains Optimum; nil if that is.
	Witness *instance.Schedule
}

// Generate makes the row's instance. The same row gives the same instance on
// every machine; the tests contain digests of them.
func Generate(row Row) (*Case, error) {
	if err := row.valid(); err != nil {
		return nil, err
	}
	size, err := SizeNamed(row.Size)
	if err != nil {
		return nil, err
	}
	d := &drawing{row.rng(), size, row}
	if size.Long {
		return d.long()
	}
	if row.Regime == Planted {
		return d.planted()
	}
	return d.drawn()
}

// Digest identifies the instance, so that results of different versions of the
// generators are not mixed up.
func (c *Case) Digest() (string, error) {
	data, err := json.Marshal(c.Spec)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:6]), nil
}

// drawing makes one instance.
type drawing struct {
	*rand.Rand
	size Size
	row  Row
}

// between returns a number from lo to hi.
func (d *drawing) between(lo, hi int) int { return lo + d.IntN(hi-lo+1) }

// oneIn is true with probability 1/n.
func (d *drawing) oneIn(n int) bool { return d.IntN(n) == 0 }

func pick[E any](d *drawing, choices ...E) E { return choices[d.IntN(len(choices))] }

const (
	mega instance.Bytes   = 1_000_000
	gbit instance.BitRate = 1_000_000_000
	msec                  = instance.Duration(1e6)
)

// spec returns an instance without models and jobs: identical racks of
// identical nodes under one core, with uplinks oversubscribed by two.
func (d *drawing) spec() *instance.Spec {
	s := &instance.Spec{Version: instance.Version, Name: d.row.String(), TickUS: 10_000, Objective: d.row.Objective}
	rack := instance.RackSpec{Count: d.size.Racks, Nodes: d.size.Nodes, GPUs: d.size.GPUs, GPU: "v100",
		NIC: 10 * gbit, Fabric: 100 * gbit, Oversubscription: 2 * instance.One}
	if d.size.Real {
		s.TickUS = 1000
		rack.NIC, rack.Fabric = 100*gbit, 1200*gbit
	}
	s.Cluster.GPUTypes = []instance.GPUTypeSpec{{Name: "v100", Memory: 32 << 30}}
	s.Cluster.Racks = []instance.RackSpec{rack}
	s.Cluster.RateLevels = pick(d, []instance.RateLevel{1}, []instance.RateLevel{1, 2}, []instance.RateLevel{1, 2, 4})
	return s
}

// tick is the length of a tick of the spec.
func tick(s *instance.Spec) instance.Duration { return instance.Duration(s.TickUS) * 1000 }

// compile turns the spec into an instance; an error in it is the generator's.
func compile(s *instance.Spec) (*instance.Instance, error) {
	library, err := jigsaw.Profiles()
	if err != nil {
		return nil, err
	}
	in, err := instance.Compile(s, library)
	if err != nil {
		return nil, fmt.Errorf("bench: %s: %w", s.Name, err)
	}
	return in, nil
}

// drawAttempts is the number of draws tried for a regime. Tiny instances often
// miss it: with four jobs the numbers of workers are coarse.
const drawAttempts = 5000

// drawn makes an instance of a regime other than planted: it draws jobs, fits
// the numbers of workers to the density that the regime needs, then the numbers
// of iterations to its area and chains, and restarts if that fails.
func (d *drawing) drawn() (*Case, error) {
	for range drawAttempts {
		spec := d.spec()
		d.models(spec)
		d.jobs(spec)
		if d.row.Regime == Network {
			spec.Cluster.Racks[0].NIC = d.slowNIC()
		}
		menu, err := d.menu(spec)
		if err != nil {
			return nil, err
		}
		if !d.fitWorkers(spec, menu) || !d.row.Objective.Periodic() && !d.fitIterations(spec, menu) {
			continue
		}
		d.finish(spec)
		in, err := compile(spec)
		if err != nil {
			return nil, err
		}
		return &Case{Row: d.row, Spec: spec, Instance: in}, nil
	}
	return nil, fmt.Errorf("bench: none of %d draws of %v is in its regime", drawAttempts, d.row)
}

// finish drops what periodic plans do not have, and makes memory tight on every
// fifth seed: room for two residents more than the average GPU has.
func (d *drawing) finish(s *instance.Spec) {
	residents := 0
	for i := range s.Jobs {
		job := &s.Jobs[i]
		residents += job.Workers
		if s.Objective.Periodic() {
			job.Iterations, job.Release = 0, 0
		}
	}
	if s.Objective.Periodic() {
		s.MaxPeriod = 64 * tick(s)
		if d.size.Real {
			s.MaxPeriod = 4096 * tick(s)
		}
	}
	if d.row.Seed%5 == 0 && !d.size.Real {
		persistent, ephemeral := instance.Bytes(0), instance.Bytes(0)
		for _, p := range s.Profiles {
			total := p.Totals()
			persistent = max(persistent, 3*total.Parameters)
			ephemeral = max(ephemeral, total.Activations+p.Workspace)
		}
		each := residents/d.size.TotalGPUs() + 2
		s.Cluster.GPUTypes[0].Memory = instance.Bytes(each)*persistent + ephemeral
	}
}
