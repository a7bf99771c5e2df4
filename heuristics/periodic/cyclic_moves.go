package periodic

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"jigsaw/formulation/instance"
)

// moveKinds is the number of kinds of changes of a cyclic sequence.
const moveKinds = 5

// cyclicMover draws changes of a cyclic sequence, often of what keeps its period up.
type cyclicMover struct {
	*residencyTable
	rng  *rand.Rand
	next *cyclicSequence
	// critical are operations of the sequence that allow no shorter period, each
	// waiting for the one before, and the first for the last.
	critical []int32
	running  []int32         // jobs with iterations
	resting  []int32         // the others
	counts   [][]int         // usual depth multisets
	busy     []instance.Tick // about what each GPU does in a period
}

// begin notes who runs.
func (m *cyclicMover) begin() {
	m.running, m.resting = m.running[:0], m.resting[:0]
	for j, chain := range m.next.chain {
		if len(chain) > 0 {
			m.running = append(m.running, int32(j))
		} else {
			m.resting = append(m.resting, int32(j))
		}
	}
}

// draw makes one random change. It reports false if there was none to make, or
// one that cannot be: the sequence is then no plan.
func (m *cyclicMover) draw(kind int) bool {
	m.begin()
	if len(m.running) == 0 {
		return len(m.resting) > 0 && m.settleJob()
	}
	switch kind {
	case 0, 1:
		return m.overtake()
	case 2:
		return m.more()
	case 3:
		return m.substitute()
	default:
		return m.replace()
	}
}

// pick draws a job that runs, often one of the critical operations.
func (m *cyclicMover) pick() int32 {
	if len(m.critical) > 0 && m.rng.IntN(2) == 0 {
		return m.next.owner[m.critical[m.rng.IntN(len(m.critical))]]
	}
	return m.running[m.rng.IntN(len(m.running))]
}

// iteration draws an iteration, by its job and number.
func (m *cyclicMover) iteration() (j int32, n int) {
	r := m.next
	if len(m.critical) > 0 && m.rng.IntN(2) == 0 {
		op := m.critical[m.rng.IntN(len(m.critical))]
		j = r.owner[op]
		return j, slices.Index(r.chain[j], op-r.slot[op])
	}
	j = m.running[m.rng.IntN(len(m.running))]
	return j, m.rng.IntN(len(r.chain[j]))
}

// overtake lets a critical operation go before the one that it waits for, or
// that one after it, where they are of different jobs.
func (m *cyclicMover) overtake() bool {
	if len(m.critical) < 2 {
		return false
	}
	for range 4 {
		n := m.rng.IntN(len(m.critical))
		a, b := m.critical[n], m.critical[(n+1)%len(m.critical)]
		if m.next.owner[a] == m.next.owner[b] {
			continue
		}
		if m.rng.IntN(2) == 0 {
			m.next.move(b, m.next.at[a], false)
		} else {
			m.next.move(a, m.next.at[b], true)
		}
		return true
	}
	return false
}

// more adds an iteration, of any job.
func (m *cyclicMover) more() bool {
	if len(m.resting) > 0 && m.rng.IntN(1+len(m.running)) == 0 {
		return m.settleJob()
	}
	r := m.next
	j := m.running[m.rng.IntN(len(m.running))]
	r.add(j, m.rng.IntN(len(r.chain[j])), 0, nil)
	return true
}

// substitute drops an iteration, and perhaps adds others in its place.
func (m *cyclicMover) substitute() bool {
	r := m.next
	j, n := m.iteration()
	at := r.at[r.chain[j][n]]
	r.drop(j, n)
	for range m.rng.IntN(3) {
		m.begin()
		if len(m.running) == 0 {
			break
		}
		o := m.running[m.rng.IntN(len(m.running))]
		// The iteration that ends closest to the start of the one dropped.
		best, least := 0, r.period
		for n, b := range r.chain[o] {
			end := r.last(b)
			gap := residue(r.at[end]+r.ticks[end]-at, r.period)
			if gap = min(gap, r.period-gap); gap < least {
				best, least = n, gap
			}
		}
		if m.rng.IntN(3) == 0 {
			best = m.rng.IntN(len(r.chain[o]))
		}
		r.add(o, best, 0, nil)
	}
	return true
}

// rehouse gives a job that runs other GPUs, by worker.
func (m *cyclicMover) rehouse(j int32, gpus []instance.GPUID) bool {
	residency := m.assignment(j, gpus)
	if residency == nil {
		return false
	}
	m.next.residency[j] = residency
	for _, b := range m.next.chain[j] {
		m.next.measure(b)
	}
	return true
}

// replace takes a job out, and puts that or another back somewhere else.
func (m *cyclicMover) replace() bool {
	r := m.next
	j := m.pick()
	if len(m.resting) == 0 || m.rng.IntN(2) == 0 {
		gpus := m.choose(j)
		return gpus != nil && m.rehouse(j, gpus)
	}
	for len(r.chain[j]) > 0 {
		r.drop(j, len(r.chain[j])-1)
	}
	return m.settleJob()
}

// settleJob gives a job that has none some iterations.
func (m *cyclicMover) settleJob() bool {
	r := m.next
	j := m.resting[m.rng.IntN(len(m.resting))]
	gpus := m.choose(j)
	if gpus == nil {
		return false
	}
	if r.residency[j] = m.assignment(j, gpus); r.residency[j] == nil {
		return false
	}
	room := r.period
	r.add(j, 0, instance.Tick(m.rng.Int64N(int64(r.period))), m.counts[j])
	b := r.chain[j][0]
	k := m.in.Jobs[j].Workers
	m.rng.Shuffle(k, func(x, y int) {
		r.depth[int(b)+x], r.depth[int(b)+y] = r.depth[int(b)+y], r.depth[int(b)+x]
	})
	r.measure(b)
	cycle := r.longest(b)
	if y := r.sync(b); y >= 0 {
		cycle += r.ticks[y]
	}
	for range m.rng.IntN(int(min(16, 1+room/cycle))) {
		r.add(j, len(r.chain[j])-1, 0, nil)
	}
	return true
}

// choose draws GPUs for a job: in one node, one rack, or anywhere.
func (m *cyclicMover) choose(j int32) []instance.GPUID {
	job := &m.in.Jobs[j]
	near := m.in.GPUs[m.rng.IntN(len(m.in.GPUs))].Node
	reach := m.rng.IntN(3)
	var list []instance.GPUID
	for g := range m.in.GPUs {
		node := m.in.GPUs[g].Node
		if job.Runs(m.in.GPUs[g].Type) && (node == near || reach == 1 && m.in.Nodes[node].Rack == m.in.Nodes[near].Rack || reach == 2) {
			list = append(list, instance.GPUID(g))
		}
	}
	if len(list) < job.Workers {
		return nil
	}
	m.rng.Shuffle(len(list), func(a, b int) { list[a], list[b] = list[b], list[a] })
	if m.rng.IntN(2) == 0 {
		slices.SortStableFunc(list, func(a, b instance.GPUID) int { return cmp.Compare(m.busy[a], m.busy[b]) })
	}
	return list[:job.Workers]
}
