package relax

// Interval is the ticks from and to, both included.
type Interval struct{ From, To int64 }

// Holds reports whether a tick is in the interval.
func (i Interval) Holds(t int64) bool { return i.From <= t && t <= i.To }

// MaxHorizon is the latest tick in a certificate.
const MaxHorizon = 1 << 28
