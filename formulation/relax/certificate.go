package relax

import (
	"encoding/json"
	"math/big"

	"jigsaw/formulation/instance"
)

// CertificateVersion is the version of [Certificate] as a file.
const CertificateVersion = 3

// Certificate is the exact proof of a bound. The program that it refers to is
// not in it: it is built anew from the instance, in integers, when the
// certificate is checked. What a certificate holds besides the claim are prices: any of
// the right sign prove something, good ones much. What they prove is said at the program of
// each kind: packages fluid, columns, packing, periods, trees and memorytime,
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
	// Prices by row of the program: of a fluid program in its order, of a
	// columns program by group of rows that has any, then bucket.
	Prices []*big.Int `json:"prices"`
	// Columns is the column budget a fluid program was built with, and
	// of programs of periods how many sets of co-resident jobs have columns of their own.
	Columns int `json:"columns,omitempty"`
	// Plans says which columns program it is.
	Plans *PlanTerms `json:"plans,omitempty"`
	// Loads are what an area certificate looks at.
	Loads []LoadTerms `json:"loads,omitempty"`
	// Share is what of a job's memory a certificate of memory x time counts.
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
	// Due is the tick that no schedule is claimed to end by; 0 for none.
	Due int64 `json:"due,omitempty"`
	// Horizon is the tick after which nothing has a price.
	Horizon int64 `json:"horizon"`
	// Points and Buckets of the time axes.
	Points  int64 `json:"points"`
	Buckets int64 `json:"buckets"`
}

// ShareTerms name a dual feasible function of the part x of a GPU's memory that a job takes, x itself
// where all are left out, or jobs of which no two are ever in memory together.
type ShareTerms struct {
	// Cut in bytes: smaller jobs count as nothing, and those that leave less as the whole GPU.
	Cut int64 `json:"cut,omitempty"`
	// Parts n: x is rounded down to (n+1)ths, which count as nths; whole ones count as they are.
	Parts int64 `json:"parts,omitempty"`
	// Apart are jobs, ascending, of which any two have more workers than there are GPUs, and more bytes
	// than a GPU has room for: their stays do not overlap.
	Apart []instance.JobID `json:"apart,omitempty"`
}

// Claim is the value of a bound. In a file it is a JSON number where it is an
// integer, and else a string with a fraction.
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
