package alloc

import (
	"math/bits"

	"jigsaw/formulation/instance"
)

// nodeSet is a set of nodes, a bit for each.
type nodeSet []uint64

// flip adds a node, or removes it.
func (s nodeSet) flip(n instance.NodeID) { s[n/64] ^= 1 << (n % 64) }

// add adds the nodes of another set.
func (s nodeSet) add(other nodeSet) {
	for i := range s {
		s[i] |= other[i]
	}
}

// count returns the number of its nodes.
func (s nodeSet) count() (n int) {
	for _, some := range s {
		n += bits.OnesCount64(some)
	}
	return n
}

// first returns the first node of the set in [from, to); -1: none.
func (s nodeSet) first(from, to instance.NodeID) instance.NodeID {
	for at := from; at < to; at = (at/64 + 1) * 64 {
		if rest := s[at/64] >> (at % 64); rest != 0 {
			if at += instance.NodeID(bits.TrailingZeros64(rest)); at < to {
				return at
			}
			break
		}
	}
	return -1
}

// last returns the last node of the set in [from, to); -1: none.
func (s nodeSet) last(from, to instance.NodeID) instance.NodeID {
	for at := to - 1; at >= from; at = at/64*64 - 1 {
		if rest := s[at/64] << (63 - at%64); rest != 0 {
			if at -= instance.NodeID(bits.LeadingZeros64(rest)); at >= from {
				return at
			}
			break
		}
	}
	return -1
}
