package main

import (
	"reflect"
	"strings"
	"sync"
)

// field is the name of a struct field in messages. Position i of a list is field i
// of its struct.
type field struct {
	name      string
	omitempty bool // absent if it is zero, and may be absent
	embedded  bool // its fields belong to the object around it
}

// fieldsOf reads the JSON tags of a struct, once per type.
func fieldsOf(t reflect.Type) []field {
	if known, ok := fieldCache.Load(t); ok {
		return known.([]field)
	}
	list := make([]field, t.NumField())
	for i := range list {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		list[i] = field{name, options == "omitempty", f.Anonymous}
	}
	fieldCache.Store(t, list)
	return list
}

var fieldCache sync.Map // reflect.Type -> []field; a function of the type
