package view

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/instancetest"
)

// TestNetwork holds pictures of random networks to be XML in which every link and node has
// one shape, within the picture.
func TestNetwork(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 5))
		in := instancetest.Random(rng, instancetest.Options{Objective: instance.Makespan})
		if seed%2 == 0 {
			in = instancetest.Policed(rng, instancetest.Options{Objective: instance.Makespan})
		}
		o := NetworkOptions{Title: "a <title> & more", Links: map[string]NetworkMark{}, Nodes: map[string]NetworkMark{}}
		want := map[string]bool{}
		for i, l := range in.Links {
			if _, _, trunk := in.Ends(instance.LinkID(i)); trunk || l.Kind == instance.NICUp || l.Kind == instance.NICDown || l.Kind == instance.Fabric {
				o.Links[l.Name] = NetworkMark{rng.Float64() * 1.2, "m"}
				want[l.Name+": m"] = true
			}
		}
		for _, n := range in.Nodes {
			o.Nodes[n.Name] = NetworkMark{0, "n"}
			want[n.Name+": n"] = true
		}
		var b bytes.Buffer
		require.NoError(t, Network(&b, in, o))
		decoder, got := xml.NewDecoder(bytes.NewReader(b.Bytes())), map[string]bool{}
		inTitle := false
		for {
			token, err := decoder.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			require.NoError(t, err)
			switch token := token.(type) {
			case xml.StartElement:
				inTitle = token.Name.Local == "title"
			case xml.CharData:
				if inTitle {
					require.False(t, got[string(token)], "%s twice", token)
					got[string(token)] = true
				}
			case xml.EndElement:
				inTitle = false
			}
		}
		require.Equal(t, want, got, "seed %d", seed)
		require.NotContains(t, b.String(), "NaN")
		require.Contains(t, b.String(), "a &lt;title&gt; &amp; more")
	}
}

// Levels have colours that stand out from the page the more the higher they are, and text on them is legible.
func TestHeat(t *testing.T) {
	assert.Equal(t, "q0", heat(-1))
	assert.Equal(t, "q0", heat(0))
	assert.Equal(t, "q1", heat(1e-9), "any harm is told from none")
	assert.Equal(t, "q20", heat(1))
	assert.Equal(t, "q21", heat(1.0001))
	for _, of := range []*theme{&light, &dark} {
		before := 1.0
		for i := range heatSteps + 1 {
			colour := of.heat(float64(i) / (heatSteps - 1))
			now := contrast(colour, of.page)
			assert.Greater(t, now, before, "level %d", i)
			assert.Greater(t, contrast(colour, inkOn(colour)), 4.0)
			before = now
		}
	}
}
