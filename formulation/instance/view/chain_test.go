package view

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
	"jigsaw/heuristics"
)

// gangs is a crowded pair of racks with gangs, releases and thin uplinks.
func gangs(t testing.TB, seed uint64) (*instance.Instance, *instance.Schedule) {
	cluster := racks(2, 2, 2)
	cluster.Racks[0].Oversubscription = 8 * instance.One
	in := compile(t, &instance.Spec{
		Name: "gangs", Cluster: cluster,
		Jobs: []instance.JobSpec{
			{Name: "a", Model: "vgg", Workers: 6, Iterations: 6, Gang: true},
			{Name: "b", Model: "bert", Workers: 4, Iterations: 5, Gang: true, Release: 300e6},
			{Name: "c", Model: "dlrm", Workers: 3, Iterations: 12, Release: 2e9},
			{Name: "d", Model: "gnmt", Workers: 1, Iterations: 9},
			{Name: "f", Model: "inception", Count: 3, Workers: 1, Iterations: 15},
			{Name: "g", Model: "bert", Count: 2, Workers: 1, Iterations: 6},
			{Name: "last", Model: "gnmt", Workers: 1, Iterations: 1, Release: 60e9}, // nothing is in its way
			{Name: "e", Model: "resnet", Workers: 5, Iterations: 7},
		},
	})
	s, err := heuristics.Config{Quick: true}.Greedy(t.Context(), in, rand.New(rand.NewPCG(seed, 1)))
	require.NoError(t, err)
	return in, s
}

// TestChainTellsTheTruth tests every claim of every chain with the checker: what
// had to wait cannot start a tick sooner, and what had not to, can.
func TestChainTellsTheTruth(t *testing.T) {
	t.Parallel()
	seen := map[Cause]int{}
	schedules := map[string]func(testing.TB) (*instance.Instance, *instance.Schedule){"quickstart": quickstart, "rack": rack, "hetero": hetero, "queues": queues}
	for seed := range uint64(5) {
		schedules[fmt.Sprint("gangs ", seed)] = func(t testing.TB) (*instance.Instance, *instance.Schedule) { return gangs(t, seed) }
	}
	for name, make := range schedules {
		in, s := make(t)
		s.Sort()
		// A hole in the middle: everything after it starts later than it must.
		late := *s
		late.Tasks, late.Syncs = slices.Clone(s.Tasks), slices.Clone(s.Syncs)
		middle := s.Makespan(in) / 2
		for i := range late.Tasks {
			if y := &late.Tasks[i]; y.Start >= middle {
				y.Start, y.End = y.Start+7, y.End+7
			}
		}
		for i := range late.Syncs {
			if y := &late.Syncs[i]; y.Start >= middle {
				y.Start, y.End = y.Start+7, y.End+7
			}
		}
		for _, s := range []*instance.Schedule{s, &late} {
			require.Empty(t, check.Schedule(in, s), name)
			for job := instance.NoJob; int(job) < len(in.Jobs); job++ {
				links, err := Chain(in, s, job)
				require.NoError(t, err)
				testChain(t, in, s, job, links)
				for _, l := range links {
					seen[l.Because]++
				}
			}
		}
	}
	for _, c := range []Cause{TaskBefore, SyncBefore, TaskOfIteration, LinkBusy, Gang, Memory, Load, Release, Start, Slack} {
		require.Positive(t, seen[c], "%s", c)
	}
}

func testChain(t *testing.T, in *instance.Instance, s *instance.Schedule, job instance.JobID, links []ChainLink) {
	t.Helper()
	require.NotEmpty(t, links)
	start, end, of := span(s, links[0])
	if job == instance.NoJob {
		require.Equal(t, s.Makespan(in), end)
	} else {
		require.Equal(t, job, of)
		require.Equal(t, s.Completion(in)[job], end)
	}
	for i, l := range links {
		require.NotEmpty(t, l.Text)
		require.Equal(t, l.Because == Slack, sooner(in, s, l), "%+v", l)
		last := i == len(links)-1
		require.Equal(t, last && l.Because != Slack, l.Because == Start || l.Because == Release || l.Because == Load, "%+v", l)
		if last {
			break
		}
		_, _, of := span(s, l)
		nextStart, nextEnd, _ := span(s, links[i+1])
		switch l.Because {
		case Gang:
			require.Equal(t, start, nextStart)
		case Slack:
			require.Less(t, nextEnd, start)
		case Memory:
			require.Equal(t, start-in.Jobs[of].Load, nextEnd)
		default:
			require.Equal(t, start, nextEnd)
		}
		start = nextStart
	}
}

func span(s *instance.Schedule, l ChainLink) (start, end instance.Tick, job instance.JobID) {
	if l.Sync {
		y := s.Syncs[l.Index]
		return y.Start, y.End, y.Job
	}
	task := s.Tasks[l.Index]
	return task.Start, task.End, task.Job
}

// sooner reports whether the schedule stays valid when the element, and with it
// the gang that it belongs to, starts a tick sooner.
func sooner(in *instance.Instance, s *instance.Schedule, l ChainLink) bool {
	moved := *s
	if l.Sync {
		moved.Syncs = slices.Clone(s.Syncs)
		moved.Syncs[l.Index].Start--
		moved.Syncs[l.Index].End--
		return len(check.Schedule(in, &moved)) == 0
	}
	moved.Tasks = slices.Clone(s.Tasks)
	this := s.Tasks[l.Index]
	for i := range moved.Tasks {
		y := &moved.Tasks[i]
		if i == l.Index || in.Jobs[this.Job].Gang && y.Job == this.Job && y.Iteration == this.Iteration {
			y.Start, y.End = y.Start-1, y.End-1
		}
	}
	return len(check.Schedule(in, &moved)) == 0
}

func TestExplain(t *testing.T) {
	t.Parallel()
	for _, make := range []func() (*instance.Instance, *instance.Schedule){
		func() (*instance.Instance, *instance.Schedule) { return gangs(t, 1) },
		func() (*instance.Instance, *instance.Schedule) { return queues(t) },
	} {
		in, s := make()
		for job := instance.NoJob; int(job) < len(in.Jobs); job++ {
			c, err := newChain(in, s, job)
			require.NoError(t, err)
			p, own, end := c.parts()
			others, _, _ := total(p.others)
			first, _, _ := span(s, c.links[len(c.links)-1])
			if because := c.links[len(c.links)-1].Because; because == Slack || because == Load {
				_, _, from := span(s, c.links[len(c.links)-1])
				first = in.Jobs[from].Release
			}
			require.Equal(t, end, first+p.tasks+p.syncs+others+p.loads+p.slack, "the parts are the whole")
			text, err := Explain(in, s, job)
			require.NoError(t, err)
			require.Contains(t, text, c.name(own)+" ends at "+c.at(end)+": ")
		}
	}
	in, s := gangs(t, 1)
	_, err := Explain(in, s, 99)
	require.ErrorContains(t, err, "no job 99")

	in, s = periodic(t)
	text, err := Explain(in, s, 0)
	require.NoError(t, err)
	require.Contains(t, text, "the plan repeats every ")
	links, err := Chain(in, s, 0)
	require.NoError(t, err)
	require.Empty(t, links)
}

// TestExplainRelease: a chain ends with the release of a job that need not be the one
// that is explained.
func TestExplainRelease(t *testing.T) {
	t.Parallel()
	in := compile(t, &instance.Spec{Cluster: racks(1, 1, 1), Jobs: []instance.JobSpec{
		{Name: "late", Model: "gnmt", Workers: 1, Release: 5e9},
		{Name: "patient", Model: "gnmt", Workers: 1},
	}})
	s, err := heuristics.Config{Quick: true}.Greedy(t.Context(), in, rand.New(rand.NewPCG(1, 1)))
	require.NoError(t, err)
	late, patient := &s.Tasks[0], &s.Tasks[1]
	if late.Job != 0 {
		late, patient = patient, late
	}
	for i := range s.Syncs {
		if y := &s.Syncs[i]; y.Job == patient.Job {
			y.Start, y.End = y.Start+late.End-patient.Start, y.End+late.End-patient.Start
		}
	}
	patient.Start, patient.End = late.End, patient.End+late.End-patient.Start
	require.Empty(t, check.Schedule(in, s))
	text, err := Explain(in, s, 0)
	require.NoError(t, err)
	require.Contains(t, text, "; before that the job is released at 5 s")
	text, err = Explain(in, s, 1)
	require.NoError(t, err)
	require.Contains(t, text, `waiting for "late", which had GPUs or links first; before that "late" is released at 5 s`)
}
