//go:build !first

package main

import (
	"errors"
	"syscall/js"
	"testing"

	"github.com/stretchr/testify/require"

	"jigsaw/wasm/api"
)

// sample has every kind of value that messages contain.
type sample struct {
	Flag   bool         `json:"flag"`
	Text   string       `json:"text"`
	Count  int64        `json:"count"`
	Real   float64      `json:"real"`
	Absent int          `json:"absent,omitempty"`
	Null   *float64     `json:"null"`
	List   []inner      `json:"list"`
	Nested [][]int      `json:"nested"`
	Ints   api.Int32s   `json:"ints"`
	Reals  api.Float64s `json:"reals"`
	inner2              // embedded fields are not those of an object of its own
}

type inner struct {
	Name string `json:"name"`
}

type inner2 struct {
	Below *inner `json:"below"`
}

func full() sample {
	return sample{
		Flag: true, Text: "日本 \U0001F600 </script>\x00", Count: 1 << 53, Real: -0.125, List: []inner{{"a"}, {"b"}},
		Nested: [][]int{{}, {1, 2}}, Ints: api.Int32s{-1 << 31, 0, 1<<31 - 1}, Reals: api.Float64s{0.5, -1e300}, inner2: inner2{&inner{"c"}},
	}
}

// Values are the same after sending and receiving; bulk data are typed arrays whose
// buffers are transferred.
func TestMessagesKeepWhatTheyHold(t *testing.T) {
	value, buffers := toJS(full())
	require.Equal(t, 2, buffers.Length())
	clone := js.Global().Call("structuredClone", value, map[string]any{"transfer": buffers})
	require.Equal(t, 0, value.Get("ints").Length(), "it was transferred")
	require.True(t, clone.Get("ints").InstanceOf(js.Global().Get("Int32Array")))
	require.True(t, clone.Get("absent").IsUndefined())
	require.True(t, clone.Get("null").IsNull())
	var back sample
	require.NoError(t, fromJS(clone, &back))
	require.Equal(t, full(), back)
}

func TestEncodedJSONIsParsed(t *testing.T) {
	value, _ := toJS(api.Data{ID: 3, Data: api.JSON(`{"a": [1, null]}`)})
	require.Equal(t, 1, value.Get("data").Get("a").Index(0).Int())
	value, _ = toJS(api.Data{ID: 3, Data: (*sample)(nil)})
	require.True(t, value.Get("data").IsNull())
}

// A part of a typed array is read as that part.
func TestViewsAreRead(t *testing.T) {
	array := js.Global().Get("Int32Array").New(5)
	array.SetIndex(2, 7)
	value := js.ValueOf(map[string]any{"ints": array.Call("subarray", 2, 4)})
	var v struct {
		Ints api.Int32s `json:"ints"`
	}
	require.NoError(t, fromJS(value, &v))
	require.Equal(t, api.Int32s{7, 0}, v.Ints)
}

func TestWrongMessagesAreErrors(t *testing.T) {
	good, _ := toJS(full())
	object := js.Global().Get("Object")
	for name, c := range map[string]struct {
		key     string
		value   any
		message string
	}{
		"boolean":   {"flag", 1, "flag must be true or false, it is of type number"},
		"text":      {"text", js.Null(), "text must be a text, it is of type null"},
		"missing":   {"text", js.Undefined(), "text must be a text, it is of type undefined"},
		"fraction":  {"count", 1.5, "count must be a whole number in range, not 1.5"},
		"NaN":       {"count", js.Global().Get("NaN"), "count must be a whole number in range, not NaN"},
		"list":      {"list", "ab", "list must be a list, it is of type string"},
		"entry":     {"list", []any{map[string]any{"name": 1}}, "list[0].name must be a text"},
		"ints":      {"ints", []any{1}, "ints must be an Int32Array"},
		"reals":     {"reals", js.Global().Get("Float32Array").New(1), "reals must be a Float64Array"},
		"below":     {"below", "x", "below must be an object"},
		"otherwise": {"real", "1", "real must be a number"},
	} {
		value := object.Call("assign", object.New(), good)
		value.Set(c.key, c.value)
		var back sample
		require.ErrorContains(t, fromJS(value, &back), c.message, name)
	}
	var back sample
	require.ErrorContains(t, fromJS(js.ValueOf("x"), &back), "the message must be an object")
}

// A message that is not a request is answered, and does not end the worker.
func TestReceive(t *testing.T) {
	replies := make(chan any, 3)
	session := api.NewSession(api.New(nil), func(reply any) { replies <- reply })
	receive(session, js.ValueOf(map[string]any{"id": 1, "method": "version", "params": map[string]any{}}))
	receive(session, js.ValueOf(map[string]any{"id": 2, "method": 5}))
	receive(session, js.ValueOf(map[string]any{"id": 3, "cancel": true})) // nothing to cancel
	receive(session, js.Null())
	require.Equal(t, 2, (<-replies).(api.Failure).ID)
	require.Equal(t, api.Invalid, (<-replies).(api.Failure).Error.Code)
	require.IsType(t, api.Version{}, (<-replies).(api.Data).Data)
}

// Without IndexedDB, as under Node, the reason is reported.
func TestNoDatabase(t *testing.T) {
	if js.Global().Get("indexedDB").Truthy() {
		t.Skip("there is one")
	}
	_, err := openDatabase(t.Context())
	require.ErrorContains(t, err, "no storage (IndexedDB)")
	require.ErrorIs(t, explained(errors.Join(err)), err)
}
