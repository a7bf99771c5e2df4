// Package certificate reads the files of certificates (docs/certificate.md).
package certificate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/strictjson"
	"jigsaw/formulation/relax"
)

// Limits of a certificate file. Certificates of clusters with thousands of GPUs
// are below a megabyte, and their numbers below 50 digits.
const (
	maxBytes  = 16 << 20
	maxDigits = 2000
)

// Decode reads a certificate of one of the given kinds, about the instance whose digest the
// function returns for the kind and, if there are several, for the claimed digest. It is strict:
// unknown, repeated, missing and misplaced keys are errors, as are numbers that are not whole,
// files larger than 16 MiB, another version and another instance. An error is returned as
// [instance.Problems], with its path, line and column. Package verify decides whether the
// certificate proves what it claims.
func Decode(r io.Reader, kinds []relax.Kind, digest func(kind relax.Kind, claimed string) string) (*relax.Certificate, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("jigsaw: %w", err)
	}
	if len(data) > maxBytes {
		return nil, instance.Problems{{Message: fmt.Sprintf("the certificate is larger than %d MiB", maxBytes>>20)}}
	}
	c, file := &relax.Certificate{}, reader{strictjson.NewReader(bytes.NewReader(data))}
	if first, _ := file.Token(); first != json.Delim('{') {
		return nil, file.Fail("a certificate is a JSON object, as jigsaw plan --certificate writes; it begins with {")
	}
	if err := file.object("", reflect.ValueOf(c).Elem()); err != nil {
		return nil, err
	}
	if err := file.Finish(); err != nil {
		return nil, err
	}
	if path, message := whole(c, kinds, digest(c.Kind, c.Instance)); message != "" {
		return nil, instance.Problems{{Path: path, Message: message}}
	}
	return c, nil
}

// reader reads values into those of a certificate: they are where they belong or are rejected, so
// nothing nests and nothing is read twice.
type reader struct{ *strictjson.Reader }

// bad is a mistake at a path, at the last token.
func (d reader) bad(path, format string, args ...any) error {
	return instance.Problems{{Path: path, Line: d.At.Line, Column: d.At.Column, Message: fmt.Sprintf(format, args...)}}
}

// value reads the value at the path into v, according to its type. It begins with the token first.
func (d reader) value(path string, first json.Token, v reflect.Value) error {
	var what string
	var ok bool
	switch into := v.Addr().Interface().(type) {
	case **relax.Claim:
		var value *big.Rat
		value, ok = fraction(first)
		*into, what = relax.NewClaim(value), aFraction
	case **big.Rat:
		*into, ok = fraction(first)
		what = aFraction
	case **big.Int:
		*into = wholeNumber(first)
		what, ok = anInteger, *into != nil
	default:
		switch v.Kind() {
		case reflect.Pointer:
			v.Set(reflect.New(v.Type().Elem()))
			return d.value(path, first, v.Elem())
		case reflect.Struct:
			if first == json.Delim('{') {
				return d.object(path, v)
			}
			what = "a JSON object; it begins with {"
		case reflect.Slice:
			if first == json.Delim('[') {
				return d.list(path, v)
			}
			what = "a list"
		case reflect.String:
			var text string
			text, ok = first.(string)
			v.SetString(text)
			what = "a text"
		case reflect.Bool:
			var truth bool
			truth, ok = first.(bool)
			v.SetBool(truth)
			what = "true or false"
		default: // a whole number that fits 63 bits and is not negative
			n := wholeNumber(first)
			if n != nil && (!n.IsInt64() || n.Sign() < 0) {
				return d.bad(path, "%q is out of range", instance.Clip(n.String()))
			}
			if what, ok = anInteger, n != nil; ok {
				v.SetInt(n.Int64())
			}
		}
	}
	if !ok {
		return d.bad(path, "this must be %s", what)
	}
	return nil
}

// list reads the rest of a list after its bracket.
func (d reader) list(path string, v reflect.Value) error {
	v.Set(reflect.MakeSlice(v.Type(), 0, 0))
	return d.Array(func(i int, first json.Token) error {
		entry := reflect.New(v.Type().Elem()).Elem()
		err := d.value(path+"["+strconv.Itoa(i)+"]", first, entry)
		v.Set(reflect.Append(v, entry))
		return err
	})
}

// object reads the rest of an object after its brace. Its keys are those with which v is written; keys that are
// never omitted must be present.
func (d reader) object(path string, v reflect.Value) error {
	names, required, seen := make([]string, v.NumField()), make([]bool, v.NumField()), make([]bool, v.NumField())
	for i := range names {
		name, options, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		names[i], required[i] = name, options == ""
	}
	within := func(name string) string { return strings.TrimPrefix(path+"."+name, ".") }
	err := d.Object(func(key strictjson.Key, first json.Token) error {
		i := slices.Index(names, key.Name)
		switch {
		case i < 0:
			return instance.Problems{{
				Path: path, Line: key.At.Line, Column: key.At.Column, Unknown: []string{key.Name},
				Message: fmt.Sprintf("unknown key %q; the keys here are %s", instance.Clip(key.Name), strings.Join(names, ", ")),
			}}
		case seen[i]:
			return d.bad(within(key.Name), "this key is given twice")
		}
		seen[i] = true
		return d.value(within(key.Name), first, v.Field(i))
	})
	for i, name := range names {
		if err == nil && required[i] && !seen[i] {
			err = d.bad(within(name), "this key is missing")
		}
	}
	return err
}

const aFraction = `an integer, or a fraction such as "7/3"`

var anInteger = fmt.Sprintf("an integer of at most %d digits, without a point or exponent", maxDigits)

// wholeNumber returns a whole number of any size that proofs need; nil for anything else.
func wholeNumber(t json.Token) *big.Int {
	n, _ := t.(json.Number)
	return parseInt(string(n))
}

// fraction returns an integer, or that or a fraction of a text; nil for null.
func fraction(t json.Token) (v *big.Rat, ok bool) {
	if t == nil {
		return nil, true
	}
	text, _ := t.(string)
	if n, isNumber := t.(json.Number); isNumber {
		text = string(n)
	}
	above, below, split := strings.Cut(text, "/")
	numerator, denominator := parseInt(above), big.NewInt(1)
	if split {
		denominator = parseInt(below)
	}
	if numerator == nil || denominator == nil || denominator.Sign() <= 0 {
		return nil, false
	}
	return new(big.Rat).SetFrac(numerator, denominator), true
}

// parseInt reads decimal digits with an optional minus, and returns nil for
// anything else.
func parseInt(s string) *big.Int {
	digits := strings.TrimPrefix(s, "-")
	if digits == "" || len(digits) > maxDigits || strings.Trim(digits, "0123456789") != "" {
		return nil
	}
	v, _ := new(big.Int).SetString(s, 10)
	return v
}

// whole checks conditions that involve several keys: it returns the path of a mistake, and what is wrong.
func whole(c *relax.Certificate, kinds []relax.Kind, digest string) (path, message string) {
	switch {
	case c.Version != relax.CertificateVersion:
		return "version", fmt.Sprintf("this is version %d; this JigSaw reads version %d", c.Version, relax.CertificateVersion)
	case !slices.Contains(kinds, c.Kind):
		return "kind", fmt.Sprintf("%q is not a kind of proof for such an instance; the kinds are %v", instance.Clip(string(c.Kind)), kinds)
	case c.Instance != digest:
		return "instance", fmt.Sprintf("the certificate is about another instance or objective: the digest is %q in it, here %q", instance.Clip(c.Instance), instance.Clip(digest))
	case c.Infeasible == (c.Bound != nil):
		return "bound", "a certificate claims either a bound or infeasible: true"
	case c.Denominator.Sign() <= 0:
		return "denominator", "this must be above 0"
	}
	for _, key := range []struct {
		name        string
		given, must bool
		kinds       []relax.Kind
	}{
		{"prices", len(c.Prices) > 0, false, []relax.Kind{relax.FluidBound, relax.WeightsBound, relax.CostBound, relax.ColumnsBound, relax.IntervalsBound, relax.PackingBound, relax.TreeBound, relax.PeriodsBound}},
		{"plans", c.Plans != nil, true, []relax.Kind{relax.ColumnsBound, relax.PackingBound}},
		{"ends", c.Ends != nil, true, []relax.Kind{relax.IntervalsBound}},
		{"loads", c.Loads != nil, false, []relax.Kind{relax.AreaBound}},
		{"share", c.Share != nil, true, []relax.Kind{relax.MemoryTimeBound}},
		{"end", c.End != 0, false, []relax.Kind{relax.CostBound}},
		{"stages", c.Stages != nil, true, []relax.Kind{relax.BackgroundBound}},
		{"tree", c.Tree != nil, true, []relax.Kind{relax.PeriodsBound, relax.TreeBound}},
		{"columns", c.Columns != 0, false, []relax.Kind{relax.FluidBound, relax.PeriodsBound}},
	} {
		if belongs := slices.Contains(key.kinds, c.Kind); key.given && !belongs || key.must && belongs && !key.given {
			return key.name, fmt.Sprintf("this key belongs to proofs of the kinds %v", key.kinds)
		}
	}
	return c.Misplaced()
}
