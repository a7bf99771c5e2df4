package codec

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"jigsaw/formulation/instance"
)

// TestDecodeJSONJobs: lists in JSON are those in CSV.
func TestDecodeJSONJobs(t *testing.T) {
	want, err := DecodeJobs(strings.NewReader("name,model,workers,iterations,hours,release,checkpointing\na,gnmt,4,100,,1h,true\n12,resnet50,8,,1.5,,\n"), nil)
	require.NoError(t, err)
	const a, b = `{"name": "a", "model": "gnmt", "workers": 4, "iterations": 100, "release": "1h", "checkpointing": true}`,
		`{"name": 12, "workers": "8", "hours": 1.5, "model": "resnet50", "release": null, "within": ""}`
	for text, lines := range map[string][]int{
		"\uFEFF\n" + a + "\n\n" + b + "\n":    {2, 4},
		"[" + a + ",\n" + b + "]":             {1, 2},
		strings.Replace(a, ",", ",\n", 1) + b: {1, 2}, // what is no line by itself can be read all the same
	} {
		got, err := DecodeJobs(strings.NewReader(text), nil)
		require.NoError(t, err, text)
		require.Equal(t, &JobList{want.Jobs, want.Hours, lines}, got, text)
	}
	clock := func(text string) (time.Duration, bool, error) {
		at, err := time.Parse("15:04", text)
		return at.Sub(time.Date(0, 1, 1, 20, 0, 0, 0, time.UTC)), err == nil, nil
	}
	clocked, err := DecodeJobs(strings.NewReader("name,model,workers,hours,release,deadline\na,gnmt,4,1,21:30,22:00\nb,gnmt,4,1,19:00,90m\n"), clock)
	require.NoError(t, err)
	require.Equal(t, []instance.Duration{instance.Duration(90 * time.Minute), 0}, []instance.Duration{clocked.Jobs[0].Release, clocked.Jobs[1].Release})
	require.Equal(t, []instance.Duration{instance.Duration(2 * time.Hour), instance.Duration(90 * time.Minute)}, []instance.Duration{clocked.Jobs[0].Deadline, clocked.Jobs[1].Deadline})
	for cell, want := range map[string]string{
		"20:00": "line 2, column 15: deadline: 20:00 is not after the beginning of the plan",
		"soon":  `deadline: "soon" is not a duration; write it like "12.5ms" or "2h30m", or as a time of the clock, like 22:30`,
	} {
		_, err := DecodeJobs(strings.NewReader("name,model,workers,hours,deadline\na,gnmt,4,1,   "+cell+"\n"), clock)
		require.ErrorContains(t, err, want)
	}
	spaced, err := DecodeJobs(strings.NewReader("Name, Model ,workers, hours \na, gnmt,4, 1.5\n"), nil)
	require.NoError(t, err)
	require.Equal(t, []float64{1.5}, spaced.Hours)
	const job = `{"name": "a", "model": "gnmt", "workers": 4, "hours": 1}`
	for text, want := range map[string]string{
		job + "\n" + strings.Replace(job, "4", `"four"`, 1):        `line 2, column 43: workers: "four" is not a whole number above 0`,
		strings.Replace(job, "4", "4.5", 1):                        `line 1, column 43: workers: "4.5" is not a whole number above 0`,
		strings.Replace(job, "4", "[4]", 1):                        "line 1, column 43: workers: write a text or a number",
		strings.Replace(job, "hours", "hour", 1):                   `line 1, column 46: unknown key "hour"; the keys are name, model`,
		strings.Replace(job, "hours", "name", 1):                   `line 1, column 46: the key "name" is given twice`,
		job + "\n" + strings.Replace(job, `"workers": 4, `, "", 1): `line 2, column 1: the key "workers" is missing`,
		strings.Replace(job, `, "hours": 1`, "", 1):                `line 1, column 1: job "a" needs either iterations or hours`,
		strings.Replace(job, `1}`, `1, "iterations": 5}`, 1):       `line 1, column 1: job "a" has both iterations and hours; give one of them`,
		job + ",\n" + job:       "line 1, column 57: invalid JSON: invalid character ','",
		job + "\n[" + job + "]": "line 2, column 1: a job is an object like",
		"[" + job:               "line 1, column 58: invalid JSON: unexpected end of the file",
		"[" + job + "]\n" + job: "line 2, column 1: invalid JSON: found {",
		"name;model;workers;hours\na;gnmt;4;1,5\nb;gnmt\n": "line 2, column 10: hours: \"1,5\" is not a number of hours, like 1.5\ninstance: line 3, column 1: the line has 2 cells, the first line has 4 columns",
		"[]":                                "the list has no jobs",
		"name,model,workers,hours\n":        "the list has no jobs",
		"[3]":                               "line 1, column 2: a job is an object like",
		`{"name": "a", "workers": 0}` + "{": "line 1, column 26: workers: \"0\" is not a whole number above 0\n",
	} {
		_, err := DecodeJobs(strings.NewReader(text), nil)
		require.ErrorContains(t, err, want, "%q", text)
	}
	_, err = DecodeJobs(strings.NewReader(strings.Repeat(`{"nam": "a"}`, 1000)), nil)
	var problems instance.Problems
	require.ErrorAs(t, err, &problems)
	require.Less(t, len(problems), 2*mostJobProblems, "not a thousand of the same")
}

func FuzzDecodeJobs(f *testing.F) {
	for _, text := range []string{
		"name,model,workers,hours\na,gnmt,4,1.5\n", "name\tmodel\tworkers\titerations\trelease\na\tgnmt\t4\t9\t1h\n",
		`{"name": "a", "model": "gnmt", "workers": 4, "hours": 1.5}`, `[{"name": "a", "workers": [1, {"x": null}]}, 3]`, "[", "{", "\"", "",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		list, err := DecodeJobs(strings.NewReader(text), nil)
		if err != nil {
			require.NotEmpty(t, err.Error())
			return
		}
		require.Len(t, list.Hours, len(list.Jobs))
		require.Len(t, list.Lines, len(list.Jobs))
		for i, hours := range list.Hours {
			require.NotEqual(t, hours > 0, list.Jobs[i].Iterations > 0)
		}
	})
}
