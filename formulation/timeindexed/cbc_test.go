package timeindexed_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/instancetest"
	"jigsaw/formulation/timeindexed"
	"jigsaw/solver"
	"jigsaw/solver/lpfile"
)

// cbc returns the path of COIN-OR CBC, a solver that shares only CLP with ours;
// without it, the test is skipped.
func cbc(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("cbc")
	if err != nil {
		t.Skip("NOTICE: cbc is not installed (Debian: coinor-cbc), so the cross-check against it is left out")
	}
	return path
}

// solveByCBC writes the program to a file, lets CBC solve it and reads the
// solution back; ok is false if CBC did not finish in time.
func solveByCBC(t *testing.T, path string, p *solver.Problem, format string, limit time.Duration) (s *lpfile.Solution, ok bool) {
	t.Helper()
	dir := t.TempDir()
	file, solution := filepath.Join(dir, "program."+format), filepath.Join(dir, "program.sol")
	out, err := os.Create(file)
	require.NoError(t, err)
	write := lpfile.WriteMPS
	if format == "lp" {
		write = lpfile.WriteLP
	}
	require.NoError(t, write(out, p))
	require.NoError(t, out.Close())
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	// The programs are small: potential errors are what is worth testing, so
	// presolve and cuts keep their defaults.
	log, err := exec.CommandContext(ctx, path, file, "-randomCbcSeed", "1", "-solve", "-solution", solution).CombinedOutput()
	if ctx.Err() != nil {
		return nil, false
	}
	require.NoError(t, err, string(log))
	data, err := os.ReadFile(solution)
	require.NoError(t, err, string(log))
	s, err = lpfile.ReadSolution(bytes.NewReader(data))
	require.NoError(t, err, string(data))
	require.Equal(t, "CBC", s.Solver)
	return s, true
}

// CBC, through MPS and LP files, finds the optimum that our branch-and-bound
// finds, and its solution becomes a valid schedule.
func TestTimeIndexedByCBC(t *testing.T) {
	path, engine := cbc(t), LiveEngine(t)
	n, limit := 80, 10*time.Second
	if testing.Short() {
		n = 16
	}
	sizes := []instancetest.Options{
		{Jobs: 2, GPUs: 3, Workers: 2, Iterations: 2, MaxPeriod: 6},
		{Jobs: 3, GPUs: 4, Workers: 2, Iterations: 1, MaxPeriod: 5},
	}
	rng := rand.New(rand.NewPCG(41, 42))
	agreed, infeasible, late := 0, 0, 0
	for i := range n {
		o := sizes[i%len(sizes)]
		o.Objective = instance.Objectives()[i/len(sizes)%4]
		in := instancetest.Random(rng, o)
		options := timeindexed.Options{Horizon: 16}
		if o.Objective.Periodic() {
			options = timeindexed.Options{Period: in.MaxPeriod}
		}
		if i%3 == 2 {
			options.Granularity = timeindexed.ByNode
		}
		program, err := timeindexed.New(in, options)
		require.NoError(t, err)
		want, tried := solveProgram(t, engine, in, options)
		if !tried {
			continue
		}
		format := "mps"
		if i/8%2 == 1 && program.Problem.Cols() > 0 {
			format = "lp"
		}
		s, ok := solveByCBC(t, path, program.Problem, format, limit)
		if !ok {
			late++
			continue
		}
		if want == nil {
			require.Contains(t, strings.ToLower(s.Status), "infeasible", "instance %d", i)
			infeasible++
			continue
		}
		require.Equal(t, "Optimal", s.Status, "instance %d", i)
		x, err := s.Vector(program.Problem)
		require.NoError(t, err)
		objective := 0.0
		for j, c := range program.Problem.Cost {
			objective += c * x[j]
		}
		value := program.Bound(objective)
		require.Zero(t, want.Cmp(value), "instance %d (%s): ours %v, CBC %v", i, o.Objective, want, value)
		if agreed++; options.Granularity == timeindexed.ByNode {
			continue
		}
		schedule, err := program.Schedule(x)
		require.NoError(t, err)
		require.Zero(t, want.Cmp(in.Value(schedule)))
	}
	t.Logf("agreed on %d optima and %d infeasible programs; %d took CBC more than %v", agreed, infeasible, late, limit)
	assert.Greater(t, agreed, n/2)
	assert.Less(t, late, n/4)
}
