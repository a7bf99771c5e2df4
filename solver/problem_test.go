package solver_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw/solver"
)

var inf = math.Inf(1)

// wyndor is min -3x - 5y, x <= 4, 2y <= 12, 3x + 2y <= 18, x, y >= 0.
func wyndor() *solver.Problem {
	p := &solver.Problem{Name: "Wyndor"}
	plant1 := p.AddRow("plant 1", -inf, 4)
	plant2 := p.AddRow("plant 2", -inf, 12)
	plant3 := p.AddRow("plant 3", -inf, 18)
	p.AddCol("doors", -3, 0, inf, solver.Entry{Row: plant1, Value: 1}, solver.Entry{Row: plant3, Value: 3})
	p.AddCol("windows", -5, 0, inf, solver.Entry{Row: plant2, Value: 2}, solver.Entry{Row: plant3, Value: 2})
	return p
}

func TestProblemIsColumnMajor(t *testing.T) {
	t.Parallel()
	p := wyndor()
	require.NoError(t, p.Validate())
	require.Equal(t, []int{0, 2, 4}, p.Start)
	require.Equal(t, []solver.Row{0, 2, 1, 2}, p.Index)
	require.Equal(t, []float64{1, 3, 2, 2}, p.Value)
	require.Equal(t, []string{"doors", "windows"}, p.ColNames)
	rows, values := p.Column(1)
	require.Equal(t, []solver.Row{1, 2}, rows)
	require.Equal(t, []float64{2, 2}, values)
}

func TestNamesAndIntegersAreNilUntilGiven(t *testing.T) {
	t.Parallel()
	p := &solver.Problem{}
	p.AddCol("", 1, 0, 1)
	p.AddRow("", 0, 1)
	require.Nil(t, p.ColNames)
	require.Nil(t, p.RowNames)
	require.Nil(t, p.Integer)
	p.AddCol("second", 1, 0, 1)
	p.AddCol("", 1, 0, 1)
	require.Equal(t, []string{"", "second", ""}, p.ColNames)
	p.Integer = []bool{false, true, false}
	p.AddCol("", 1, 0, 1)
	require.Equal(t, []bool{false, true, false, false}, p.Integer)
	require.NoError(t, p.Validate())
}

func TestCloneSharesNothing(t *testing.T) {
	t.Parallel()
	p := wyndor()
	p.Integer = []bool{true, false}
	q := p.Clone()
	require.Equal(t, p, q)
	q.Cost[0], q.ColLower[0], q.ColUpper[0], q.RowLower[0], q.RowUpper[0] = 9, 9, 9, 9, 9
	q.Start[1], q.Index[0], q.Value[0], q.Integer[0] = 9, 9, 9, false
	q.ColNames[0], q.RowNames[0] = "9", "9"
	fresh := wyndor()
	fresh.Integer = []bool{true, false}
	require.Equal(t, fresh, p)
}

func TestValidateNamesEveryFault(t *testing.T) {
	t.Parallel()
	nan := math.NaN()
	for name, c := range map[string]struct {
		spoil func(p *solver.Problem)
		want  []string
	}{
		"sound":               {func(*solver.Problem) {}, nil},
		"cost not a number":   {func(p *solver.Problem) { p.Cost[1] = nan }, []string{`column 1 "windows": cost NaN is not a number`}},
		"infinite cost":       {func(p *solver.Problem) { p.Cost[0] = inf }, []string{`column 0 "doors": cost +Inf is infinite`}},
		"huge cost":           {func(p *solver.Problem) { p.Cost[0] = 1e21 }, []string{"not below 1e+20"}},
		"crossed columns":     {func(p *solver.Problem) { p.ColLower[0], p.ColUpper[0] = 3, 2 }, []string{`column 0 "doors": lower bound 3 is above upper bound 2`}},
		"crossed rows":        {func(p *solver.Problem) { p.RowLower[2] = 19 }, []string{`row 2 "plant 3": lower bound 19 is above upper bound 18`}},
		"bound not a number":  {func(p *solver.Problem) { p.RowLower[2] = nan }, []string{"are not numbers"}},
		"huge bound":          {func(p *solver.Problem) { p.ColUpper[0] = 1e30 }, []string{"write an infinity for a missing bound"}},
		"no value left":       {func(p *solver.Problem) { p.ColLower[0] = inf }, []string{"leave no finite value"}},
		"row out of range":    {func(p *solver.Problem) { p.Index[0] = 3 }, []string{"row 3: out of range, there are 3"}},
		"negative row":        {func(p *solver.Problem) { p.Index[0] = -1 }, []string{"row -1: out of range"}},
		"two in one place":    {func(p *solver.Problem) { p.Index[1] = 0 }, []string{"row 0: two coefficients in one place"}},
		"bad coefficient":     {func(p *solver.Problem) { p.Value[3] = nan }, []string{"row 2: coefficient NaN is not a number"}},
		"short bounds":        {func(p *solver.Problem) { p.ColUpper = p.ColUpper[:1] }, []string{"ColUpper has length 1, want 2"}},
		"short names":         {func(p *solver.Problem) { p.RowNames = p.RowNames[:1] }, []string{"RowNames has length 1, want 3"}},
		"short integers":      {func(p *solver.Problem) { p.Integer = []bool{true} }, []string{"Integer has length 1, want 2"}},
		"short starts":        {func(p *solver.Problem) { p.Start = p.Start[:2] }, []string{"Start has length 2, want 3"}},
		"falling starts":      {func(p *solver.Problem) { p.Start[1] = 5 }, []string{"Start falls from 5 to 4"}},
		"starts from nowhere": {func(p *solver.Problem) { p.Start[0] = 1 }, []string{"Start runs from 1 to 4, want from 0 to 4"}},
		"uneven entries":      {func(p *solver.Problem) { p.Value = p.Value[:3] }, []string{"Index has length 4, Value 3"}},
		"all at once": {func(p *solver.Problem) {
			p.Cost[0], p.RowUpper[0], p.Value[0] = nan, -inf, inf
		}, []string{"cost NaN", "leave no finite value", "coefficient +Inf"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := wyndor()
			c.spoil(p)
			err := p.Validate()
			if c.want == nil {
				require.NoError(t, err)
				return
			}
			for _, want := range c.want {
				require.ErrorContains(t, err, want)
			}
		})
	}
}

func TestEmptyProblemIsValid(t *testing.T) {
	t.Parallel()
	require.NoError(t, (&solver.Problem{}).Validate())
	require.ErrorContains(t, (&solver.Problem{Index: []solver.Row{0}, Value: []float64{1}}).Validate(), "without columns")
}
