package replay

// fairClock computes when each job would end if the cluster were shared fairly: if
// all active jobs ran at the same fraction min(1, GPUs / GPUs requested) of their
// speed alone. Which jobs are active is determined by the policy.
type fairClock struct {
	capacity float64
	demand   float64 // GPUs requested by the active jobs
	now      float64
	served   float64 // seconds alone that a job would have received until now
	pending  heap[fairJob]
	ends     []fairEnd
}

// fairEnd is when a job would have ended.
type fairEnd struct {
	job  int
	time float64
}

// fairJob ends when the clock has served this much.
type fairJob struct {
	target float64
	job    int
}

func newFairClock(c *Cluster) fairClock {
	earlier := func(a, b fairJob) bool { return a.target < b.target || a.target == b.target && a.job < b.job }
	return fairClock{capacity: float64(c.Total()), pending: heap[fairJob]{before: earlier}}
}

func (f *fairClock) speed() float64 { return min(1, f.capacity/max(f.demand, 1)) }

// pass advances time, and records which jobs would end.
func (f *fairClock) pass(now float64) {
	for len(f.pending.items) > 0 {
		first := f.pending.items[0]
		end := f.now + max(0, first.target-f.served)/f.speed()
		if end > now {
			break
		}
		f.served, f.now = max(f.served, first.target), end
		f.ends = append(f.ends, fairEnd{first.job, end})
		f.pending.pop()
	}
	f.served += (now - f.now) * f.speed()
	f.now = now
}

func (f *fairClock) arrive(now float64, job int, alone, gpus float64) {
	f.pass(now)
	f.demand += gpus
	f.pending.push(fairJob{f.served + alone, job})
}

func (f *fairClock) leave(now, gpus float64) {
	f.pass(now)
	f.demand -= gpus
}

// rest ends all pending jobs, with no others active.
func (f *fairClock) rest() {
	f.demand = 0
	for len(f.pending.items) > 0 {
		f.pass(f.now + max(1, f.pending.items[0].target-f.served))
	}
}
