package whatif_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"jigsaw"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/change"
	"jigsaw/formulation/instance/check"
	"jigsaw/formulation/instance/codec"
	"jigsaw/formulation/instance/instancetest"
	"jigsaw/heuristics/heuristicstest"
	"jigsaw/whatif"
)

// Which instances [TestDrawn] looks at, and for how long: go test ./whatif -run TestDrawn -v -args -first 1000 -many 500.
var (
	drawnFirst = flag.Uint64("first", 0, "seed of the first drawn instance")
	drawnMany  = flag.Uint64("many", 0, "number of drawn instances; 0: as many as the tier has")
	drawnTime  = flag.Duration("each", time.Second, "time limit of a plan of a drawn instance")
	drawnTo    = flag.String("to", "", "only write the drawn instances into this folder, as SEED.yaml")
)

// TestDrawn draws files as people write them, and does what people do: plan, write, read and check the plan, verify the
// certificate, replan after a failure, compare, and ask what failures and fewer nodes would do.
func TestDrawn(t *testing.T) {
	t.Parallel()
	many := *drawnMany
	if many == 0 {
		many = instancetest.Many[uint64](60, 12)
	}
	var planned int
	seeds := make([]uint64, 0, many+2*(many/3))
	for n := range many {
		seeds = append(seeds, *drawnFirst+n)
	}
	if *drawnMany == 0 {
		for n := range many / 3 {
			seeds = append(seeds, variedFrom+n, crowdedFrom+n)
		}
	}
	for _, seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			defer func() { // so that a crash does not end the sweep, unless it is in another goroutine
				if r := recover(); r != nil {
					t.Errorf("%v\n%s", r, debug.Stack())
				}
			}()
			d := newDrawn(t, seed)
			if *drawnTo != "" {
				require.NoError(t, os.WriteFile(filepath.Join(*drawnTo, fmt.Sprintf("%d.yaml", seed)), d.file, 0o644))
			} else if d.run(t) {
				planned++
			}
		})
	}
	if many >= 12 && *drawnTo == "" { // of fewer, all may be infeasible
		require.Greater(t, planned, int(many/3))
	}
}

// drawn is one instance of [TestDrawn].
type drawn struct {
	rng    *rand.Rand
	spec   *instance.Spec
	file   []byte
	models instance.ProfileSource
	in     *instance.Instance
	opt    jigsaw.Options
}

// variedFrom is the first seed whose instance is varied, with [heuristicstest.Vary], crowdedFrom the first whose instance is one of
// [heuristicstest.Crowded].
const variedFrom, crowdedFrom = 10_000, 100_000

// newDrawn draws an instance that compiles. For moldable jobs it plans numbers of workers.
func newDrawn(t *testing.T, seed uint64) *drawn {
	d := &drawn{rng: rand.New(rand.NewPCG(seed, 2026)), opt: jigsaw.Options{Seed: seed, Time: *drawnTime}}
	crowded := seed >= crowdedFrom
	if testing.Short() && !crowded { // crowded ones are about bounds, most of which quick plans do not have
		d.opt = jigsaw.Options{Seed: seed, Quick: true}
	}
	var err error
	d.models, err = jigsaw.Models()
	require.NoError(t, err)
	varied := rand.New(rand.NewPCG(seed, 2027))
	for {
		switch {
		case crowded:
			d.spec = heuristicstest.Crowded(d.rng)
		case seed >= variedFrom:
			d.spec = heuristicstest.Drawn(d.rng)
			heuristicstest.Vary(varied, d.spec)
		default:
			d.spec = heuristicstest.Drawn(d.rng)
		}
		if d.spec.Molds() && d.mold(t) {
			break
		}
		if d.in, err = instance.Compile(d.spec, d.models); err == nil {
			break
		}
		require.True(t, asked(err), "%v", err)
	}
	var text bytes.Buffer
	require.NoError(t, codec.EncodeYAML(&text, d.spec))
	d.file = text.Bytes()
	again, err := codec.Decode(d.file)
	require.NoError(t, err)
	in, err := again.Compile(d.models)
	require.NoError(t, err)
	require.Equal(t, d.in.Digest(), in.Digest(), "what was written is not what is read")
	return d
}

// mold chooses the numbers of workers; false: there are none.
func (d *drawn) mold(t *testing.T) bool {
	r, err := whatif.Mold(t.Context(), d.spec, d.models, d.opt)
	if asked(err) {
		return false
	}
	require.NoError(t, err)
	d.spec = r.Spec
	d.in, err = instance.Compile(d.spec, d.models)
	require.NoError(t, err)
	d.verify(t, "mold", d.in, r.Result)
	require.False(t, r.Result.Primal != nil && r.Bound != nil && r.Result.Primal.Cmp(r.Bound) < 0)
	return true
}

// run says whether there was a plan.
func (d *drawn) run(t *testing.T) bool {
	r, err := jigsaw.Plan(t.Context(), d.in, d.opt)
	require.NoError(t, err)
	d.verify(t, "plan", d.in, r)
	d.costs(t)
	plan := r.Blocks
	if plan == nil && r.Schedule != nil {
		plan = r.Schedule.Block()
	}
	if plan == nil {
		return false
	}
	if !d.in.Objective.Periodic() {
		d.replan(t, plan)
		if r.Schedule == nil || d.in.Tasks() <= 2000 {
			d.resilience(t)
		}
	}
	d.compare(t)
	return true
}

// verify tests what holds of every result.
func (d *drawn) verify(t *testing.T, what string, in *instance.Instance, r *jigsaw.Result) {
	t.Helper()
	t.Logf("%s: %s %s, gap %.3f, %d jobs, %d GPUs", what, in.Objective, r.Status, jigsaw.Gap(r.Primal, r.Dual), len(in.Jobs), len(in.GPUs))
	if r.Primal != nil {
		var p instance.Plan = r.Schedule
		if r.Blocks != nil {
			p = r.Blocks
		}
		text, err := json.Marshal(codec.NewScheduleJSON(in, p))
		require.NoError(t, err)
		again, err := codec.DecodePlan(in, bytes.NewReader(text))
		require.NoError(t, err)
		require.Empty(t, check.Plan(in, again))
		require.Zero(t, r.Primal.Cmp(in.Value(again)))
		for name, b := range map[string]jigsaw.Baseline{"greedy": r.Greedy, "exclusive": r.Exclusive, "interleaved-full": r.InterleavedFull} {
			require.False(t, b.Value != nil && in.Objective.Better(b.Value, r.Primal), "%s has %s, the plan %s", name, b.Value, r.Primal)
		}
	}
	require.False(t, r.Primal != nil && r.Dual != nil && in.Objective.Better(r.Primal, r.Dual), "bound %s, plan %s", r.Dual, r.Primal)
	if r.Certified {
		d.certify(t, in, r)
	}
}

// certify writes and reads the certificate, and verifies it.
func (d *drawn) certify(t *testing.T, in *instance.Instance, r *jigsaw.Result) {
	t.Helper()
	require.NotNil(t, r.Proof)
	var text bytes.Buffer
	require.NoError(t, jigsaw.EncodeCertificate(&text, r.Proof))
	again, err := jigsaw.DecodeCertificate(in, &text)
	require.NoError(t, err)
	proven, err := jigsaw.Certify(t.Context(), in, again)
	require.NoError(t, err)
	if r.Status == jigsaw.Infeasible {
		require.NotEmpty(t, proven.Infeasible)
		return
	}
	require.Zero(t, proven.Value.Cmp(r.Dual), "certificate %s, bound %s", proven.Value, r.Dual)
}

// replan loses a node, or a job, at some time, and plans the rest; then it does so again.
func (d *drawn) replan(t *testing.T, plan *instance.BlockSchedule) {
	spec, in := d.spec, d.in
	for range 2 {
		u := jigsaw.Update{At: instance.Duration(d.rng.Int64N(1+int64(plan.Makespan(in)))) * instance.Duration(1000*in.TickUS)}
		if d.rng.IntN(2) == 0 && len(in.Nodes) > 1 {
			u.Changes = []change.Change{{Kind: change.FailNode, Subject: in.Nodes[d.rng.IntN(len(in.Nodes))].Name}}
		} else if d.rng.IntN(2) == 0 {
			u.Changes = []change.Change{{Kind: change.DropJob, Subject: in.Jobs[d.rng.IntN(len(in.Jobs))].Name}}
		}
		r, err := jigsaw.Replan(t.Context(), spec, d.models, plan, u, d.opt)
		if asked(err) {
			t.Logf("replan: %v", err)
			return
		}
		require.NoError(t, err, "%+v", u)
		d.verify(t, "replan", r.Instance, r.Result)
		if spec, in, plan = r.Spec, r.Instance, r.Blocks; plan == nil {
			return
		}
	}
}

// resilience asks what failures do to the plan.
func (d *drawn) resilience(t *testing.T) {
	if len(d.in.Nodes) > 8 || len(d.in.Jobs) > 40 {
		return
	}
	r, err := whatif.Resilience(t.Context(), d.spec, d.models, whatif.ResilienceOptions{Failures: 1, NoLP: true})
	if asked(err) {
		return
	}
	require.NoError(t, err)
	for _, h := range r.Harm {
		require.False(t, h.Replanned != nil && h.Bound != nil && h.Replanned.Cmp(h.Bound) < 0, "%v", h)
		require.False(t, h.Repaired != nil && h.Replanned != nil && h.Repaired.Cmp(h.Replanned) < 0, "%v", h)
	}
}

// compare asks what a change would do.
func (d *drawn) compare(t *testing.T) {
	gpu := d.in.Types[0].Name
	c := []change.Change{
		{Kind: change.Network, Factor: 2}, {Kind: change.MoreMemory, Subject: gpu, Factor: 1.5}, {Kind: change.GPUSpeed, Subject: gpu, Factor: 1.2},
		{Kind: change.AddGPU, Subject: d.in.Nodes[0].Name}, {Kind: change.DropJob, Subject: d.in.Jobs[0].Name},
	}[d.rng.IntN(5)]
	r, err := whatif.Compare(t.Context(), d.spec, d.models, c, d.opt)
	if asked(err) {
		t.Logf("compare: %v", err)
		return
	}
	require.NoError(t, err, c.String())
	if r.After != nil {
		d.verify(t, c.String(), r.After.Instance, r.After)
	}
}

// costs asks what plans on fewer nodes cost, if nodes have prices.
func (d *drawn) costs(t *testing.T) {
	if d.in.Objective != instance.Makespan || d.spec.Cluster.GPUTypes[0].PricePerHour == 0 {
		return
	}
	opt := whatif.CostOptions{Options: jigsaw.Options{Seed: d.opt.Seed, Quick: true, Time: *drawnTime}}
	r, err := whatif.Costs(t.Context(), d.spec, d.models, opt)
	if asked(err) {
		return
	}
	require.NoError(t, err)
	for _, c := range r.Choices {
		require.False(t, c.Cost != nil && c.Cost.Cmp(r.AtLeast) < 0, "cost %s, at least %s", c.Cost, r.AtLeast)
	}
}

// asked reports whether an error is about what was asked, not about how it was answered.
func asked(err error) bool {
	var problems instance.Problems
	return errors.As(err, &problems)
}
