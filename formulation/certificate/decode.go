// Package certificate reads the files of certificates (docs/certificate.md).
package certificate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"jigsaw/formulation/instance"
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
	d := &reader{data: data, decoder: json.NewDecoder(bytes.NewReader(data))}
	d.decoder.UseNumber()
	if len(data) > maxBytes {
		return nil, instance.Problems{{Message: fmt.Sprintf("the certificate is larger than %d MiB", maxBytes>>20)}}
	}
	d.file()
	if d.problem == nil {
		d.whole(kinds, digest(d.c.Kind, d.c.Instance))
	}
	if d.problem != nil {
		return nil, instance.Problems{*d.problem}
	}
	return &d.c, nil
}

// reader reads a file token by token: values are where they belong or are rejected, so
// nothing nests and nothing is read twice.
type reader struct {
	data    []byte
	decoder *json.Decoder
	c       relax.Certificate
	problem *instance.Problem // the first
}

// bad records an error at the last token, or in the file if path is empty.
func (d *reader) bad(path, format string, args ...any) {
	if d.problem != nil {
		return
	}
	read := d.data[:d.decoder.InputOffset()]
	line := bytes.Count(read, []byte("\n")) + 1
	column := len(read) - bytes.LastIndexByte(read, '\n') - 1
	d.problem = &instance.Problem{Path: path, Line: line, Column: max(1, column), Message: fmt.Sprintf(format, args...)}
}

// token returns the next token, nil for null. ok is false after a mistake.
func (d *reader) token(path string) (t json.Token, ok bool) {
	t, err := d.decoder.Token()
	switch {
	case err != nil && d.decoder.InputOffset() == 0:
		d.bad(path, "a certificate is a JSON object, as jigsaw plan --certificate writes; it begins with {")
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		d.bad(path, "invalid JSON: the file ends too early")
	case err != nil:
		d.bad(path, "invalid JSON: %v", err)
	}
	return t, d.problem == nil
}

func (d *reader) file() {
	d.value("", reflect.ValueOf(&d.c).Elem())
	if d.problem != nil {
		return
	}
	if _, err := d.decoder.Token(); !errors.Is(err, io.EOF) {
		d.bad("", "invalid JSON: the file goes on after the certificate")
	}
}

// value reads the value at the path into v, according to its type.
func (d *reader) value(path string, v reflect.Value) {
	switch into := v.Addr().Interface().(type) {
	case **relax.Claim:
		*into = relax.NewClaim(d.fraction(path))
		return
	case **big.Rat:
		*into = d.fraction(path)
		return
	case **big.Int:
		*into = d.wholeNumber(path)
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		d.value(path, v.Elem())
	case reflect.Struct:
		d.object(path, v)
	case reflect.Slice:
		d.list(path, v)
	case reflect.String:
		v.SetString(d.text(path))
	case reflect.Bool:
		v.SetBool(d.truth(path))
	default:
		v.SetInt(d.integer(path))
	}
}

// list reads a list.
func (d *reader) list(path string, v reflect.Value) {
	v.Set(reflect.MakeSlice(v.Type(), 0, 0))
	if t, ok := d.token(path); ok && t != json.Delim('[') {
		what := "integers"
		switch v.Type().Elem().Kind() {
		case reflect.Struct:
			what = "objects"
		case reflect.Slice:
			what = "lists"
		}
		d.bad(path, "this must be a list of %s", what)
	}
	for i := 0; d.problem == nil && d.decoder.More(); i++ {
		entry := reflect.New(v.Type().Elem()).Elem()
		d.value(path+"["+strconv.Itoa(i)+"]", entry)
		v.Set(reflect.Append(v, entry))
	}
	if d.problem == nil {
		d.token(path) // the closing bracket
	}
}

// object reads an object. Its keys are those with which v is written; keys that are never
// omitted must be present.
func (d *reader) object(path string, v reflect.Value) {
	t, ok := d.token(path)
	if !ok {
		return
	}
	if t != json.Delim('{') {
		d.bad(path, "this must be a JSON object; it begins with {")
		return
	}
	names, required := make([]string, v.NumField()), make([]bool, v.NumField())
	for i := range names {
		name, options, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		names[i], required[i] = name, options == ""
	}
	seen := make([]bool, len(names))
	for {
		t, ok := d.token(path)
		if !ok {
			return
		}
		key, ok := t.(string)
		if !ok {
			break // the closing brace
		}
		name := strings.TrimPrefix(path+"."+key, ".")
		switch i := slices.Index(names, key); {
		case i < 0:
			d.bad(path, "unknown key %s; the keys here are %s", clip(key), strings.Join(names, ", "))
			d.problem.Unknown = []string{key}
		case seen[i]:
			d.bad(name, "this key is given twice")
		default:
			seen[i] = true
			d.value(name, v.Field(i))
		}
		if d.problem != nil {
			return
		}
	}
	for i, name := range names {
		if required[i] && !seen[i] {
			d.bad(strings.TrimPrefix(path+"."+name, "."), "this key is missing")
		}
	}
}

func (d *reader) text(path string) string {
	t, ok := d.token(path)
	s, isText := t.(string)
	if ok && !isText {
		d.bad(path, "this must be a text")
	}
	return s
}

func (d *reader) truth(path string) bool {
	t, ok := d.token(path)
	b, isBool := t.(bool)
	if ok && !isBool {
		d.bad(path, "this must be true or false")
	}
	return b
}

// integer reads a whole number that fits 63 bits and is not negative.
func (d *reader) integer(path string) int64 {
	v := d.wholeNumber(path)
	if v == nil {
		return 0
	}
	if !v.IsInt64() || v.Sign() < 0 {
		d.bad(path, "%s is out of range", clip(v.String()))
	}
	return v.Int64()
}

// wholeNumber reads a whole number of any size that proofs need.
func (d *reader) wholeNumber(path string) *big.Int {
	t, ok := d.token(path)
	if !ok {
		return nil
	}
	n, isNumber := t.(json.Number)
	if v := parseInt(string(n)); isNumber && v != nil {
		return v
	}
	d.bad(path, "this must be an integer of at most %d digits, without a point or exponent", maxDigits)
	return nil
}

// fraction reads an integer, or a string with an integer or a fraction; null is nil.
func (d *reader) fraction(path string) *big.Rat {
	t, ok := d.token(path)
	if !ok || t == nil {
		return nil
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
		d.bad(path, `this must be an integer, or a fraction such as "7/3"`)
		return nil
	}
	return new(big.Rat).SetFrac(numerator, denominator)
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

// whole checks conditions that involve several keys.
func (d *reader) whole(kinds []relax.Kind, digest string) {
	c := &d.c
	planned := c.Kind == relax.ColumnsBound || c.Kind == relax.PackingBound
	branched := c.Kind == relax.TreeBound || c.Kind == relax.PeriodsBound
	priced := c.Kind == relax.FluidBound || c.Kind == relax.WeightsBound || c.Kind == relax.CostBound || planned || branched
	misplaced, why := c.Misplaced()
	switch {
	case c.Version != relax.CertificateVersion:
		d.about("version", "this is version %d; this JigSaw reads version %d", c.Version, relax.CertificateVersion)
	case !slices.Contains(kinds, c.Kind):
		d.about("kind", "%s is no kind of proof about such an instance; the kinds are %v", clip(string(c.Kind)), kinds)
	case c.Instance != digest:
		d.about("instance", "the certificate is about another instance or objective: the digest is %s in it, here %s", clip(c.Instance), clip(digest))
	case c.Infeasible == (c.Bound != nil):
		d.about("bound", "a certificate claims either a bound or infeasible: true")
	case c.Denominator.Sign() <= 0:
		d.about("denominator", "this must be above 0")
	case !priced && len(c.Prices) > 0:
		d.about("prices", "a %s proof has no prices", c.Kind)
	case planned != (c.Plans != nil):
		d.about("plans", "this key belongs to proofs of kind %s and %s, and only there", relax.ColumnsBound, relax.PackingBound)
	case c.Loads != nil && c.Kind != relax.AreaBound:
		d.about("loads", "this key belongs to proofs of kind %s", relax.AreaBound)
	case (c.Share != nil) != (c.Kind == relax.MemoryTimeBound):
		d.about("share", "this key belongs to proofs of kind %s, and only there", relax.MemoryTimeBound)
	case c.End != 0 && c.Kind != relax.CostBound:
		d.about("end", "this key belongs to proofs of kind %s", relax.CostBound)
	case (c.Stages != nil) != (c.Kind == relax.BackgroundBound):
		d.about("stages", "this key belongs to proofs of kind %s, and only there", relax.BackgroundBound)
	case branched != (c.Tree != nil):
		d.about("tree", "this key belongs to proofs of kind %s and %s, and only there", relax.PeriodsBound, relax.TreeBound)
	case misplaced != "":
		d.about(misplaced, "%s", why)
	case c.Columns != 0 && c.Kind != relax.FluidBound && c.Kind != relax.PeriodsBound:
		d.about("columns", "this key belongs to proofs of kind %s and %s", relax.FluidBound, relax.PeriodsBound)
	}
}

// about is [reader.bad] for a key, wherever it is.
func (d *reader) about(path, format string, args ...any) {
	d.problem = &instance.Problem{Path: path, Message: fmt.Sprintf(format, args...)}
}

// clip quotes a string of the file, shortened for printing.
func clip(s string) string {
	if len(s) > 20 {
		s = strings.ToValidUTF8(s[:20], "") + "..."
	}
	return strconv.Quote(s)
}
