package jigsaw_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw"
	"jigsaw/formulation/bound"
	"jigsaw/formulation/bound/area"
	"jigsaw/formulation/bound/fluid"
	"jigsaw/formulation/bound/intervals"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/codec"
	"jigsaw/formulation/instance/instancetest"
	"jigsaw/formulation/relax"
	"jigsaw/solver/backend"
)

// certified is an instance with a certificate of one of its bounds.
type certified struct {
	in   *instance.Instance
	file []byte
}

// certificates returns a file of every kind that this build can make.
func certificates(t *testing.T) map[relax.Kind]certified {
	t.Helper()
	files := map[relax.Kind]certified{}
	plan := func(in *instance.Instance) *jigsaw.Result {
		r, err := jigsaw.Plan(context.Background(), in, jigsaw.Options{})
		require.NoError(t, err)
		return r
	}
	for _, r := range []*jigsaw.Result{plan(fuzzed(t)), plan(example(t, "infeasible")), proven(t, relax.TreeBound, instance.WeightedCompletion),
		proven(t, relax.PackingBound, instance.Makespan), proven(t, relax.PeriodsBound, instance.Throughput), plan(example(t, "queue"))} {
		in, proofs := r.Instance, []*jigsaw.Certificate{r.Proof}
		if !in.Queues() { // else of their roomy instances, but the one that is the proof
			for i := range r.Bounds {
				proofs = append(proofs, r.Bounds[i].Proof(in))
			}
		}
		for _, proof := range proofs {
			require.NotNil(t, proof)
			var b bytes.Buffer
			require.NoError(t, jigsaw.EncodeCertificate(&b, proof))
			files[proof.Kind] = certified{in, b.Bytes()}
		}
	}
	in := rented(t)
	for _, p := range []*relax.Proven{area.Molds([][]*relax.Model{{relax.New(in)}}), area.CostBy(relax.New(in), 30_000)} {
		var b bytes.Buffer
		require.NoError(t, jigsaw.EncodeCertificate(&b, p.Proof(in)))
		files[p.Kind] = certified{in, b.Bytes()}
	}
	want := relax.Kinds()
	if engine, err := backend.Default(); err != nil {
		want = want[:6]
	} else {
		in := withObjective(t, "quickstart", instance.WeightedCompletion)
		few, err := intervals.Bound(context.Background(), in, engine, intervals.Limits{})
		require.NoError(t, err)
		var b bytes.Buffer
		require.NoError(t, jigsaw.EncodeCertificate(&b, few.Proof(in)))
		files[few.Kind] = certified{in, b.Bytes()}
	}
	require.ElementsMatch(t, want, slices.Collect(maps.Keys(files)))
	return files
}

// proven is the plan of an instance that has a bound of the kind, where there is an engine
// to find one.
func proven(t testing.TB, kind relax.Kind, objective instance.Objective) *jigsaw.Result {
	t.Helper()
	for seed := range uint64(1000) {
		in := instancetest.Random(rand.New(rand.NewPCG(seed, 7)), instancetest.Options{Objective: objective})
		r, err := jigsaw.Plan(context.Background(), in, jigsaw.Options{})
		require.NoError(t, err)
		has := slices.ContainsFunc(r.Bounds, func(b bound.Bound) bool { return b.Kind == kind })
		if _, err := backend.Default(); err != nil || has {
			return r
		}
	}
	t.Fatalf("no instance has a bound of kind %s", kind)
	return nil
}

// rented is an instance of two types of GPUs that have prices, with more work than one of them can do in its time.
func rented(t testing.TB) *instance.Instance {
	t.Helper()
	data, err := os.ReadFile("testdata/rented.yaml")
	require.NoError(t, err)
	document, err := codec.Decode(data)
	require.NoError(t, err)
	document.Spec.Jobs = document.Spec.Jobs[:2]
	document.Spec.Jobs[1].Count = 20
	models, err := jigsaw.Models()
	require.NoError(t, err)
	in, err := document.Compile(models)
	require.NoError(t, err)
	return in
}

func TestCertificates(t *testing.T) {
	files := certificates(t)
	t.Run("read", func(t *testing.T) { certificatesAreRead(t, files) })
	t.Run("end", func(t *testing.T) { checksEnd(t, files) })
	t.Run("tampered", func(t *testing.T) { tamperingIsSeen(t, files) })
	t.Run("misplaced keys", func(t *testing.T) { misplacedKeysAreSeen(t, files) })
}

// certificatesAreRead reads a certificate of every kind and proves it.
func certificatesAreRead(t *testing.T, files map[relax.Kind]certified) {
	for kind, c := range files {
		read, err := jigsaw.DecodeCertificate(c.in, bytes.NewReader(c.file))
		require.NoError(t, err, kind)
		b, err := jigsaw.Certify(context.Background(), c.in, read)
		require.NoError(t, err, kind)
		assert.Equal(t, kind, b.Kind)
		assert.True(t, b.Certified)
		assert.Equal(t, kind == relax.PresolveProof, b.Infeasible != nil)
		var again bytes.Buffer
		require.NoError(t, jigsaw.EncodeCertificate(&again, read))
		assert.Equal(t, string(c.file), again.String())

		// As data: an integer is a number, and prices are a list.
		var plain struct {
			Bound  any
			Prices []json.Number
		}
		require.NoError(t, json.Unmarshal(c.file, &plain))
		assert.NotNil(t, plain.Prices)
		assert.Equal(t, kind == relax.PresolveProof, plain.Bound == nil)
	}
}

// tamperingIsSeen changes each number of each certificate, one at a time: the
// claim falls, or it was true before and after.
func tamperingIsSeen(t *testing.T, files map[relax.Kind]certified) {
	one := big.NewInt(1)
	for kind, c := range files {
		tamper := func(what string, change func(*jigsaw.Certificate), holds bool) {
			read, err := jigsaw.DecodeCertificate(c.in, bytes.NewReader(c.file))
			require.NoError(t, err)
			change(read)
			_, err = jigsaw.Certify(context.Background(), c.in, read)
			if !holds {
				assert.Error(t, err, "%s: %s", kind, what)
			}
		}
		infeasible := kind == relax.PresolveProof
		tamper("version", func(c *jigsaw.Certificate) { c.Version++ }, false)
		tamper("instance", func(c *jigsaw.Certificate) { c.Instance = "x" + c.Instance[1:] }, false)
		tamper("bound above", func(c *jigsaw.Certificate) {
			c.Bound = relax.NewClaim(big.NewRat(1<<40, 1))
			c.Infeasible = false
		}, false)
		tamper("infeasible", func(c *jigsaw.Certificate) { c.Infeasible = !c.Infeasible; c.Bound = nil }, false)
		if infeasible {
			continue
		}
		tamper("bound + 1", func(c *jigsaw.Certificate) { c.Bound.Add(&c.Bound.Rat, big.NewRat(1, 1)) }, false)
		tamper("bound - 1", func(c *jigsaw.Certificate) { c.Bound.Sub(&c.Bound.Rat, big.NewRat(1, 1)) }, false)
		tamper("no bound", func(c *jigsaw.Certificate) { c.Bound = nil }, false)
		tamper("kind", func(c *jigsaw.Certificate) { c.Kind = "guess" }, false)
		read, err := jigsaw.DecodeCertificate(c.in, bytes.NewReader(c.file))
		require.NoError(t, err)
		if kind == relax.WeightsBound || kind == relax.CostBound {
			tamper("fewer prices", func(c *jigsaw.Certificate) { c.Prices = c.Prices[1:] }, false)
			tamper("more prices", func(c *jigsaw.Certificate) { c.Prices = append(c.Prices, one) }, false)
			tamper("a missing price", func(c *jigsaw.Certificate) { c.Prices[0] = nil }, false)
			tamper("a value", func(c *jigsaw.Certificate) { c.Value = big.NewRat(1, 1) }, false)
			tamper("a denominator", func(c *jigsaw.Certificate) { c.Denominator = big.NewInt(2) }, false)
			tamper("no weight", func(c *jigsaw.Certificate) {
				for i := range c.Prices {
					c.Prices[i] = new(big.Int)
				}
			}, false)
			for i := range read.Prices {
				for _, price := range []*big.Int{big.NewInt(-1), new(big.Int).Lsh(one, 61), new(big.Int).Lsh(one, 300), new(big.Int).Mul(read.Prices[i], big.NewInt(3))} {
					tamper("price", func(c *jigsaw.Certificate) { c.Prices[i] = price }, false)
				}
			}
			if kind == relax.CostBound {
				tamper("end", func(c *jigsaw.Certificate) { c.End++ }, false)
				tamper("no end", func(c *jigsaw.Certificate) { c.End = 0 }, false)
				tamper("end before 0", func(c *jigsaw.Certificate) { c.End = -1 }, false)
			}
			continue
		}
		if read.Value == nil {
			continue // no prices to change
		}
		tamper("value", func(c *jigsaw.Certificate) { c.Value.Add(c.Value, big.NewRat(1, 1000)) }, false)
		tamper("no value", func(c *jigsaw.Certificate) { c.Value = nil }, false)
		tamper("denominator", func(c *jigsaw.Certificate) { c.Denominator.Add(c.Denominator, one) }, false)
		tamper("denominator 0", func(c *jigsaw.Certificate) { c.Denominator.SetInt64(0) }, false)
		tamper("no denominator", func(c *jigsaw.Certificate) { c.Denominator = nil }, false)
		if kind == relax.MemoryTimeBound {
			tamper("no share", func(c *jigsaw.Certificate) { c.Share = nil }, false)
			tamper("share of negative parts", func(c *jigsaw.Certificate) { c.Share.Parts = -1 }, false)
			tamper("share of very many parts", func(c *jigsaw.Certificate) { c.Share.Parts = math.MaxInt64 }, false)
			tamper("share of half a GPU and more", func(c *jigsaw.Certificate) { *c.Share = relax.ShareTerms{Cut: math.MaxInt64} }, false)
			tamper("another share", func(c *jigsaw.Certificate) { c.Share.Parts++ }, false)
			continue
		}
		if kind == relax.IntervalsBound {
			for what, change := range map[string]func([]int64) []int64{
				"no ends": func([]int64) []int64 { return nil }, "fewer ends": func(ends []int64) []int64 { return ends[1:] },
				"an end at 0": func(ends []int64) []int64 { ends[0] = 0; return ends }, "equal ends": func(ends []int64) []int64 { ends[1] = ends[0]; return ends },
				"a distant end": func(ends []int64) []int64 { ends[len(ends)-1] = math.MaxInt64; return ends },
				"other ends":    func(ends []int64) []int64 { ends[0]--; return ends },
			} {
				tamper(what, func(c *jigsaw.Certificate) { c.Ends = change(c.Ends) }, false)
			}
		}
		tamper("fewer prices", func(c *jigsaw.Certificate) { c.Prices = c.Prices[1:] }, false)
		tamper("more prices", func(c *jigsaw.Certificate) { c.Prices = append(c.Prices, one) }, false)
		tamper("a missing price", func(c *jigsaw.Certificate) { c.Prices[0] = nil }, false)
		// Any prices prove something, and a row that is just full hardly cares:
		// a change may leave the value as it is, but then the claim stays true.
		refused, tried := 0, 0
		for i := 0; i < len(read.Prices); i += 1 + len(read.Prices)/40 {
			for _, change := range []*big.Int{big.NewInt(-1), big.NewInt(1 << 20), new(big.Int).Lsh(one, 300)} {
				changed := *read
				changed.Prices = slices.Clone(read.Prices)
				changed.Prices[i] = new(big.Int).Add(changed.Prices[i], change)
				tried++
				if b, err := jigsaw.Certify(context.Background(), c.in, &changed); err != nil {
					refused++
				} else {
					assert.Zero(t, b.Value.Cmp(&read.Bound.Rat))
				}
			}
		}
		t.Logf("%s: %d of %d changed prices refused", kind, refused, tried)
		assert.Greater(t, refused, tried*2/3, kind)
	}
}

// ending is a context that ends once it was asked so often.
type ending struct {
	context.Context
	asked, last atomic.Int64
}

func (c *ending) Err() error {
	if c.asked.Add(1) > c.last.Load() {
		return context.Canceled
	}
	return nil
}

// checksEnd: whenever the context ends, so does the check, and proves nothing.
func checksEnd(t *testing.T, files map[relax.Kind]certified) {
	for kind, c := range files {
		read, err := jigsaw.DecodeCertificate(c.in, bytes.NewReader(c.file))
		require.NoError(t, err)
		whole := &ending{Context: context.Background()}
		whole.last.Store(math.MaxInt64)
		_, err = jigsaw.Certify(whole, c.in, read)
		require.NoError(t, err)
		require.Positive(t, whole.asked.Load(), "%s", kind)
		for last := int64(0); last < whole.asked.Load(); last += 1 + last/4 {
			ctx := &ending{Context: context.Background()}
			ctx.last.Store(last)
			_, err := jigsaw.Certify(ctx, c.in, read)
			require.ErrorIs(t, err, context.Canceled, "%s, asked %d times", kind, last)
			require.LessOrEqual(t, ctx.asked.Load(), last+200, "%s", kind)
		}
		t.Logf("%s: asked %d times", kind, whole.asked.Load())
	}
}

// TestHugeCertificates asks for programs that no memory holds; they are refused
// at once.
func TestHugeCertificates(t *testing.T) {
	for _, objective := range []instance.Objective{instance.WeightedCompletion, instance.Makespan} {
		in := withObjective(t, "quickstart", objective)
		for _, terms := range []relax.PlanTerms{
			{Horizon: 1 << 28, Points: 1 << 12, Buckets: 1},
			{Horizon: 1 << 28, Points: 1 << 12, Buckets: 1 << 28},
			{Horizon: 1, Points: 1 << 12, Buckets: 1},
			{Horizon: 1 << 28, Points: 1, Buckets: 1},
			{Horizon: 1 << 60, Points: 1, Buckets: 1},
			{Horizon: 1 << 20, Points: 1 << 60, Buckets: 1},
			{Horizon: 0, Points: 0, Buckets: 0},
			{Horizon: -1, Points: 1, Buckets: 1},
		} {
			if objective == instance.Makespan {
				terms.Due = terms.Horizon
			}
			c := &jigsaw.Certificate{
				Version: 1, Kind: relax.ColumnsBound, Instance: in.Digest(), Bound: relax.NewClaim(big.NewRat(1<<50, 1)),
				Denominator: big.NewInt(1), Plans: &terms,
			}
			for range 2 * terms.Buckets % (1 << 10) {
				c.Prices = append(c.Prices, big.NewInt(1<<40))
			}
			_, err := jigsaw.Certify(context.Background(), in, c)
			assert.Error(t, err, "%+v", terms)
		}
	}
}

// plain is a certificate of the chain bound, as a file.
func plain(t testing.TB, in *instance.Instance) string {
	t.Helper()
	chain := area.Chain(in)
	var b bytes.Buffer
	require.NoError(t, jigsaw.EncodeCertificate(&b, chain.Proof(in)))
	return b.String()
}

// TestDecodeCertificate: what is not a certificate is refused, and the message
// says where and why.
func TestDecodeCertificate(t *testing.T) {
	in := example(t, "quickstart")
	sound := plain(t, in)
	replace := func(pairs ...string) string {
		out := strings.NewReplacer(pairs...).Replace(sound)
		require.NotEqual(t, sound, out, pairs)
		return out
	}
	digits := strings.Repeat("9", 3000)
	for name, c := range map[string]struct{ file, want string }{
		"nothing":            {"", "line 1, column 1: a certificate is a JSON object"},
		"half a file":        {sound[:len(sound)/2], "invalid JSON: what begins here does not end"},
		"no object":          {"[]", "it begins with {"},
		"no JSON":            {"version: 1", "line 1, column 1: a certificate is a JSON object"},
		"more":               {sound + "{}", "found { instead of the end of the file"},
		"an unknown key":     {replace(`"version"`, `"Version"`), `unknown key "Version"; the keys here are version, kind`},
		"a key twice":        {replace(`"version":3`, `"version":3,"bound":7`), "bound: this key is given twice"},
		"no bound":           {replace(`"bound":9022,`, ""), "bound: this key is missing"},
		"no prices":          {replace(`,"prices":[]`, ""), "prices: this key is missing"},
		"no denominator":     {replace(`"denominator":1,`, ""), "denominator: this key is missing"},
		"version 2":          {replace(`"version":3`, `"version":2`), "version: this is version 2; this JigSaw reads version 3"},
		"another kind":       {replace(`"chain"`, `"guess"`), `kind: "guess" is not a kind of proof for such an instance; the kinds are`},
		"kind 7":             {replace(`"chain"`, `7`), "kind: this must be a text"},
		"another instance":   {replace(`"instance":"`, `"instance":"00`), "instance: the certificate is about another instance or objective"},
		"NaN":                {replace(`9022`, `NaN`), "invalid JSON: "},
		"a bound of text":    {replace(`9022`, `"high"`), `bound: this must be an integer, or a fraction such as "7/3"`},
		"a decimal bound":    {replace(`9022`, `9022.5`), "bound: this must be an integer, or a fraction"},
		"a large bound":      {replace(`9022`, `1e1000000000`), "bound: this must be an integer, or a fraction"},
		"a longer bound":     {replace(`9022`, digits), "bound: this must be an integer, or a fraction"},
		"a fraction by 0":    {replace(`9022`, `"1/0"`), "bound: this must be an integer, or a fraction"},
		"hexadecimal":        {replace(`9022`, `"0x10"`), "bound: this must be an integer, or a fraction"},
		"claims nothing":     {replace(`9022`, `null`), "bound: a certificate claims either a bound or infeasible: true"},
		"claims both":        {replace(`"version":3`, `"version":3,"infeasible":true`), "bound: a certificate claims either"},
		"infeasible 1":       {replace(`"version":3`, `"version":3,"infeasible":1`), "infeasible: this must be true or false"},
		"denominator 0":      {replace(`"denominator":1`, `"denominator":0`), "denominator: this must be above 0"},
		"denominator -1":     {replace(`"denominator":1`, `"denominator":-1`), "denominator: this must be above 0"},
		"denominator null":   {replace(`"denominator":1`, `"denominator":null`), "denominator: this must be an integer"},
		"prices of a chain":  {replace(`[]`, `[1]`), "prices: this key belongs to proofs of the kinds [fluid"},
		"prices null":        {replace(`[]`, `null`), "prices: this must be a list"},
		"a price of text":    {replace(`[]`, `[1,2,"3"]`), "prices[2]: this must be an integer of at most 2000 digits"},
		"a decimal price":    {replace(`[]`, `[1,2.0]`), "prices[1]: this must be an integer"},
		"a large price":      {replace(`[]`, `[1e9]`), "prices[0]: this must be an integer"},
		"a longer price":     {replace(`[]`, `[`+digits+`]`), "prices[0]: this must be an integer"},
		"a null price":       {replace(`[]`, `[null]`), "prices[0]: this must be an integer"},
		"deep prices":        {replace(`[]`, strings.Repeat("[", 1<<20)), "prices[0]: this must be an integer"},
		"deep keys":          {strings.Repeat(`{"plans":`, 1<<20), `unknown key "plans"; the keys here are due`},
		"plans of a chain":   {replace(`"version":3`, `"version":3,"plans":{"horizon":1,"points":1,"buckets":1}`), "plans: this key belongs to proofs of the kinds [columns"},
		"plans without":      {replace(`"chain"`, `"columns"`), "plans: this key belongs to proofs of the kinds [columns"},
		"plans without keys": {replace(`"version":3`, `"version":3,"plans":{"horizon":1}`), "plans.points: this key is missing"},
		"a horizon below 0":  {replace(`"version":3`, `"version":3,"plans":{"horizon":-1}`), "plans.horizon: \"-1\" is out of range"},
		"a far horizon":      {replace(`"version":3`, `"version":3,"plans":{"horizon":9223372036854775808}`), "plans.horizon: \"9223372036854775808\" is out of range"},
		"columns of a chain": {replace(`"version":3`, `"version":3,"columns":5`), "columns: this key belongs to proofs of the kinds [fluid"},
		"loads of a chain":   {replace(`"version":3`, `"version":3,"loads":[{"load":1}]`), "loads: this key belongs to proofs of the kinds [area]"},
		"a load without":     {replace(`"version":3`, `"version":3,"loads":[{"head":1}]`), "loads[0].load: this key is missing"},
		"the third line":     {"{\n\n  \"kind\": 5}", "line 3, column 11: kind: this must be a text"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := jigsaw.DecodeCertificate(in, strings.NewReader(c.file))
			require.Nil(t, got)
			require.ErrorAs(t, err, new(instance.Problems))
			assert.ErrorContains(t, err, c.want)
			assert.Less(t, len(err.Error()), 500)
		})
	}

	_, err := jigsaw.DecodeCertificate(in, io.MultiReader(strings.NewReader(`{"kind": "`), &endless{}))
	assert.ErrorContains(t, err, "the certificate is larger than 16 MiB")
	broken := errors.New("the disk is gone")
	_, err = jigsaw.DecodeCertificate(in, iotest.ErrReader(broken))
	assert.ErrorIs(t, err, broken)
}

// endless is a file that never ends.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

// FuzzDecodeCertificate: whatever the file, the reader ends with a certificate
// that it writes and reads again, or with a mistake; and what is proven from a
// hostile certificate of a small cluster no brute force contradicts.
func FuzzDecodeCertificate(f *testing.F) {
	in := fuzzed(f)
	best, _, status := instancetest.Optimum(in)
	require.Equal(f, instancetest.Optimal, status)
	r, err := jigsaw.Bound(context.Background(), in, jigsaw.Options{})
	require.NoError(f, err)
	for i := range r.Bounds {
		var b bytes.Buffer
		require.NoError(f, jigsaw.EncodeCertificate(&b, r.Bounds[i].Proof(in)))
		f.Add(b.Bytes())
	}
	sound := plain(f, in)
	f.Add([]byte(strings.Replace(sound, `"chain"`, `"columns"`, 1)))
	f.Add([]byte(strings.NewReplacer(`"chain"`, `"columns"`, `"version":3`, `"version":3,"plans":{"horizon":9,"points":9,"buckets":3}`, `[]`, `[1,2,3]`).Replace(sound)))
	f.Add([]byte(strings.NewReplacer(`"chain"`, `"fluid"`, `[]`, `[-1,2,3]`, `"denominator":1`, `"denominator":999999999999999999999`).Replace(sound)))
	f.Add([]byte(strings.Replace(sound, `"version":3`, `"version":3,"value":"1/3","infeasible":false,"columns":0`, 1)))
	f.Add([]byte(`{"version": 1e999, "kind": "\ud800", "prices": [[[[`))
	f.Fuzz(func(t *testing.T, file []byte) {
		c, err := jigsaw.DecodeCertificate(in, bytes.NewReader(file))
		if err != nil {
			require.ErrorAs(t, err, new(instance.Problems))
			return
		}
		var b bytes.Buffer
		require.NoError(t, jigsaw.EncodeCertificate(&b, c))
		again, err := jigsaw.DecodeCertificate(in, &b)
		require.NoError(t, err)
		require.Equal(t, c, again)
		if c.Plans != nil && c.Plans.Horizon > 2000 {
			return // it takes long
		}
		if proven, err := jigsaw.Certify(context.Background(), in, c); err == nil {
			require.Nil(t, proven.Infeasible, "it has an optimum")
			require.False(t, in.Objective.Better(best, proven.Value), "proven %s, optimum %s", proven.Value, best)
		}
	})
}

// fuzzed is a tiny instance with an optimum that brute force finds and all
// kinds of bounds.
func fuzzed(t testing.TB) *instance.Instance {
	t.Helper()
	for seed := range uint64(100) {
		in := instancetest.Random(rand.New(rand.NewPCG(seed, 9)), instancetest.Options{Objective: instance.WeightedCompletion})
		if _, _, status := instancetest.Optimum(in); status == instancetest.Optimal && len(in.Jobs) > 1 {
			return in
		}
	}
	require.Fail(t, "no such instance")
	return nil
}

// TestInfeasibleFluid: where only the linear program proves that there is no
// schedule, its ray is the certificate.
func TestInfeasibleFluid(t *testing.T) {
	if _, err := backend.Default(); err != nil {
		t.Skip(err)
	}
	found := 0
	for seed := uint64(0); seed < 20_000 && found < 3; seed++ {
		in := instancetest.Random(rand.New(rand.NewPCG(seed, 11)), instancetest.Options{Objective: instance.Makespan, Jobs: 6, Iterations: 4})
		if relax.Infeasible(in) != nil {
			continue
		}
		engine, err := backend.Default()
		require.NoError(t, err)
		b, err := fluid.Bound(context.Background(), in, engine, fluid.Limits{})
		require.NoError(t, err)
		if b.Infeasible == nil {
			continue
		}
		found++
		r, err := jigsaw.Bound(context.Background(), in, jigsaw.Options{})
		require.NoError(t, err)
		require.Equal(t, jigsaw.Infeasible, r.Status)
		require.True(t, r.Certified)
		require.Equal(t, relax.FluidBound, r.Proof.Kind)
		var file bytes.Buffer
		require.NoError(t, jigsaw.EncodeCertificate(&file, r.Proof))
		read, err := jigsaw.DecodeCertificate(in, &file)
		require.NoError(t, err)
		proven, err := jigsaw.Certify(context.Background(), in, read)
		require.NoError(t, err)
		assert.NotEmpty(t, proven.Infeasible)
		for i := range read.Prices {
			read.Prices[i] = new(big.Int)
		}
		_, err = jigsaw.Certify(context.Background(), in, read)
		assert.Error(t, err, "prices of nothing prove nothing")
	}
	assert.Equal(t, 3, found)
}
