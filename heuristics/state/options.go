package state

import (
	"math/big"

	"jigsaw/formulation/instance"
	"jigsaw/method"
)

// Options set how the heuristics run; the zero value means the usual work.
type Options struct {
	// Improved is called with each schedule better than all before it, from
	// the calling goroutine. The schedule is the callee's to keep.
	Improved func(*instance.Schedule)
	// Constructed is called by Greedy with the best of the portfolio, before the remaining
	// work is spent on changes of it; not if some deadline was missed.
	Constructed func(*instance.Schedule)
	// Quick reduces the number of schedules that Greedy tries to a small part, for a first answer.
	Quick bool
	// Rounds limits the work of Improve: it ends after that many rounds, each of about the
	// same number of tasks. 0 means no limit except the context and Stop.
	Rounds int
	// Spare is the number of cores that lanes and residency searches of Improve leave to other work.
	Spare int
	// Stop is called repeatedly with the value of the best schedule, in Improve also with that of
	// its start; true ends the search, for example when a bound is reached. nil means never.
	Stop func(value *big.Rat) bool
	// Periods holds upper limits on the sums of rates of plans of each period, of 1 tick first; nil where none is
	// known. Periods in which nothing is better than the best plan are not searched. Iterations holds numbers
	// of iterations of all jobs in a period that a better plan may have.
	Periods    []*big.Rat
	Iterations [][]int
	// Parts is the number of parts, of which the instance is one, that share the work of one instance; 0 means 1.
	Parts int
	// Tries is the number of schedules that Greedy tries, on one core, whatever Quick
	// says; 0 means the usual number.
	Tries int
	// Stays, if not nil, is the instance that is planned as if memory held all jobs at once: list schedules then keep to its
	// memory nevertheless, in which a job stays from its load to the end of its last iteration. No other search knows it.
	Stays *instance.Instance
	// Without lists the methods that are switched off.
	Without method.Set
}

// Part is the factor by which to divide the usual work if [Options.Quick] divides it
// by quick.
func (o Options) Part(quick int) int {
	part := max(1, o.Parts)
	if o.Quick {
		part *= quick
	}
	return part
}

// Most is an upper limit on the sum of rates of plans of a period, nil if none is known.
func (o Options) Most(period instance.Tick) *big.Rat {
	if period > instance.Tick(len(o.Periods)) {
		return nil
	}
	return o.Periods[period-1]
}

// Stops reports whether a value is good enough.
func (o Options) Stops(value *big.Rat) bool { return o.Stop != nil && o.Stop(value) }
