package jigsaw_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw"
	"jigsaw/formulation/relax"
)

// misplacedKeysAreSeen adds to the nodes of genuine trees every key that docs/certificate.md
// gives to other nodes, and changes denominators that have to be 1.
func misplacedKeysAreSeen(t *testing.T, files map[relax.Kind]certified) {
	refused := func(c certified, file []byte, want string) {
		_, err := jigsaw.DecodeCertificate(c.in, bytes.NewReader(file))
		require.ErrorContains(t, err, want)
		var made jigsaw.Certificate
		text := regexp.MustCompile(`"bound":(\d+)`).ReplaceAll(file, []byte(`"bound":"$1"`)) // package json reads a big.Rat from text
		require.NoError(t, json.Unmarshal(text, &made))
		_, err = jigsaw.Certify(context.Background(), c.in, &made)
		require.ErrorContains(t, err, want)
	}
	for _, kind := range []relax.Kind{relax.PresolveProof, relax.ChainBound, relax.AreaBound, relax.TreeBound, relax.PeriodsBound} {
		c, ok := files[kind]
		if !ok {
			continue // this build has no engine
		}
		refused(c, bytes.Replace(c.file, []byte(`"denominator":1,`), []byte(`"denominator":2,`), 1), "this must be 1")
	}

	const leaf = " prices denominator value "
	own := map[relax.Kind]map[string]string{
		relax.TreeBound: {
			"home": " job ", "end": " job iteration at ", "sync": " job iteration at ", "level": " job iteration at ",
			"start": " job iteration worker at ", "depth": " job iteration worker at ", "single": " ",
			"leaf": leaf + "target buckets ", "packed": leaf + "target ", "orders": " target sets ",
		},
		relax.PeriodsBound: {"column": " column at ", "cut": " column prices ", "leaf": leaf, "empty": leaf, "gpus": leaf},
	}
	for kind, keys := range own {
		c, ok := files[kind]
		if !ok {
			continue
		}
		var whole map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(c.file, &whole))
		var nodes []map[string]any
		decoder := json.NewDecoder(bytes.NewReader(whole["tree"]))
		decoder.UseNumber()
		require.NoError(t, decoder.Decode(&nodes))
		kinds := map[string]bool{}
		for i, node := range nodes {
			what := node["kind"].(string)
			if _, ok := node["sets"]; ok {
				what = "orders"
			}
			if kinds[what] {
				continue // of each kind the first
			}
			kinds[what] = true
			for _, key := range []string{"job", "iteration", "worker", "at", "column", "target", "buckets", "prices", "denominator", "value", "sets"} {
				if strings.Contains(keys[what], " "+key+" ") {
					continue
				}
				require.NotContains(t, node, key, "%s, node %d of kind %s", kind, i, what)
				if node[key] = any(1); key == "sets" {
					node[key] = []int{0} // which makes the rest of a leaf misplaced
				}
				var err error
				whole["tree"], err = json.Marshal(nodes)
				require.NoError(t, err)
				file, err := json.Marshal(whole)
				require.NoError(t, err)
				refused(c, file, fmt.Sprintf("tree[%d].", i))
				delete(node, key)
			}
		}
		t.Logf("%s: nodes of kinds %v", kind, kinds)
		assert.NotEmpty(t, kinds)
	}
}

// TestMisplacedByHand has a node of every kind, with each key in turn.
func TestMisplacedByHand(t *testing.T) {
	nodes := func(kind string) []relax.ProofNode {
		return []relax.ProofNode{
			{Kind: kind, Job: 1}, {Kind: kind, Iteration: 1}, {Kind: kind, Worker: 1}, {Kind: kind, At: 1}, {Kind: kind, Column: 1}, {Kind: kind, Target: 1},
			{Kind: kind, Buckets: 1}, {Kind: kind, Prices: 1}, {Kind: kind, Denominator: 1}, {Kind: kind, Value: new(big.Int)}, {Kind: kind, Sets: []int{0}},
		}
	}
	for kind, want := range map[relax.Kind]map[string]int{ // how many keys belong
		relax.TreeBound:    {"home": 1, "end": 3, "sync": 3, "level": 3, "start": 4, "depth": 4, "single": 0, "leaf": 6, "packed": 4, "column": 0},
		relax.PeriodsBound: {"column": 2, "cut": 2, "leaf": 3, "empty": 3, "gpus": 3},
	} {
		for name, count := range want {
			belong := 0
			for _, n := range nodes(name) {
				c := jigsaw.Certificate{Kind: kind, Denominator: big.NewInt(1), Tree: []relax.ProofNode{n}}
				if path, _ := c.Misplaced(); path == "" {
					belong++
				} else {
					assert.Contains(t, path, "tree[0].")
				}
			}
			assert.Equal(t, count, belong, "%s, %s", kind, name)
		}
	}
}
