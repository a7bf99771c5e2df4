package sweep

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"

	"jigsaw/formulation/instance"
)

// Cell is one point of a sweep: everything its run depends on, besides the
// program.
type Cell struct {
	TickUS           int64            `json:"tick_us"`
	Cluster          Shape            `json:"cluster"`
	GPU              string           `json:"gpu"`
	Speed            instance.Ratio   `json:"speed"`
	Memory           instance.Bytes   `json:"memory"`
	NIC              instance.BitRate `json:"nic"`
	Fabric           instance.BitRate `json:"fabric"`
	Oversubscription instance.Ratio   `json:"oversubscription"`
	Mix              Mix              `json:"mix"`
	// Residence is empty for plan: the keys of cells before it stay.
	Residence instance.Residence `json:"residence,omitempty"`
	// Profiles that the study adds to the library.
	Profiles  []*instance.Profile `json:"profiles,omitempty"`
	Load      instance.Ratio      `json:"load"`
	Workers   int                 `json:"workers"` // 0: the mix's
	SPB       instance.SPBSpec    `json:"spb"`
	Objective instance.Objective  `json:"objective"`
	Method    Method              `json:"method"`
	Seed      int64               `json:"seed"`
}

// residence names that of jobs in memory.
func (c *Cell) residence() string { return string(or(c.Residence, instance.WholePlan)) }

// Key identifies the cell's run by a program: the SHA-256 of both in
// hexadecimal.
func (c *Cell) Key(p Program) string {
	data, err := json.Marshal(struct {
		Cell    *Cell   `json:"cell"`
		Program Program `json:"program"`
	}{c, p})
	if err != nil {
		panic("sweep: " + err.Error()) // cannot fail: numbers, texts and lists of them
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// weight of a cell is about the time of its plan, in any unit.
func (c *Cell) weight() float64 {
	w := float64(c.Cluster.Total()) * float64(c.Load)
	if c.Method.NoLP || c.Method.Quick {
		w /= 4
	}
	return w * float64(max(1, c.Method.Effort))
}

// RuleName is an SPB rule in a few words: "full", "ladder 4", "free 4 >=0.5".
func RuleName(s instance.SPBSpec) string {
	if s.Rule == "full" {
		return s.Rule
	}
	name := s.Rule
	if name == "" {
		name = "ladder"
	}
	switch {
	case len(s.Depths) > 0:
		name += fmt.Sprint(" ", s.Depths)
	case s.Cuts > 0:
		name += " " + strconv.Itoa(s.Cuts)
	default:
		name += " 4"
	}
	if s.MinMeanDepth > 0 {
		name += " >=" + s.MinMeanDepth.String()
	}
	if s.MinFull > 1 {
		name += fmt.Sprintf(" full %d", s.MinFull)
	}
	if s.Measure == "layers" {
		name += " by layers"
	}
	return name
}
