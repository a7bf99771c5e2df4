package bench

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
)

func TestAblation(t *testing.T) {
	made := func(o instance.Objective, seed uint64, without string, value, cpu float64) Record {
		return Record{Row: Row{"tiny", AreaBound, o, seed}, Solver: JigSaw, Work: 1, Without: without, Primal: &value, CPU: cpu}
	}
	records := []Record{
		made(instance.Makespan, 1, "fluid", 100, 2), made(instance.Makespan, 2, "fluid", 100, 2), made(instance.Throughput, 1, "fluid", 2, 2),
		made(instance.Makespan, 1, "fluid,lanes", 110, 1), made(instance.Makespan, 2, "fluid,lanes", 100, 1), made(instance.Throughput, 1, "fluid,lanes", 1, 1),
		made(instance.Makespan, 1, "balance,fluid", 90, 2), made(instance.Makespan, 3, "balance,fluid", 1, 2), // no base for seed 3
		{Row: Row{"tiny", AreaBound, instance.Makespan, 1}, Solver: JigSaw, Limit: 5},
	}
	var out strings.Builder
	require.NoError(t, Ablation(&out, records))
	// Logarithms: (9.53 + 0 + 69.31)/3; half the processor time.
	assert.Equal(t, "| lanes | 3 | +26.28 | 21.69 | 2 / 0 | -50 | +4.77 |  | +69.31 | tiny area throughput +69.31 |", lineWith(t, out.String(), "| lanes"))
	assert.Equal(t, "| balance | 1 | -10.54 | 0.00 | 0 / 1 | +0 | -10.54 |  |  | tiny area makespan -10.54 |", lineWith(t, out.String(), "| balance"))
	assert.Contains(t, out.String(), "Left out of all runs: fluid.")

	assert.ErrorContains(t, Ablation(&out, records[3:]), "measure the rows with everything")
}
