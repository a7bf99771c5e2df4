package view

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/instancetest"
)

// TestHours: the picture is well-formed, and has a shape for every stay and for every load.
func TestHours(t *testing.T) {
	drawn := 0
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
		plan := s.Block()
		from, _ := plan.Spans(&in)
		want := 1 // the picture's own title
		for j, gpus := range s.Residency {
			want += len(gpus)
			if in.Jobs[j].Load > 0 && from[j] > 0 {
				want += len(gpus)
			}
		}
		var picture bytes.Buffer
		require.NoError(t, Hours(&picture, &in, plan, GanttOptions{}))
		titles := 0
		for d := xml.NewDecoder(&picture); ; {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			require.NoError(t, err)
			if start, ok := token.(xml.StartElement); ok && start.Name.Local == "title" {
				titles++
			}
		}
		require.Equal(t, want, titles)
		drawn++
	}
	require.Greater(t, drawn, 30)
	in := instancetest.Random(rand.New(rand.NewPCG(1, 1)), instancetest.Options{Objective: instance.Makespan})
	require.Error(t, Hours(io.Discard, in, &instance.BlockSchedule{}, GanttOptions{}))
}
