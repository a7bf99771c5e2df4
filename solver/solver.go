package solver

import "context"

// Caps says what an engine can do beyond solving a program once.
type Caps struct {
	WarmStart bool // a changed model starts from its last basis, and accepts one
	Farkas    bool // Infeasible and Unbounded come with a ray
	Ranging   bool // its models implement Ranger
}

// Solver is an engine.
type Solver interface {
	// Name is the name of the engine and, if known, its version.
	Name() string
	// Caps says what the engine can do.
	Caps() Caps
	// Load validates the problem and copies it into a model of its own.
	Load(*Problem) (Model, error)
}

// Model is a live copy of a program inside an engine. Changes keep the last
// basis wherever the engine can. A call that returns an error for malformed data
// changes nothing. A model may be used by one goroutine at a time; separate
// models may be used concurrently.
type Model interface {
	// Problem returns a copy of the current program.
	Problem() *Problem

	// AddCols appends columns; they enter nonbasic.
	AddCols(cols ...Column) error
	// SetColBounds replaces the two bounds of a column.
	SetColBounds(col Col, lower, upper float64) error

	// Basis returns a copy of the current basis, or nil if there is none.
	Basis() *Basis
	// SetBasis makes the next solve start from the given basis. A basis of fewer
	// columns than the model has now is completed: later columns are nonbasic. A basis is a hint: an engine repairs a singular
	// one, and an engine without Caps.WarmStart ignores it.
	SetBasis(*Basis) error

	// Solve optimises from the current basis. If the context ends during the call,
	// its error is returned soon; the model stays usable and keeps its basis, so
	// that a later call continues from there.
	Solve(ctx context.Context, limits Limits) (*Solution, error)

	// Close releases the model; any use after it is an error. A second Close
	// does nothing.
	Close() error
}

// Ranger is a model that can tell how far one number of the program may change,
// with all others fixed, before its optimal basis changes. It is called after a
// Solve that ended Optimal.
type Ranger interface {
	Range(ctx context.Context) (*Ranging, error)
}

// Ranging holds the two ends of each such interval; infinities mean that there
// is no end. At a degenerate optimum the intervals belong to the basis, and may
// be smaller than those of the optimal value.
type Ranging struct {
	// CostLower and CostUpper, by Col: while the cost of the column is between
	// the two, the optimal solution keeps its values.
	CostLower, CostUpper []float64
	// ActivityLower and ActivityUpper, by Row: while a row that is active at a
	// bound has that bound between the two, its dual stays the derivative of the
	// optimal objective. For a row that is active at no bound both are its
	// activity: its lower bound may rise, and its upper bound fall, to there.
	ActivityLower, ActivityUpper []float64
}
