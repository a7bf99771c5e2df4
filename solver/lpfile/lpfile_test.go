package lpfile_test

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"jigsaw/solver"
	"jigsaw/solver/lpfile"
)

// small has every kind of row, bound and column once.
func small() *solver.Problem {
	inf := math.Inf(1)
	p := &solver.Problem{Name: "small"}
	p.AddRow("equal", 4, 4)
	p.AddRow("least", -2, inf)
	p.AddRow("most", -inf, 7.5)
	p.AddRow("range", 1, 3)
	p.AddRow("free row", -inf, inf)
	e := func(pairs ...float64) (entries []solver.Entry) {
		for i := 0; i < len(pairs); i += 2 {
			entries = append(entries, solver.Entry{Row: solver.Row(pairs[i]), Value: pairs[i+1]})
		}
		return entries
	}
	p.AddCol("x", 1, 0, inf, e(0, 1, 1, -1, 3, 2)...)
	p.AddCol("y", -2.25, 0, 1, e(0, 3)...)
	p.AddCol("z", 0, 2, inf, e(2, 1e-3, 4, 1)...)
	p.Integer = []bool{false, true, true}
	p.AddCol("up", 3, -inf, -1, e(1, 1)...)
	p.AddCol("free", 0, -inf, inf, e(2, 1)...) // a word that LP files reserve
	p.AddCol("fixed", 1, 2.5, 2.5)
	p.AddCol("below", 1, -3, -1, e(3, 1)...)
	p.AddCol("x", 5, 0, 9, e(3, 1)...) // a name twice
	return p
}

const smallMPS = `NAME small FREE
ROWS
 N cost
 E equal
 G least
 L most
 G range
 N r4
COLUMNS
 x cost 1
 x equal 1
 x least -1
 x range 2
 MARKER0 'MARKER' 'INTORG'
 y cost -2.25
 y equal 3
 z most 0.001
 z r4 1
 MARKER1 'MARKER' 'INTEND'
 up cost 3
 up least 1
 c4 most 1
 fixed cost 1
 below cost 1
 below range 1
 c7 cost 5
 c7 range 1
RHS
 RHS equal 4
 RHS least -2
 RHS most 7.5
 RHS range 1
RANGES
 RANGE range 2
BOUNDS
 UP BOUND y 1
 LO BOUND z 2
 PL BOUND z
 MI BOUND up
 UP BOUND up -1
 FR BOUND c4
 FX BOUND fixed 2.5
 LO BOUND below -3
 UP BOUND below -1
 UP BOUND c7 9
ENDATA
`

const smallLP = `\ small
Minimize
 cost: + x - 2.25 y + 3 up + fixed + below + 5 c7
Subject To
 equal: + x + 3 y = 4
 least: - x + up >= -2
 most: + 0.001 z + c4 <= 7.5
 range: + 2 x + below + c7 >= 1
 range_up: + 2 x + below + c7 <= 3
Bounds
 x >= 0
 0 <= y <= 1
 z >= 2
 -inf <= up <= -1
 c4 free
 fixed = 2.5
 -3 <= below <= -1
 0 <= c7 <= 9
Generals
 y z
End
`

func TestWriters(t *testing.T) {
	var mps, lp bytes.Buffer
	require.NoError(t, lpfile.WriteMPS(&mps, small()))
	assert.Equal(t, smallMPS, mps.String())
	require.NoError(t, lpfile.WriteLP(&lp, small()))
	assert.Equal(t, smallLP, lp.String())

	bad := small()
	bad.RowLower[0] = math.NaN()
	assert.Error(t, lpfile.WriteMPS(&mps, bad))
	assert.Error(t, lpfile.WriteLP(&lp, bad))
	assert.ErrorContains(t, lpfile.WriteLP(&lp, &solver.Problem{}), "without columns")
}

func TestReadSolution(t *testing.T) {
	for _, c := range []struct {
		solver, status, file string
		values               map[string]float64
	}{
		{"CBC", "Optimal", "Optimal - objective value 12.00000000\n      0 x                      3                       1\n**    7 z_t1                   1e-07                   0\n",
			map[string]float64{"x": 3, "z_t1": 1e-7}},
		{"CBC", "Stopped on time", "Stopped on time - objective value 3\n", map[string]float64{}},
		{"CBC", "Infeasible", "Infeasible - objective value 0.00000000\n", map[string]float64{}},
		{"HiGHS", "Optimal", "Model status\nOptimal\n\n# Primal solution values\nFeasible\nObjective 12\n# Columns 2\nx 3\ny -0.5\n# Rows 1\nr 4\n\n# Dual solution values\nFeasible\n# Columns 2\nx 0\ny 0\n# Rows 1\nr 1\n\n# Basis\nHiGHS v1\nValid\n",
			map[string]float64{"x": 3, "y": -0.5}},
		{"HiGHS", "Infeasible", "Model status\nInfeasible\n\n# Primal solution values\nNone\n", map[string]float64{}},
		{"SCIP", "optimal solution found", "solution status: optimal solution found\nobjective value:                                   12\nx                                                   3 \t(obj:4)\n",
			map[string]float64{"x": 3}},
		{"SCIP", "infeasible", "solution status: infeasible\nno solution available\n", map[string]float64{}},
		{"Gurobi", "", "# Solution for model small\n# Objective value = 12\nx 3\ny 0\n", map[string]float64{"x": 3, "y": 0}},
	} {
		s, err := lpfile.ReadSolution(strings.NewReader(c.file))
		require.NoError(t, err, c.file)
		assert.Equal(t, &lpfile.Solution{Solver: c.solver, Status: c.status, Values: c.values}, s)
	}
	for _, c := range []struct{ file, want string }{
		{"", "empty"},
		{"\n\nhello\n", `line 3: "hello" does not begin a solution file`},
		{"Optimal - objective value 1\n x 1 2\n", `line 2: "x" is not the index`},
		{"Optimal - objective value 1\n 1 x\n", "line 2: wrong number of fields"},
		{"Optimal - objective value 1\n 1 x y 0\n", `line 2: "y" is not a number`},
		{"# Gurobi\nx 1\nx 1\n", `line 3: column "x" is there twice`},
		{"# Gurobi\nx\n", "line 2: wrong number of fields"},
		{"Model status\nOptimal\n# Columns 2\nx 1\n", "line 5: the file ends before 1 columns"},
		{"Model status\nOptimal\n# Columns many\n", `line 3: "many" is not a number of columns`},
		{"solution status: optimal\nx\n", "line 2: wrong number of fields"},
	} {
		s, err := lpfile.ReadSolution(strings.NewReader(c.file))
		assert.Nil(t, s)
		assert.ErrorContains(t, err, c.want, c.file)
	}
}

func TestVector(t *testing.T) {
	p := small()
	x, err := (&lpfile.Solution{Values: map[string]float64{"x": 1, "c4": 2, "c7": 3}}).Vector(p)
	require.NoError(t, err)
	assert.Equal(t, []float64{1, 0, 0, 0, 2, 0, 0, 3}, x)
	_, err = (&lpfile.Solution{Values: map[string]float64{"x": 1, "b": 2, "a": 3}}).Vector(p)
	assert.ErrorContains(t, err, `no column "a"`)
}

func TestNamesAreUnique(t *testing.T) {
	p := &solver.Problem{}
	for _, name := range []string{"c1", "", "c1", "cost", "e9", "c3_", strings.Repeat("x", 300)} {
		p.AddCol(name, 0, 0, 1)
	}
	cols, _ := lpfile.Names(p)
	assert.Equal(t, []string{"c1", "c1_", "c2", "c3", "c4", "c3_", "c6"}, cols)
}

func FuzzReadSolution(f *testing.F) {
	f.Add([]byte("Optimal - objective value 12.00000000\n 0 x 3 1\n"))
	f.Add([]byte("Model status\nOptimal\n# Columns 1\nx 3\n"))
	f.Add([]byte("solution status: optimal solution found\nobjective value: 3\nx 3 (obj:1)\n"))
	f.Add([]byte("# Objective value = 3\nx 3\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := lpfile.ReadSolution(bytes.NewReader(data))
		if err != nil {
			require.Nil(t, s)
			return
		}
		for name, v := range s.Values {
			require.NotEmpty(t, name)
			require.False(t, math.IsNaN(v) || math.IsInf(v, 0), fmt.Sprint(name, v))
		}
	})
}
