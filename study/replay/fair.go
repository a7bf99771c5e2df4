package replay

// fairClock tells when each job would end if the cluster were shared fairly: if
// all active jobs went at the same part min(1, GPUs / GPUs asked for) of the speed
// they have alone. Who is active is as the policy made it.
type fairClock struct {
	capacity float64
	demand   float64 // GPUs asked for by the active jobs
	now      float64
	served   float64 // seconds alone that a job would have been given until now
	pending  heap[fairJob]
	ends     []fairEnd
}

// fairEnd is when a job would have ended.
type fairEnd struct {
	job  int
	time float64
}

// fairJob ends when the clock has served so much.
type fairJob struct {
	target float64
	job    int
}

func newFairClock(c *Cluster) fairClock {
	earlier := func(a, b fairJob) bool { return a.target < b.target || a.target == b.target && a.job < b.job }
	return fairClock{capacity: float64(c.Total()), pending: heap[fairJob]{before: earlier}}
}

func (f *fairClock) speed() float64 { return min(1, f.capacity/max(f.demand, 1)) }

// pass lets time go by, and notes which jobs would end.
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

// rest ends all jobs that are pending, with nobody else active.
func (f *fairClock) rest() {
	f.demand = 0
	for len(f.pending.items) > 0 {
		f.pass(f.now + max(1, f.pending.items[0].target-f.served))
	}
}
