package jigsaw_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw"
)

// classical are instances of other projects with known optima; they are not part of this
// one.
const classical = "../shared/data/classical/instances.jsonl"

// TestRigidTasks plans published instances of rigid parallel tasks, P|size|Cmax, whose
// optimum is known: whole jobs come within 3 % of it, and the plan no worse.
func TestRigidTasks(t *testing.T) {
	if testing.Short() {
		t.Skip("the full tier plans the published instances")
	}
	data, err := os.ReadFile(classical)
	if err != nil {
		t.Skipf("the published instances are not here: %v", err)
	}
	var over []float64
	lines := bufio.NewScanner(strings.NewReader(string(data)))
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var c struct {
			Family, Name      string
			Machines, Optimum int
			Jobs              [][2]int
		}
		require.NoError(t, json.Unmarshal(lines.Bytes(), &c))
		if c.Family != "P|size|Cmax" {
			continue
		}
		in, err := jigsaw.Load([]byte(rigidTasks(c.Machines, c.Jobs)))
		require.NoError(t, err)
		r, err := jigsaw.Plan(t.Context(), in, jigsaw.Options{Effort: 4, NoLP: true})
		require.NoError(t, err)
		ratio := func(b jigsaw.Baseline) float64 {
			require.NotNil(t, b.Value, b.Reason)
			v, _ := b.Value.Float64()
			return 100 * (v/float64(c.Optimum) - 1)
		}
		plan, _ := r.Primal.Float64()
		t.Logf("%-20s %3d jobs: over the optimum: queue %5.1f %%, exclusive %4.1f %%, plan %4.1f %%",
			c.Name, len(c.Jobs), ratio(r.Queue), ratio(r.Exclusive), 100*(plan/float64(c.Optimum)-1))
		assert.LessOrEqual(t, ratio(r.Exclusive), 3.4, c.Name)
		assert.LessOrEqual(t, r.Primal.Cmp(r.Exclusive.Value), 0, c.Name)
		over = append(over, ratio(r.Exclusive))
	}
	slices.Sort(over)
	require.NotEmpty(t, over)
	t.Logf("exclusive over the optimum: median %.1f %%, worst %.1f %%", over[len(over)/2], over[len(over)-1])
	assert.Zero(t, over[len(over)/2])
}

// rigidTasks is an instance file of gangs [width, length] on one node.
func rigidTasks(machines int, jobs [][2]int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "version: 1\nname: rigid\ncluster:\n  gpu_types: [{name: gpu, memory: 1GiB}]\n"+
		"  racks: [{nodes: 1, gpus: %d, gpu: gpu, nic: 100Gbit/s, fabric: 100Gbit/s}]\n  latency: 0s\n", machines)
	lengths := map[int]bool{}
	b.WriteString("profiles:\n")
	for _, j := range jobs {
		if !lengths[j[1]] {
			lengths[j[1]] = true
			fmt.Fprintf(&b, "  - {model: m%d, gpu: gpu, batch: 1, layers: [{name: l, forward: %dms, backward: 0ms, parameters: 0, activations: 0}]}\n", j[1], j[1])
		}
	}
	b.WriteString("jobs:\n")
	for n, j := range jobs {
		fmt.Fprintf(&b, "  - {name: j%d, model: m%d, workers: %d, iterations: 1, gang: true, spb: {rule: full}}\n", n, j[1], j[0])
	}
	return b.String()
}
