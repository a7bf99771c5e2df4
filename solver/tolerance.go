package solver

// The tolerances of every check in and below this package. They are relative
// where the comment says so: |difference| <= tolerance * max(1, magnitude).
const (
	// FeasibilityTol bounds the violation of (1) and (2), relative to the bound and the
	// terms of a row.
	FeasibilityTol = 1e-6
	// DualTol bounds a dual or a reduced cost of the wrong sign, relative to the
	// largest cost or the terms that make up the reduced cost.
	DualTol = 1e-6
	// GapTol bounds the difference between primal and dual objective, relative
	// to the objective.
	GapTol = 1e-6
	// RayTol bounds the components of the wrong sign of a ray that is scaled to a
	// largest component of 1.
	RayTol = 1e-9

	// Huge is the magnitude from which engines treat a number as infinite. Validate
	// rejects finite numbers that large, because different engines would interpret
	// them differently.
	Huge = 1e20
)
