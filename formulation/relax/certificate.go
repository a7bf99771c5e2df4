package relax

import (
	"encoding/json"
	"math/big"

	"jigsaw/formulation/instance"
)

// CertificateVersion is the version of [Certificate] as a file.
const CertificateVersion = 3

// Certificate is the exact proof of a bound. It does not contain the program that
// it refers to; the check rebuilds that from the instance, in integers. Besides
// the claim, a certificate holds prices: any of the right sign prove a bound, good
// ones a strong bound. What they prove is stated at the program of each kind:
// packages fluid, columns, intervals, packing, periods, trees and memorytime,
// [Model.ProveArea], [ProveWeights] and [Model.ProveCost]. Chain and the proofs of
// [Infeasible] are exact as they are computed and need no prices.
type Certificate struct {
	Version int  `json:"version"`
	Kind    Kind `json:"kind"`
	// Instance is the digest of the instance that the bound is about.
	Instance string `json:"instance"`
	// Bound is the claim, in the unit of [instance.Instance.Value]; nil where
	// infeasibility is claimed.
	Bound *Claim `json:"bound"`
	// Infeasible says that the prices prove infeasibility rather than a bound.
	Infeasible bool `json:"infeasible,omitempty"`
	// Value is what the prices prove before rounding. It is part of the claim.
	Value *big.Rat `json:"value,omitempty"`
	// Denominator of all prices.
	Denominator *big.Int `json:"denominator"`
	// Prices by row of the program: for a fluid program in its order, for a columns or
	// intervals program by group that has rows, then bucket or interval.
	Prices []*big.Int `json:"prices"`
	// Columns is the column budget of a fluid program; for programs of periods it is how
	// many sets of co-resident jobs have columns of their own.
	Columns int `json:"columns,omitempty"`
	// Plans identifies the columns program.
	Plans *PlanTerms `json:"plans,omitempty"`
	// Ends of the intervals of an intervals program, in ticks, ascending.
	Ends []int64 `json:"ends,omitempty"`
	// Loads are the loads that an area certificate uses.
	Loads []LoadTerms `json:"loads,omitempty"`
	// Share says how a certificate of memory x time counts a job's memory.
	Share *ShareTerms `json:"share,omitempty"`
	// End of the schedules whose cost is bounded, in ticks; 0 for all.
	End int64 `json:"end,omitempty"`
	// Stages of a background certificate: numbers of GPUs by burst-parallel job and layer.
	Stages [][]int `json:"stages,omitempty"`
	// Tree is the tree of a tree certificate.
	Tree []ProofNode `json:"tree,omitempty"`
}

// PlanTerms are the parameters of a columns program. Any make a valid one.
type PlanTerms struct {
	// Due is the tick by which no schedule is claimed to end; 0 for none.
	Due int64 `json:"due,omitempty"`
	// Horizon is the tick after which nothing has a price.
	Horizon int64 `json:"horizon"`
	// Points and Buckets of the time axes.
	Points  int64 `json:"points"`
	Buckets int64 `json:"buckets"`
}

// ShareTerms name either a dual feasible function of the fraction x of a GPU's memory that a job
// takes (x itself if all fields are omitted), or jobs of which no two are ever in memory together.
type ShareTerms struct {
	// Cut in bytes: jobs smaller than this count as nothing, and jobs that leave less than
	// this count as the whole GPU.
	Cut int64 `json:"cut,omitempty"`
	// Parts n: x is rounded down to a multiple of 1/(n+1), m/(n+1), which counts as m/n; exact
	// multiples count as they are.
	Parts int64 `json:"parts,omitempty"`
	// Apart are jobs, ascending, any two of which have more workers than there are GPUs, and more bytes
	// than fit on a GPU: their stays do not overlap.
	Apart []instance.JobID `json:"apart,omitempty"`
}

// Claim is the value of a bound. In a file it is a JSON number if it is an integer,
// otherwise a string with a fraction.
type Claim struct{ big.Rat }

// NewClaim returns v as a claim, nil for nil.
func NewClaim(v *big.Rat) *Claim {
	if v == nil {
		return nil
	}
	c := &Claim{}
	c.Set(v)
	return c
}

// MarshalJSON implements [json.Marshaler].
func (c *Claim) MarshalJSON() ([]byte, error) {
	if c.IsInt() {
		return []byte(c.Num().String()), nil
	}
	return json.Marshal(c.RatString())
}
