package main

import (
	"fmt"
	"reflect"
	"syscall/js"
	"unsafe"

	"jigsaw/wasm/api"
)

// toJS turns a Go value into the JavaScript value of its JSON, except for bulk data,
// which become typed arrays; buffers is the list of their buffers, to be transferred.
// In a browser, building objects directly takes a fraction of the time of encoding/json.
func toJS(v any) (value, buffers js.Value) {
	c := sender{js.Global().Get("Object"), js.Global().Get("Array"), js.Global().Get("Array").New()}
	return c.value(reflect.ValueOf(v)), c.buffers
}

type sender struct{ object, array, buffers js.Value }

func (c *sender) value(v reflect.Value) js.Value {
	switch v.Kind() {
	case reflect.Invalid:
		return js.Null()
	case reflect.Bool:
		return js.ValueOf(v.Bool())
	case reflect.String:
		return js.ValueOf(v.String())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return js.ValueOf(float64(v.Int()))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return js.ValueOf(float64(v.Uint()))
	case reflect.Float32, reflect.Float64:
		return js.ValueOf(v.Float())
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return js.Null()
		}
		return c.value(v.Elem())
	case reflect.Slice:
		if v.IsNil() {
			return js.Null()
		}
		return c.list(v)
	case reflect.Struct:
		object := c.object.New()
		c.fields(object, v)
		return object
	}
	panic(fmt.Sprintf("wasm: a value of type %v cannot be sent", v.Type()))
}

func (c *sender) fields(object js.Value, v reflect.Value) {
	for i, f := range fieldsOf(v.Type()) {
		switch field := v.Field(i); {
		case f.embedded:
			c.fields(object, field)
		case f.omitempty && field.IsZero():
		default:
			object.Set(f.name, c.value(field))
		}
	}
}

func (c *sender) list(v reflect.Value) js.Value {
	switch list := v.Interface().(type) {
	case api.JSON:
		return js.Global().Get("JSON").Call("parse", string(list))
	case api.Int32s:
		return c.typed("Int32Array", len(list), unsafe.Pointer(unsafe.SliceData(list)), 4)
	case api.Float64s:
		return c.typed("Float64Array", len(list), unsafe.Pointer(unsafe.SliceData(list)), 8)
	}
	array := c.array.New(v.Len())
	for i := range v.Len() {
		array.SetIndex(i, c.value(v.Index(i)))
	}
	return array
}

// typed copies n numbers of the given size into a new typed array.
func (c *sender) typed(kind string, n int, first unsafe.Pointer, size int) js.Value {
	array := js.Global().Get(kind).New(n)
	buffer := array.Get("buffer")
	if n > 0 {
		js.CopyBytesToJS(js.Global().Get("Uint8Array").New(buffer), unsafe.Slice((*byte)(first), n*size))
	}
	c.buffers.Call("push", buffer)
	return array
}
