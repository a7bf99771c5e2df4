package state

import (
	"jigsaw/formulation/instance"
)

// SyncLevel is a speed that a job's synchronisations may have.
type SyncLevel struct {
	Level  instance.RateLevel
	Rate   instance.Rate
	Length instance.Tick
}

// FullSync is the length of a synchronisation of a job with this multiset and span at the highest
// rate; 0 for a job that has none.
func FullSync(in *instance.Instance, job *instance.Job, counts []int, span *instance.Span) instance.Tick {
	if !job.HasSync() {
		return 0
	}
	return in.SyncTicks(job.Volume(counts, span.Parties), span.Rate(in.RateLevels[0]))
}

// AppendSyncLevels appends the speeds from the given index of in.RateLevels on, fastest
// first, for a job with this multiset and span; a job that has no synchronisations has none.
func AppendSyncLevels(list []SyncLevel, in *instance.Instance, job *instance.Job, counts []int, span *instance.Span, fastest int) []SyncLevel {
	if !job.HasSync() {
		return list
	}
	volume := job.Volume(counts, span.Parties)
	for _, level := range in.RateLevels[fastest:] {
		rate := span.Rate(level)
		list = append(list, SyncLevel{level, rate, in.SyncTicks(volume, rate)})
	}
	return list
}
