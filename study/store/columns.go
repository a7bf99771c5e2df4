package store

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// column is a field of a record type in tables and files.
type column struct {
	name  string
	index []int
	kind  reflect.Kind // of the value, with pointers dereferenced
	null  bool
}

// columnsOf returns the columns of a struct type, embedded ones included.
func columnsOf(t reflect.Type) []column {
	var columns []column
	for _, f := range reflect.VisibleFields(t) {
		name := f.Tag.Get("json")
		if f.Anonymous || name == "" {
			continue
		}
		c := column{name: name, index: f.Index, kind: f.Type.Kind()}
		if c.kind == reflect.Pointer {
			c.kind, c.null = f.Type.Elem().Kind(), true
		}
		columns = append(columns, c)
	}
	return columns
}

// sqlType is the column's type in SQLite.
func (c column) sqlType() string {
	t := map[reflect.Kind]string{reflect.String: "TEXT", reflect.Int64: "INTEGER", reflect.Bool: "INTEGER", reflect.Float64: "REAL"}[c.kind]
	if !c.null {
		t += " NOT NULL"
	}
	return t
}

// text is a value in CSV form: unknown values are empty, and numbers are
// written as in JSON, so that they can be read back exactly.
func (c column) text(record reflect.Value) (string, error) {
	v := record.FieldByIndex(c.index)
	if c.null {
		if v.IsNil() {
			return "", nil
		}
		v = v.Elem()
	}
	if c.kind == reflect.String {
		return v.String(), nil
	}
	b, err := json.Marshal(v.Interface())
	return string(b), err
}

// names joins the names of columns.
func names(columns []column) string {
	var all []string
	for _, c := range columns {
		all = append(all, c.name)
	}
	return strings.Join(all, ", ")
}

// definition is the part of CREATE TABLE between the brackets.
func definition(columns []column) string {
	var lines []string
	for _, c := range columns {
		line := fmt.Sprintf("%s %s", c.name, c.sqlType())
		if c.name == "key" {
			line += " PRIMARY KEY"
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, ", ")
}

// pointers returns pointers to the columns of a record, for scanning.
func pointers(record reflect.Value, columns []column) []any {
	var all []any
	for _, c := range columns {
		all = append(all, record.FieldByIndex(c.index).Addr().Interface())
	}
	return all
}
