package instance

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
)

// Whatever of a job differs, but its name, puts it into a class of its own.
func TestClassesTellEveryFieldApart(t *testing.T) {
	t.Parallel()
	job := func() Job {
		return Job{
			Name: "a", Model: "m", Batch: 1, Workers: 2, Iterations: 3, Weight: 4, Release: 5, Deadline: 6, Gang: true, Within: WithinRack,
			Depths: []Depth{{1, 2}, {3, 5}}, SegmentBytes: []Bytes{7, 8}, MoreReductions: 1, MoreGathers: 2, Rule: Rule{Fixed: []int{1, 1}, MinFull: 1, MinShare: 9},
			On: []*Costs{{Time: []Tick{1, 2}, Persistent: 3, Ephemeral: []Bytes{4, 5}}, nil},
		}
	}
	classes := func(jobs ...Job) [][]JobID {
		in := Instance{Jobs: jobs}
		in.classify()
		return in.Classes()
	}
	require.Len(t, classes(job(), job()), 1)
	named := job()
	named.Name = "b"
	require.Len(t, classes(job(), named), 1)

	changes := 0
	// change changes one number, text or length after the other.
	var change func(path string, v reflect.Value, other *Job)
	change = func(path string, v reflect.Value, other *Job) {
		old := reflect.New(v.Type()).Elem()
		old.Set(v)
		differs := func() {
			t.Helper()
			changes++
			require.Len(t, classes(job(), *other), 2, path)
			v.Set(old)
		}
		switch v.Kind() {
		case reflect.String:
			v.SetString(v.String() + "x")
			differs()
		case reflect.Bool:
			v.SetBool(!v.Bool())
			differs()
		case reflect.Int, reflect.Int64:
			v.SetInt(v.Int() + 1)
			differs()
		case reflect.Slice:
			v.Set(reflect.Append(reflect.ValueOf(old.Interface()), reflect.Zero(v.Type().Elem())))
			differs()
			for i := range v.Len() {
				change(path, v.Index(i), other)
			}
		case reflect.Struct:
			for i := range v.NumField() {
				change(path+"."+v.Type().Field(i).Name, v.Field(i), other)
			}
		case reflect.Pointer:
			if v.IsNil() {
				v.Set(reflect.ValueOf(&Costs{Time: []Tick{1, 1}}))
				differs()
			} else {
				change(path, v.Elem(), other)
				v.SetZero()
				differs()
			}
		default:
			t.Fatalf("%s is a %v", path, v.Kind())
		}
	}
	other := job()
	for i, v := 0, reflect.ValueOf(&other).Elem(); i < v.NumField(); i++ {
		if name := v.Type().Field(i).Name; name != "Name" {
			change(name, v.Field(i), &other)
		}
	}
	require.Equal(t, 40, changes)
}
