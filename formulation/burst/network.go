package burst

import (
	"math/bits"

	"jigsaw/formulation/instance"
)

// Network connects the job's GPUs.
type Network struct {
	// Rate at which each GPU sends and receives, both at once.
	Rate instance.BitRate `json:"rate"`
	// Latency is added to each collective.
	Latency instance.Duration `json:"latency"`
}

// Published is the network that the published planner assumes for a type of GPU:
// DeepPool (github.com/DeepPoolML/DeepPool, commit 7f823f2), examples/vgg.py and
// NET_LATENCY in parallelizationPlanner.py. For other types it is not known.
func Published(gpu string) (n Network, known bool) {
	const latency = 40_000
	switch gpu {
	case "a100":
		return Network{Rate: 2_128e9, Latency: latency}, true
	case "v100":
		return Network{Rate: 183_496e6, Latency: latency}, true
	}
	return Network{}, false
}

// sync is the time of a ring all-reduce of some bytes over g GPUs.
func (n Network) sync(size instance.Bytes, g int) instance.Duration {
	if g == 1 || size == 0 {
		return 0
	}
	return n.send(uint64(size), 2*uint64(g-1), uint64(g))
}

// move is the time to move a tensor, of size bytes for reference samples, from f GPUs to g,
// at a global batch.
func (n Network) move(size instance.Bytes, reference int64, batch, f, g int) instance.Duration {
	if f == g || size == 0 {
		return 0
	}
	few, many := batch/max(f, g), batch/min(f, g) // samples on a GPU
	return n.send(uint64(size), uint64(max(many-few, few)), uint64(reference))
}

// send is the time of size x num / den bytes.
func (n Network) send(size, num, den uint64) instance.Duration {
	high, low := bits.Mul64(size, num)
	if high >= den {
		return forever
	}
	bytes, rest := bits.Div64(high, low, den)
	if rest > 0 {
		bytes++
	}
	const nanobits = 8e9 // bits in a byte x nanoseconds in a second
	high, low = bits.Mul64(bytes, nanobits)
	if high >= uint64(n.Rate) {
		return forever
	}
	ns, rest := bits.Div64(high, low, uint64(n.Rate))
	if rest > 0 {
		ns++
	}
	return min(instance.Duration(min(ns, uint64(forever)))+n.Latency, forever)
}

// forever is a time that [Chain.check] rejects, and two of which can be added.
const forever instance.Duration = 1 << 60
