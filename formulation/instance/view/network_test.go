package view

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
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

func TestHeat(t *testing.T) {
	assert.Equal(t, "#dfe4ea", heat(0))
	assert.Equal(t, "#dfe4ea", heat(-1))
	assert.Equal(t, "#c0392b", heat(1))
	assert.Equal(t, "#3b0f47", heat(1.01))
	assert.Equal(t, "#f2994a", heat(0.5))
	assert.True(t, strings.HasPrefix(heat(0.2), "#f"))
}
