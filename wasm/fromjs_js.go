package main

import (
	"fmt"
	"math"
	"reflect"
	"syscall/js"
	"unsafe"

	"jigsaw/wasm/api"
)

// fromJS reads a JavaScript value into what target points to; see [toJS]. Missing
// values and wrong types are errors; values for which the target has no field are
// ignored.
func fromJS(value js.Value, target any) error {
	return read(value, reflect.ValueOf(target).Elem(), "")
}

func read(value js.Value, to reflect.Value, path string) error {
	wrong := func(what string) error {
		if path == "" {
			path = "the message"
		}
		return fmt.Errorf("%s must be %s, it is of type %v", path, what, value.Type())
	}
	switch to.Kind() {
	case reflect.Bool:
		if value.Type() != js.TypeBoolean {
			return wrong("true or false")
		}
		to.SetBool(value.Bool())
	case reflect.String:
		if value.Type() != js.TypeString {
			return wrong("a text")
		}
		to.SetString(value.String())
	case reflect.Int, reflect.Int32, reflect.Int64:
		if value.Type() != js.TypeNumber {
			return wrong("a number")
		}
		f := value.Float()
		if f != math.Trunc(f) || math.Abs(f) > 1<<53 || to.OverflowInt(int64(f)) {
			return fmt.Errorf("%s must be a whole number in range, not %v", path, f)
		}
		to.SetInt(int64(f))
	case reflect.Float64:
		if value.Type() != js.TypeNumber {
			return wrong("a number")
		}
		to.SetFloat(value.Float())
	case reflect.Pointer:
		if value.IsNull() || value.IsUndefined() {
			to.SetZero()
			return nil
		}
		to.Set(reflect.New(to.Type().Elem()))
		return read(value, to.Elem(), path)
	case reflect.Slice:
		return readList(value, to, path, wrong)
	case reflect.Struct:
		if value.Type() != js.TypeObject {
			return wrong("an object")
		}
		return readFields(value, to, path)
	default:
		panic(fmt.Sprintf("wasm: a value of type %v cannot be received", to.Type()))
	}
	return nil
}

func readFields(value js.Value, to reflect.Value, path string) error {
	for i, f := range fieldsOf(to.Type()) {
		at := path + "." + f.name
		if path == "" {
			at = f.name
		}
		if f.embedded {
			if err := readFields(value, to.Field(i), path); err != nil {
				return err
			}
			continue
		}
		v := value.Get(f.name)
		if v.IsUndefined() && f.omitempty {
			continue
		}
		if err := read(v, to.Field(i), at); err != nil {
			return err
		}
	}
	return nil
}

func readList(value js.Value, to reflect.Value, path string, wrong func(string) error) error {
	switch list := to.Addr().Interface().(type) {
	case *api.Int32s:
		bytes, n := typedBytes(value, "Int32Array")
		if n < 0 {
			return wrong("an Int32Array")
		}
		if *list = make(api.Int32s, n); n > 0 {
			js.CopyBytesToGo(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(*list))), 4*n), bytes)
		}
		return nil
	case *api.Float64s:
		bytes, n := typedBytes(value, "Float64Array")
		if n < 0 {
			return wrong("a Float64Array")
		}
		if *list = make(api.Float64s, n); n > 0 {
			js.CopyBytesToGo(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(*list))), 8*n), bytes)
		}
		return nil
	}
	if !js.Global().Get("Array").Call("isArray", value).Bool() {
		return wrong("a list")
	}
	n := value.Length()
	to.Set(reflect.MakeSlice(to.Type(), n, n))
	for i := range n {
		if err := read(value.Index(i), to.Index(i), fmt.Sprintf("%s[%d]", path, i)); err != nil {
			return err
		}
	}
	return nil
}

// typedBytes returns the bytes of a typed array of the given kind, and its
// length; -1 if the value is not one.
func typedBytes(value js.Value, kind string) (bytes js.Value, n int) {
	if value.Type() != js.TypeObject || !value.InstanceOf(js.Global().Get(kind)) {
		return js.Value{}, -1
	}
	n = value.Length()
	return js.Global().Get("Uint8Array").New(value.Get("buffer"), value.Get("byteOffset"), value.Get("byteLength")), n
}
