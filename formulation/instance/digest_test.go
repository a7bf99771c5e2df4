package instance

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// derived are the fields that follow from the others, and prices; the checker does not read them.
var derived = []string{".switches", ".classes", ".class", ".rateParts", ".Types[0].Price"}

// square is a network of four switches in a ring, with a job on each side.
func square(t *testing.T, links ...LinkSpec) *Instance {
	spec := twoNodes(
		JobSpec{Name: "a", Model: "four", Workers: 4, Release: 1e6, Deadline: 1e12},
		JobSpec{Name: "b", Model: "four", Workers: 2, Gang: true, SPB: SPBSpec{Rule: "free", MinMeanDepth: 600_000}},
	)
	c := &spec.Cluster
	c.Racks, c.Links = nil, links
	for _, s := range []string{"s0", "s1", "s2", "s3"} {
		c.Switches = append(c.Switches, SwitchSpec{Name: s})
		c.Nodes = append(c.Nodes, NodeSpec{Name: "n" + s, Switch: s, GPUs: 1, GPU: "v100", NIC: 8e9, Fabric: 8e9})
	}
	in, err := Compile(spec, nil)
	require.NoError(t, err)
	return in
}

func TestDigestCoversRoutes(t *testing.T) {
	line := square(t, LinkSpec{Name: "x", From: "s0", To: "s1", Rate: 8e9}, LinkSpec{Name: "y", From: "s1", To: "s2", Rate: 8e9}, LinkSpec{Name: "z", From: "s2", To: "s3", Rate: 8e9})
	crossed := square(t, LinkSpec{Name: "x", From: "s0", To: "s2", Rate: 8e9}, LinkSpec{Name: "y", From: "s2", To: "s1", Rate: 8e9}, LinkSpec{Name: "z", From: "s1", To: "s3", Rate: 8e9})
	// Each link is crossed once each way by a ring of all nodes, or the middle one twice.
	a, ok := line.Span([]GPUID{0, 1, 2, 3})
	require.True(t, ok)
	b, ok := crossed.Span([]GPUID{0, 1, 2, 3})
	require.True(t, ok)
	require.NotEqual(t, a.Slowest, b.Slowest)
	assert.NotEqual(t, line.Digest(), crossed.Digest())
}

// TestDigestCoversEverything changes every number, name and list of an instance, one at
// a time, its routes included.
func TestDigestCoversEverything(t *testing.T) {
	in := square(t, LinkSpec{Name: "x", From: "s0", To: "s1", Rate: 8e9}, LinkSpec{Name: "y", From: "s1", To: "s2", Rate: 8e9}, LinkSpec{Name: "z", From: "s2", To: "s3", Rate: 8e9}, LinkSpec{Name: "w", From: "s3", To: "s0", Rate: 8e9})
	digest, changes := in.Digest(), 0
	require.Equal(t, digest, square(t, LinkSpec{Name: "x", From: "s0", To: "s1", Rate: 8e9}, LinkSpec{Name: "y", From: "s1", To: "s2", Rate: 8e9}, LinkSpec{Name: "z", From: "s2", To: "s3", Rate: 8e9}, LinkSpec{Name: "w", From: "s3", To: "s0", Rate: 8e9}).Digest())
	differs := func(path string) {
		changes++
		assert.NotEqual(t, digest, in.Digest(), "%s", path)
	}
	var walk func(path string, v reflect.Value)
	walk = func(path string, v reflect.Value) {
		if slices.Contains(derived, path) {
			return
		}
		if !v.CanSet() { // not exported
			v = reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem()
		}
		was := reflect.New(v.Type()).Elem()
		was.Set(v)
		switch v.Kind() {
		case reflect.Int, reflect.Int64:
			v.SetInt(v.Int() + 1)
		case reflect.Bool:
			v.SetBool(!v.Bool())
		case reflect.String:
			v.SetString(v.String() + "x")
		case reflect.Pointer:
			walk(path, v.Elem())
			v.SetZero()
		case reflect.Slice:
			for i := range v.Len() {
				walk(fmt.Sprintf("%s[%d]", path, i), v.Index(i))
			}
			if v.Len() == 0 {
				return
			}
			v.Set(v.Slice(0, v.Len()-1))
		case reflect.Array:
			for i := range v.Len() {
				walk(fmt.Sprintf("%s[%d]", path, i), v.Index(i))
			}
			return
		case reflect.Struct:
			for i := range v.NumField() {
				walk(path+"."+v.Type().Field(i).Name, v.Field(i))
			}
			return
		default:
			require.Fail(t, "a field of another kind", "%s: %v", path, v.Kind())
		}
		differs(path)
		v.Set(was)
	}
	walk("", reflect.ValueOf(in).Elem())
	require.Equal(t, digest, in.Digest())
	require.Greater(t, changes, 150)
}
