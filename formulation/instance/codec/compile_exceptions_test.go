package codec

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
)

// fullForm is a cluster in the full form, of two switches with a node each.
const fullForm = `version: 1
cluster:
  gpu_types:
    - {name: v100, memory: 16GiB}
  switches: [{name: a}, {name: b}]
  nodes:
    - {name: n, switch: a, gpus: 4, gpu: v100, nic: 10Gbit/s, fabric: 100Gbit/s}
    - {name: o, switch: b, gpus: 4, gpu: v100, nic: 10Gbit/s, fabric: 100Gbit/s}
  links:
    - {from: a, to: b, rate: 10Gbit/s}
`

func compileText(text string) (*instance.Instance, error) {
	d, err := Decode([]byte(text))
	if err != nil {
		return nil, err
	}
	return d.Compile(shelf{})
}

func TestExceptions(t *testing.T) {
	t.Parallel()
	const jobs = "jobs:\n  - {name: j, model: many, batch: 8, workers: 2}\n"
	for name, c := range map[string]struct{ text, node, link string }{
		"short form": {clusterLines[:len(clusterLines)-len("jobs:\n")] + "  exceptions: [{node: r0n1, gpus: 9}, {link: r1.up, rate: 3Gbit/s}, {link: r0n1.down, rate: 1Gbit/s}]\n" + jobs, "r0n1", "r1.up"},
		"full form":  {fullForm + "  exceptions: [{node: o, gpus: 9}, {link: a-b.rev, rate: 3Gbit/s}, {link: o.down, rate: 1Gbit/s}]\n" + jobs, "o", "a-b.rev"},
	} {
		in, err := compileText(c.text)
		require.NoError(t, err, name)
		gpus, changed := 0, 0
		for _, n := range in.Nodes {
			gpus += n.GPUs
			if n.Name == c.node {
				changed++
				assert.Equal(t, 9, n.GPUs)
				assert.Equal(t, instance.BitRate(1e9), in.Links[n.Down].Capacity)
				assert.Equal(t, instance.BitRate(10e9), in.Links[n.Up].Capacity)
			} else {
				assert.NotEqual(t, 9, n.GPUs)
			}
		}
		for _, l := range in.Links {
			if l.Name == c.link {
				changed++
				assert.Equal(t, instance.BitRate(3e9), l.Capacity)
			}
		}
		assert.Equal(t, 2, changed, name)
		assert.Len(t, in.GPUs, gpus)
	}
}

func TestExceptionErrors(t *testing.T) {
	t.Parallel()
	for exception, want := range map[string]string{
		"{}":                                     "cluster.exceptions[0]: name either a node, with its gpus, or a link, with its rate",
		"{node: n, link: n.up}":                  "cluster.exceptions[0]: name either a node, with its gpus, or a link, with its rate",
		"{node: n}":                              "cluster.exceptions[0].gpus: 0 GPUs in a node is out of range; choose 1 to 1024",
		"{node: n, gpus: 2000}":                  "cluster.exceptions[0].gpus: 2000 GPUs in a node is out of range; choose 1 to 1024",
		"{link: n.up}":                           `cluster.exceptions[0].rate: give a speed like "100Gbit/s"`,
		"{link: n.up, gpus: 1}":                  "cluster.exceptions[0].gpus: a link has a rate, not GPUs",
		"{node: x, gpus: 1}":                     `cluster.exceptions[0].node: unknown node "x"; nodes are named like "n"`,
		"{link: x, rate: 1B/s}":                  `cluster.exceptions[0].link: unknown link "x"; links are named like "n.up"`,
		"{node: n, rate: 1B/s}":                  "cluster.exceptions[0].rate: a node has gpus; the links of a node are exceptions of their own",
		"{node: n, gpus: 1}, {node: n, gpus: 2}": `cluster.exceptions[1]: there is another exception for node "n"`,
	} {
		_, err := compileText(fullForm + "  exceptions: [" + exception + "]\njobs:\n  - {name: j, model: many, batch: 8, workers: 1}\n")
		require.Error(t, err, exception)
		assert.Contains(t, err.Error(), want, exception)
	}
}

// A disabled job is as if it were not in the file, mistakes and all.
func TestDisabledJobs(t *testing.T) {
	t.Parallel()
	const job = "  - {name: j, model: many, batch: 8, workers: 1, count: 2}\n"
	without, err := compileText(fullForm + "jobs:\n" + job)
	require.NoError(t, err)
	text := fullForm + "jobs:\n  - {name: j, model: none, workers: 99, disabled: true}\n" + job
	with, err := compileText(text)
	require.NoError(t, err)
	assert.Equal(t, without.Digest(), with.Digest())
	d, err := Decode([]byte(text))
	require.NoError(t, err)
	assert.Equal(t, []int{1, 1}, d.Spec.Sources())

	_, err = compileText(fullForm + "jobs:\n  - {name: j, model: many, workers: 1, disabled: true}\n")
	require.ErrorContains(t, err, "every job is disabled; enable at least one")
}
