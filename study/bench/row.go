package bench

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	"jigsaw/formulation/instance"
)

// Regime says what limits the plans of an instance; see the package comment.
type Regime string

// The regimes.
const (
	AreaBound  Regime = "area"
	ChainBound Regime = "chain"
	Crossing   Regime = "crossing"
	Network    Regime = "network"
	Planted    Regime = "planted"
	// Long is the only regime of the sizes whose jobs run for hours.
	Long Regime = "long"
)

// Regimes lists all regimes.
func Regimes() []Regime { return []Regime{AreaBound, ChainBound, Crossing, Network, Planted, Long} }

// Objectives lists the measured objectives.
func Objectives() []instance.Objective {
	return []instance.Objective{instance.Makespan, instance.WeightedCompletion, instance.Throughput}
}

// Size is the extent of an instance.
type Size struct {
	Name string
	// Racks of Nodes nodes of GPUs GPUs each.
	Racks, Nodes, GPUs int
	Jobs               int
	// Horizon is about the length of good plans, in ticks.
	Horizon instance.Tick
	// Real says that jobs run models of the profile library, in ticks of 1 ms;
	// the others run drawn models of a few layers, in ticks of 10 ms.
	Real bool
	// Long says that jobs run for hours; see [Long].
	Long bool
	// Limit is the default time limit of a solver.
	Limit time.Duration
}

// Sizes lists all sizes, by increasing number of jobs.
func Sizes() []Size {
	return []Size{
		{"tiny", 1, 2, 4, 4, 60, false, false, time.Minute},
		{"small", 2, 2, 4, 8, 80, false, false, time.Minute},
		{"medium16", 2, 4, 8, 16, 100, false, false, time.Minute},
		{"medium32", 2, 4, 8, 32, 120, false, false, time.Minute},
		{"large", 4, 4, 8, 80, 160, false, false, time.Minute},
		{"xl", 8, 16, 8, 1000, 8000, true, false, 2 * time.Minute},
		{"xxl", 80, 16, 8, 3000, 8000, true, false, 5 * time.Minute},
		{"rack", 1, 8, 8, 24, 20_000_000, true, true, 20 * time.Second},
		{"racks", 8, 8, 8, 192, 20_000_000, true, true, 20 * time.Second},
		{"night", 1, 64, 8, 200, 40_000_000, true, true, time.Minute},
		{"nights", 1, 32, 8, 256, 40_000_000, true, true, 20 * time.Second}, // at most; see drawing.nights
		{"month", 80, 16, 8, 10_000, 30 * 24 * 3_600_000, true, true, 5 * time.Minute},
	}
}

// SizeNamed returns the size of that name.
func SizeNamed(name string) (Size, error) {
	sizes := Sizes()
	if i := slices.IndexFunc(sizes, func(s Size) bool { return s.Name == name }); i >= 0 {
		return sizes[i], nil
	}
	return Size{}, fmt.Errorf("bench: unknown size %q", name)
}

// TotalGPUs in the cluster.
func (s Size) TotalGPUs() int { return s.Racks * s.Nodes * s.GPUs }

// Row names one instance.
type Row struct {
	Size      string             `json:"size"`
	Regime    Regime             `json:"regime"`
	Objective instance.Objective `json:"objective"`
	Seed      uint64             `json:"seed"`
}

// String is the row's name, like "tiny-area-makespan-1".
func (r Row) String() string {
	return fmt.Sprintf("%s-%s-%s-%d", r.Size, r.Regime, r.Objective, r.Seed)
}

// ParseRow parses the output of [Row.String].
func ParseRow(name string) (Row, error) {
	parts := strings.Split(name, "-")
	if len(parts) != 4 {
		return Row{}, fmt.Errorf("bench: %q is not a row; write size-regime-objective-seed, like tiny-area-makespan-1", name)
	}
	seed, err := strconv.ParseUint(parts[3], 10, 64)
	if err != nil {
		return Row{}, fmt.Errorf("bench: row %q: the seed is not a number", name)
	}
	r := Row{parts[0], Regime(parts[1]), instance.Objective(parts[2]), seed}
	return r, r.valid()
}

func (r Row) valid() error {
	size, err := SizeNamed(r.Size)
	if err != nil {
		return err
	}
	if !slices.Contains(Regimes(), r.Regime) {
		return fmt.Errorf("bench: unknown regime %q; choose one of %v", r.Regime, Regimes())
	}
	if !slices.Contains(Objectives(), r.Objective) {
		return fmt.Errorf("bench: objective %q is not measured; choose one of %v", r.Objective, Objectives())
	}
	if !r.fits(size) {
		return fmt.Errorf("bench: %v is no row: sizes whose jobs run for hours have the regime %q alone, and no throughput", r, Long)
	}
	return nil
}

// fits reports whether the size has the row's regime and objective.
func (r Row) fits(size Size) bool {
	return size.Long == (r.Regime == Long) && (!size.Long || !r.Objective.Periodic())
}

// rng returns the generator of the row's instance. It does not depend on the
// objective, so that the objectives share their jobs.
func (r Row) rng() *rand.Rand {
	h := fnv.New64a()
	fmt.Fprintf(h, "%s-%s", r.Size, r.Regime)
	return rand.New(rand.NewPCG(r.Seed, h.Sum64()))
}

// Selection selects rows. Empty lists mean all.
type Selection struct {
	Sizes      []string
	Regimes    []Regime
	Objectives []instance.Objective
	// Seeds 1..Seeds.
	Seeds uint64
}

// Rows lists the selected rows: small sizes first, and for each size one seed
// after the other, so that a run cut short has compared everything it reached.
func (s Selection) Rows() ([]Row, error) {
	sizes, regimes, objectives := s.Sizes, s.Regimes, s.Objectives
	all := len(regimes) == 0 || len(objectives) == 0
	if len(sizes) == 0 {
		for _, size := range Sizes() {
			sizes = append(sizes, size.Name)
		}
	}
	if len(regimes) == 0 {
		regimes = Regimes()
	}
	if len(objectives) == 0 {
		objectives = Objectives()
	}
	var rows []Row
	for _, size := range sizes {
		for seed := range s.Seeds {
			for _, regime := range regimes {
				for _, objective := range objectives {
					row := Row{size, regime, objective, seed + 1}
					if size, err := SizeNamed(row.Size); err == nil && all && !row.fits(size) {
						continue
					}
					if err := row.valid(); err != nil {
						return nil, err
					}
					rows = append(rows, row)
				}
			}
		}
	}
	return rows, nil
}
