package instancetest

import (
	"math/rand/v2"
	"slices"

	"jigsaw/formulation/instance"
)

// ValidSchedule returns a valid schedule in which one thing happens after
// another, with random residencies, depths, rates, order of jobs and gaps. ok is
// false if the instance has no residencies that fit, or if the deadlines are
// too early for such a slow plan. In a periodic plan jobs get no iterations
// where their turn does not fit the greatest period.
func ValidSchedule(rng *rand.Rand, in *instance.Instance) (s *instance.Schedule, ok bool) {
	var all [][]home
	if in.Objective.Periodic() {
		all = [][]home{place(rng, in)}
	} else {
		// Enough to choose from, even if the instance is not so tiny.
		residencies(in, func(chosen []home) bool {
			all = append(all, slices.Clone(chosen))
			return len(all) < 200
		})
	}
	if len(all) == 0 {
		return nil, false
	}
	homes := all[rng.IntN(len(all))]
	s = &instance.Schedule{Residency: make([][]instance.GPUID, len(in.Jobs))}
	now := instance.Tick(0)
	for _, j := range rng.Perm(len(in.Jobs)) {
		job, h := &in.Jobs[j], &homes[j]
		iterations := job.Iterations
		if in.Objective.Periodic() {
			iterations = 1 + rng.IntN(2)
		}
		if len(h.modes) == 0 {
			continue
		}
		turn := serial{rng: rng, gang: job.Gang, group: job.Group(), id: instance.JobID(j), h: h, now: max(now, job.Release)}
		for i := range iterations {
			turn.iteration(i + 1)
		}
		if in.Objective.Periodic() && in.MaxPeriod > 0 && turn.now > in.MaxPeriod {
			continue
		}
		if job.Deadline > 0 && turn.now > job.Deadline {
			return nil, false
		}
		now = turn.now
		s.Residency[j] = slices.Clone(h.gpus)
		s.Tasks = append(s.Tasks, turn.tasks...)
		s.Syncs = append(s.Syncs, turn.syncs...)
	}
	if in.Objective.Periodic() {
		s.Period = max(1, now)
	}
	s.Sort()
	return s, true
}

// place gives jobs random homes, one after the other; those that find none
// beside the others get the zero home. Modes are those that fit the memory.
func place(rng *rand.Rand, in *instance.Instance) []home {
	lodged := make([]home, len(in.Jobs))
	persistent := make([]instance.Bytes, len(in.GPUs))
	for _, j := range rng.Perm(len(in.Jobs)) {
		options := homes(in, instance.JobID(j))
		for _, o := range rng.Perm(len(options)) {
			trial := slices.Clone(lodged)
			trial[j] = options[o]
			addPersistent(in, instance.JobID(j), options[o].gpus, persistent, 1)
			fits := true
			for i := range trial {
				if len(trial[i].modes) > 0 {
					id, h := instance.JobID(i), &trial[i]
					addPersistent(in, id, h.gpus, persistent, -1)
					h.modes = h.fit(in, id, persistent)
					addPersistent(in, id, h.gpus, persistent, 1)
					fits = fits && len(h.modes) > 0
				}
			}
			if fits {
				lodged = trial
				break
			}
			addPersistent(in, instance.JobID(j), options[o].gpus, persistent, -1)
		}
	}
	return lodged
}

// serial is one job's turn.
type serial struct {
	rng   *rand.Rand
	gang  bool
	group int
	id    instance.JobID
	h     *home
	now   instance.Tick
	tasks []instance.Task
	syncs []instance.Sync
}

// iteration runs the tasks of an iteration together or worker by worker, then the sync.
func (s *serial) iteration(i int) {
	m := &s.h.modes[s.rng.IntN(len(s.h.modes))]
	together := s.gang || s.rng.IntN(2) == 0
	s.gap()
	start, end := s.now, s.now
	for n, g := range s.h.gpus {
		if !together && n%s.group == 0 {
			start = end
		}
		s.tasks = append(s.tasks, instance.Task{Job: s.id, Iteration: i, GPU: g, Depth: m.depths[n], Start: start, End: start + m.times[n]})
		end = max(end, start+m.times[n])
	}
	s.now = end
	if len(m.syncs) > 0 {
		s.gap()
		y := m.syncs[s.rng.IntN(len(m.syncs))]
		s.syncs = append(s.syncs, instance.Sync{Job: s.id, Iteration: i, Start: s.now, End: s.now + y.length, Rate: y.level})
		s.now += y.length
	}
}

// gap sometimes lets a tick pass.
func (s *serial) gap() {
	if s.rng.IntN(4) == 0 {
		s.now++
	}
}
