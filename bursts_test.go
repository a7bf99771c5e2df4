package jigsaw_test

import (
	"bytes"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw"
	"jigsaw/formulation/burst"
	"jigsaw/formulation/instance"
)

// exampleBursts is the built-in example of burst-parallel jobs, changed.
func exampleBursts(t *testing.T, changes ...func(*instance.Spec)) *instance.Bursts {
	t.Helper()
	document, models := documentAndModels(t, "burst")
	for _, change := range changes {
		change(document.Spec)
	}
	in, err := document.CompileBursts(models)
	require.NoError(t, err)
	return in
}

// TestBurstPictureNames: the picture of one period calls background jobs what the table beside it calls them.
func TestBurstPictureNames(t *testing.T) {
	t.Parallel()
	in := exampleBursts(t)
	plan, err := jigsaw.PlanBursts(in)
	require.NoError(t, err)
	var picture strings.Builder
	require.NoError(t, plan.Draw(&picture, 0))
	there := plan.Document.Jobs[0].Slices
	require.NotEmpty(t, there)
	for _, s := range there {
		assert.Contains(t, picture.String(), ">"+in.Jobs[s.Job].Name+"<")
	}
}

// TestBackgroundCertificates: what background jobs have at most is proven anew from its file, of which no number may be another.
func TestBackgroundCertificates(t *testing.T) {
	t.Parallel()
	in := exampleBursts(t)
	chains, _, err := burst.Chains(in)
	require.NoError(t, err)
	s, bound, _, _, err := burst.Solve(in, chains)
	require.NoError(t, err)
	var file bytes.Buffer
	require.NoError(t, jigsaw.EncodeCertificate(&file, jigsaw.BackgroundProof(in, s.Stages(), bound)))
	check := func(change func(*jigsaw.Certificate)) error {
		c, err := jigsaw.DecodeBackgroundCertificate(in, bytes.NewReader(file.Bytes()))
		require.NoError(t, err)
		change(c)
		_, err = jigsaw.CertifyBackground(in, c)
		return err
	}
	require.NoError(t, check(func(*jigsaw.Certificate) {}))
	for what, change := range map[string]func(*jigsaw.Certificate){
		"bound above":    func(c *jigsaw.Certificate) { c.Bound.Add(&c.Bound.Rat, big.NewRat(1, 1<<40)) },
		"bound below":    func(c *jigsaw.Certificate) { c.Bound.Sub(&c.Bound.Rat, big.NewRat(1, 1<<40)) },
		"a stage":        func(c *jigsaw.Certificate) { c.Stages[0][0] = 1 },
		"none":           func(c *jigsaw.Certificate) { c.Stages[0][0] = 0 },
		"three":          func(c *jigsaw.Certificate) { c.Stages[1][2] = 3 },
		"too wide":       func(c *jigsaw.Certificate) { c.Stages[1][0] = 8 },
		"above a limit":  func(c *jigsaw.Certificate) { c.Stages[0][len(c.Stages[0])-1] = 8 },
		"fewer layers":   func(c *jigsaw.Certificate) { c.Stages[0] = c.Stages[0][1:] },
		"fewer jobs":     func(c *jigsaw.Certificate) { c.Stages = c.Stages[1:] },
		"more jobs":      func(c *jigsaw.Certificate) { c.Stages = append(c.Stages, c.Stages[0]) },
		"no stages":      func(c *jigsaw.Certificate) { c.Stages = nil },
		"infeasible":     func(c *jigsaw.Certificate) { c.Bound, c.Infeasible = nil, true },
		"nothing at all": func(c *jigsaw.Certificate) { c.Bound = nil },
	} {
		assert.Error(t, check(change), what)
	}
	text := file.String()
	for what, changed := range map[string]string{
		"this key is missing":                         strings.Replace(text, `"denominator":1,`, "", 1),
		"stages: this key belongs":                    text[:strings.Index(text, `,"stages"`)] + "}",
		"stages: this must be a list":                 text[:strings.Index(text, `"stages"`)] + `"stages":7}`,
		"stages[0]: this must be a list":              text[:strings.Index(text, `"stages"`)] + `"stages":[7]}`,
		"prices: this key belongs":                    strings.Replace(text, `"prices":[]`, `"prices":[1]`, 1),
		"end: this key belongs":                       strings.Replace(text, `"prices":[]`, `"prices":[],"end":3`, 1),
		"is not a kind of proof for such an instance": strings.Replace(text, `"background"`, `"chain"`, 1),
		"about another instance":                      strings.Replace(text, in.Digest(), in.Instance.Digest(), 1),
	} {
		_, err := jigsaw.DecodeBackgroundCertificate(in, strings.NewReader(changed))
		assert.ErrorContains(t, err, what)
	}
	other := exampleBursts(t, func(s *instance.Spec) { s.Jobs[0].Slowdown = 1_200_000 })
	_, err = jigsaw.DecodeBackgroundCertificate(other, strings.NewReader(text))
	assert.ErrorContains(t, err, "about another instance")
}
