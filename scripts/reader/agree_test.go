package reader_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw"
	"jigsaw/formulation/bound"
	"jigsaw/formulation/bound/area"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/check"
	"jigsaw/formulation/instance/codec"
)

// encode writes v as JSON.
func encode(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(data)
}

// tally counts what was compared.
type tally struct {
	instances, residencies, plans, mutants, valid int
	broken                                        [11]int // mutants that break a rule
	proven, raised, refused                       int     // certificates; those that claim too much, and were found out
}

func (c *tally) String() string {
	return fmt.Sprintf("%d instances, %d residencies, %d plans, %d damaged ones of which %d stayed valid and so many broke rules 0 to 10: %v; %d bounds proven, %d of %d raised ones refused",
		c.instances, c.residencies, c.plans, c.mutants, c.valid, c.broken, c.proven, c.refused, c.raised)
}

// requestOf makes a request about an instance, with the profiles of the library that it needs.
func requestOf(t *testing.T, spec *instance.Spec, schedules []*codec.ScheduleJSON, residencies []residency) request {
	t.Helper()
	file := &bytes.Buffer{}
	require.NoError(t, codec.EncodeJSON(file, spec))
	req := request{Instance: file.Bytes(), Schedules: schedules, Residencies: residencies}
	if len(spec.Profiles) == 0 {
		models := map[string]bool{}
		for _, j := range spec.Jobs {
			models[j.Model] = true
		}
		req.Profiles = libraryFiles(t, models)
	}
	return req
}

// agree compares the results of both readers for an instance, for plans of it, and for several
// damaged copies of each plan.
func (c *tally) agree(t *testing.T, r *reader, rng *rand.Rand, spec *instance.Spec, in *instance.Instance, damaged int) {
	t.Helper()
	plans := plansOf(t, in)
	names := make([]string, len(plans)) // of what was done to each schedule
	req := requestOf(t, spec, slices.Clone(plans), residencies(rng, in, 4))
	for _, p := range plans {
		list, done := mutants(rng, in, p, damaged)
		req.Schedules, names = append(req.Schedules, list...), append(names, done...)
	}
	for _, b := range []bound.Bound{area.Chain(in), area.Bound(in)} {
		if in.Queues() {
			break // the reader proves only bounds for jobs in memory for the whole plan
		}
		higher := b // than what it proves
		if higher.Value = new(big.Rat).Add(b.Value, big.NewRat(1, 1)); in.Objective.Periodic() {
			higher.Value = new(big.Rat).Mul(b.Value, big.NewRat(99, 100))
		}
		req.Certificates = append(req.Certificates, b.Proof(in), higher.Proof(in))
	}
	a := r.ask(req)
	require.Empty(t, a.Refused, disputed{req.Instance, nil})
	require.Equal(t, figuresOf(in), a.Figures, disputed{req.Instance, nil})
	for i, where := range req.Residencies {
		require.Equal(t, spanOf(in, where), a.Residencies[i], "%+v\n%s", where, disputed{req.Instance, nil})
	}
	for i, got := range a.Schedules {
		want := verdictOf(t, in, req.Schedules[i])
		broken := same(t, want, got, "%q\nplanner: %+v\nreader: %+v\n%s", names[i], want.Violations, got.Violations, disputed{req.Instance, req.Schedules[i]})
		if i < len(plans) {
			require.Empty(t, want.Violations, disputed{req.Instance, req.Schedules[i]})
			continue
		}
		c.mutants++
		if len(want.Violations) == 0 {
			c.valid++
		}
		for rule, where := range broken {
			c.broken[rule] += min(1, len(where))
		}
	}
	c.certificates(t, in, req, a)
	c.instances++
	c.residencies += len(req.Residencies)
	c.plans += len(plans)
}

// certificates checks the bounds of the planner, and those that the reader proves itself, against plans.
func (c *tally) certificates(t *testing.T, in *instance.Instance, req request, a answer) {
	t.Helper()
	for i, p := range a.Certificates {
		kind := req.Certificates[i].Kind
		if p.Skipped != "" {
			continue
		}
		if honest := i%2 == 0; !honest {
			c.raised++
			if p.Wrong != "" {
				c.refused++
			}
			continue
		}
		c.proven++
		require.Empty(t, p.Wrong, "%s\n%s", kind, disputed{req.Instance, nil})
		for _, s := range a.Schedules {
			if s.Value == "" {
				continue
			}
			require.NotEmpty(t, p.Best, "%s: there is a plan\n%s", kind, disputed{req.Instance, nil})
			value, _ := new(big.Rat).SetString(s.Value)
			best, _ := new(big.Rat).SetString(p.Best)
			require.False(t, in.Objective.Better(value, best), "%s: a plan of %s\n%s", kind, s.Value, disputed{req.Instance, nil})
		}
	}
}

// plansOf returns the quick plan and the baselines, without duplicates.
func plansOf(t *testing.T, in *instance.Instance) []*codec.ScheduleJSON {
	t.Helper()
	result, err := jigsaw.Plan(context.Background(), in, jigsaw.Options{Quick: true, NoLP: true})
	require.NoError(t, err)
	var plans []*codec.ScheduleJSON
	seen := map[string]bool{}
	for _, s := range []*instance.Schedule{result.Schedule, result.Greedy.Schedule, result.InterleavedFull.Schedule, result.Exclusive.Schedule} {
		// The baselines at full depth are plans of another instance, with other rules.
		if s == nil || len(check.Schedule(in, s)) > 0 && s != result.Schedule {
			continue
		}
		if p := codec.NewScheduleJSON(in, s); len(p.Tasks) > 0 && !seen[encode(p)] {
			seen[encode(p)] = true
			plans = append(plans, p)
		}
	}
	return plans
}

// verdictOf is the planner's verdict.
func verdictOf(t *testing.T, in *instance.Instance, s *codec.ScheduleJSON) verdict {
	t.Helper()
	data, err := json.Marshal(s)
	require.NoError(t, err)
	schedule, err := codec.DecodeSchedule(in, bytes.NewReader(data))
	if err != nil {
		return verdict{unreadable: true, Violations: []violation{{Text: err.Error()}}}
	}
	var v verdict
	for _, found := range check.Schedule(in, schedule) {
		v.Violations = append(v.Violations, violation{Rule: found.Rule, Job: found.Name, Iteration: found.Iteration, Text: found.Message})
	}
	if len(v.Violations) == 0 {
		v.Value, v.Efficiency = in.Value(schedule).RatString(), schedule.Efficiency(in)
	}
	return v
}

// broken lists the violations by rule: job and iteration. For rules about what several jobs
// share, any of the jobs may be named, so only the rule counts. The same is true if the planner's
// checker has reported as many violations of a rule as it ever does.
func (v *verdict) broken(reported [11]int) (list [11][]string) {
	for _, found := range v.Violations {
		place := "somewhere"
		if found.Rule != 0 && (found.Rule < 6 || found.Rule > 8) && reported[found.Rule] < mostReported {
			place = fmt.Sprintf("job %s iteration %d", found.Job, found.Iteration)
		}
		if !slices.Contains(list[found.Rule], place) {
			list[found.Rule] = append(list[found.Rule], place)
		}
	}
	for rule := range list {
		slices.Sort(list[rule])
	}
	return list
}

// mostReported is how many violations of a rule the planner's checker reports.
const mostReported = 20

// same compares the reader's verdict with the planner's, and returns the violations found by both.
func same(t *testing.T, want, got verdict, message ...any) [11][]string {
	t.Helper()
	if want.unreadable {
		require.NotEmpty(t, got.Violations, message...)
		return [11][]string{0: {want.Violations[0].Text}}
	}
	var reported [11]int
	for _, v := range want.Violations {
		reported[v.Rule]++
	}
	broken := want.broken(reported)
	require.Equal(t, broken, got.broken(reported), message...)
	require.Equal(t, want.Value, got.Value, message...)
	require.InDelta(t, want.Efficiency, got.Efficiency, 1e-9, message...)
	return broken
}

// disputed are the files about which two readers disagree.
type disputed struct {
	instance []byte
	schedule *codec.ScheduleJSON // or nil
}

// String is called if a comparison fails: it writes the files and returns the command that asks
// the second reader.
func (d disputed) String() string {
	folder, err := os.MkdirTemp("", "jigsaw-reader-")
	if err != nil {
		return err.Error()
	}
	command := "python3 scripts/reader compile"
	write := func(name string, data []byte) {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			panic(err)
		}
		command += " " + path
	}
	if d.schedule != nil {
		command = "python3 scripts/reader check"
	}
	write("instance.json", d.instance)
	if d.schedule != nil {
		write("schedule.json", []byte(encode(d.schedule)))
	}
	return command
}

// TestExamples compares the shipped examples.
func TestExamples(t *testing.T) {
	r := newReader(t)
	examples, err := jigsaw.Examples()
	require.NoError(t, err)
	var c tally
	for _, e := range examples {
		document, err := codec.Decode(e.Data)
		require.NoError(t, err)
		if document.Spec.Bursts() {
			continue // the reader refuses them
		}
		in, err := jigsaw.Load(e.Data)
		require.NoError(t, err)
		if in.Long() {
			continue // the reader writes plans out
		}
		damaged := 2
		if len(in.Jobs) > 40 {
			damaged = 0 // tens of thousands of tasks
		}
		c.agree(t, r, rand.New(rand.NewPCG(1, 0)), document.Spec, in, damaged)
	}
	t.Log(&c)
	require.Equal(t, len(examples)-2, c.instances, "all but the night and bursts")
}

// TestRandomInstances compares random instances of all objectives.
func TestRandomInstances(t *testing.T) {
	r := newReader(t)
	per := 50 // of each objective
	if testing.Short() {
		per = 8
	}
	var c tally
	for _, objective := range instance.Objectives() {
		for seed := range uint64(per) {
			rng := rand.New(rand.NewPCG(seed, 17))
			spec, in := randomSpec(rng, objective)
			c.agree(t, r, rng, spec, in, 10)
		}
	}
	t.Log(&c)
	assert.Greater(t, c.plans, c.instances*3/4)
	assert.Greater(t, c.proven, c.instances)
	assert.Greater(t, c.refused, c.raised/2)
	for rule, n := range c.broken {
		if testing.Short() {
			break // too few for each rule
		}
		assert.GreaterOrEqual(t, n, per/4, "rule %d is hardly ever broken", rule)
	}
}
