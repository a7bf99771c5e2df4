package timeindexed

import (
	"math/big"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax"
	"jigsaw/formulation/relax/exact"
)

// latest returns for each job a tick by which it ends in every schedule whose
// value is at least as good as the one given. For the makespan that is the
// value itself; for the weighted completion it is what the chains of the others
// leave:
//
//	C_j <= chain_j + (value - sum w chain) / w_j
func latest(in *instance.Instance, value *big.Rat) []*big.Int {
	ends := make([]*big.Int, len(in.Jobs))
	if in.Objective == instance.Makespan {
		for j := range ends {
			ends[j] = exact.Floor(value)
		}
		return ends
	}
	m := relax.New(in)
	slack := exact.Floor(value)
	for c := range m.Classes {
		d := &m.Classes[c]
		slack.Sub(slack, new(big.Int).Mul(exact.Mul(d.Count(), d.Job.Weight), d.Chain(d.Iteration)))
	}
	for c := range m.Classes {
		d := &m.Classes[c]
		end := exact.Floor(new(big.Rat).SetFrac(slack, big.NewInt(d.Job.Weight)))
		end.Add(end, d.Chain(d.Iteration))
		for _, j := range d.Jobs {
			ends[j] = end
		}
	}
	return ends
}

// farHorizon is a horizon that some optimal schedule meets. Nothing in an
// optimal schedule can be moved earlier, so after the last release something
// runs at every tick, and everything together takes at most the sum of all
// tasks and synchronisations at their longest.
func (b *tiBuilder) farHorizon() instance.Tick {
	release, work := instance.Tick(0), new(big.Int)
	for i := range b.jobs {
		j := &b.jobs[i]
		release = max(release, j.Release)
		task, sync := instance.Tick(0), instance.Tick(0)
		for _, s := range j.sites {
			task = max(task, j.On[b.sites[s].kind].Time[j.Full()])
		}
		for h := range j.homes {
			for _, rates := range j.homes[h].rates {
				sync = max(sync, rates[len(rates)-1].length)
			}
		}
		all := exact.Mul(int64(task), int64(j.Workers))
		all.Mul(all.Add(all, big.NewInt(int64(sync))), big.NewInt(int64(j.Iterations)))
		work.Add(work, all)
	}
	return release + instance.Tick(exact.Saturate(work)) // longer ones have too many ticks anyway
}

// windows sets when each job may run, and how many iterations fit.
func (b *tiBuilder) windows() {
	if b.in.Objective.Periodic() {
		for i := range b.jobs {
			j := &b.jobs[i]
			// A job begins before P and ends within P of that.
			j.end = 2*b.options.Period - 1
			if i == 0 {
				j.end = b.options.Period
			}
			if j.length > 0 {
				j.iterations = int(b.options.Period / j.length)
			}
		}
		return
	}
	horizon := b.options.Horizon
	if horizon == 0 {
		horizon = b.farHorizon()
	}
	var ends []*big.Int
	if b.options.Value != nil {
		ends = latest(b.in, b.options.Value)
	}
	b.options.Horizon = 0 // from here on the end of the last job
	for i := range b.jobs {
		j := &b.jobs[i]
		j.first, j.end, j.iterations = j.Release, horizon, j.Iterations
		if j.Deadline > 0 {
			j.end = min(j.end, j.Deadline)
		}
		if ends != nil && ends[i].Cmp(big.NewInt(int64(j.end))) < 0 {
			j.end = instance.Tick(max(0, ends[i].Int64()))
		}
		b.options.Horizon = max(b.options.Horizon, j.end)
	}
}

// Limits of the tasks and the synchronisation of iteration i, from 1. In a
// periodic plan the number of later iterations is unknown.
func (b *tiBuilder) tasksFrom(j *tiJob, i int) instance.Tick {
	return j.first + instance.Tick(i-1)*j.length
}

func (b *tiBuilder) tasksUntil(j *tiJob, i int) instance.Tick { return b.syncUntil(j, i) - j.sync }

func (b *tiBuilder) syncFrom(j *tiJob, i int) instance.Tick { return b.tasksFrom(j, i) + j.full }

func (b *tiBuilder) syncUntil(j *tiJob, i int) instance.Tick {
	if b.in.Objective.Periodic() {
		return j.end
	}
	return j.end - instance.Tick(j.iterations-i)*j.length
}
