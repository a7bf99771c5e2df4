package bound

// DefaultWork limits the pricing of a bound if limits say nothing; see its Limits.
const DefaultWork = 10_000_000_000

// Smoothing of the prices, see package colgen; 0.5 saves a fifth of the rounds.
const Smoothing = 0.5

// Climb looks for the largest due in [low, high) that is refuted, to about a
// thousandth: first low itself, then in growing steps, then by bisection.
func Climb(low, high int64, refuted func(due int64) (bool, error)) error {
	for due, step := low, max(1, (high-low)/16); due < high; {
		yes, err := refuted(due)
		if err != nil {
			return err
		}
		if !yes && due == low {
			return nil
		}
		if yes {
			low = due + 1
		} else {
			high = due
		}
		if yes && low+step < high && high-low > step {
			due = low + step - 1
			step *= 2
		} else {
			due, step = low+(high-low)/2, max(1, step/2)
		}
		if high-low <= low/1000 {
			return nil
		}
	}
	return nil
}
