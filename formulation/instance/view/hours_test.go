package view

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/instancetest"
)

// TestHours: the picture is well-formed, names every job, and no two jobs are in one place at the
// same time.
func TestHours(t *testing.T) {
	drawn, shared := 0, 0
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 1))
		in := *instancetest.Random(rng, instancetest.Options{Objective: instance.Makespan})
		s, ok := instancetest.ValidSchedule(rng, &in)
		if !ok {
			continue
		}
		if seed%2 == 0 { // as if each job had been loaded before
			in.Residence = instance.WhileRunning
			in.Jobs = append([]instance.Job{}, in.Jobs...)
			for j := range in.Jobs {
				in.Jobs[j].Load = 1
			}
		}
		blocks := s.Block()
		for block := -1; block <= 1; block++ {
			var picture bytes.Buffer
			require.NoError(t, Hours(&picture, &in, blocks, GanttOptions{Block: block}))
			pictures, titles := 0, ""
			for d := xml.NewDecoder(&picture); ; {
				token, err := d.Token()
				if errors.Is(err, io.EOF) {
					break
				}
				require.NoError(t, err)
				switch e := token.(type) {
				case xml.StartElement:
					if e.Name.Local == "svg" {
						pictures++
					}
				case xml.CharData:
					titles += string(e)
				}
			}
			require.Equal(t, block >= 0, pictures == 2)
			for j, gpus := range s.Residency {
				require.Equal(t, len(gpus) > 0, strings.Contains(titles, in.Jobs[j].Name+": "), in.Jobs[j].Name)
			}
		}
		h := &hours{chart: chart{plan: &plan{in: &in}, opt: GanttOptions{Block: -1}, lim: defaultLimits, colour: jobColours(&in)}, plan: blocks}
		h.from, h.to = blocks.Spans(&in)
		require.NoError(t, h.layout())
		for i, a := range h.bars {
			for _, b := range h.bars[:i] {
				require.False(t, a.y+1e-6 < b.y+b.h && b.y+1e-6 < a.y+a.h && h.admitted(a.job) < h.to[b.job] && h.admitted(b.job) < h.to[a.job],
					"seed %d: jobs %d and %d", seed, a.job, b.job)
			}
			if a.h < 0.9*h.nodes[0].h/float64(in.Nodes[0].GPUs) {
				shared++
			}
		}
		drawn++
	}
	require.Greater(t, drawn, 30)
	require.Positive(t, shared, "some jobs share GPUs")
	in := instancetest.Random(rand.New(rand.NewPCG(1, 1)), instancetest.Options{Objective: instance.Makespan})
	require.Error(t, Hours(io.Discard, in, &instance.BlockSchedule{}, GanttOptions{}))
	require.ErrorContains(t, Hours(io.Discard, in, &instance.BlockSchedule{Residency: make([][]instance.GPUID, len(in.Jobs))}, GanttOptions{Block: 3}), "no block 3")
}
