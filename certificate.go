package jigsaw

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"jigsaw/formulation/instance"
	"jigsaw/formulation/relax"
)

// Limits of a certificate file. Certificates of clusters with thousands of GPUs
// are below a megabyte, and their numbers below 50 digits.
const (
	maxCertificateBytes = 16 << 20
	maxDigits           = 2000
)

// certificateFields are the keys of a certificate. Those that a file may leave
// out come last.
var (
	certificateFields = fields{[]string{"version", "kind", "instance", "bound", "denominator", "prices", "infeasible", "value", "columns", "plans", "loads", "tree"}, 6}
	nodeFields        = fields{[]string{"kind", "job", "iteration", "worker", "at", "column", "target", "buckets", "prices", "denominator", "value", "rights", "sets"}, 1}
	planFields        = fields{[]string{"horizon", "points", "buckets", "due"}, 3}
	loadFields        = fields{[]string{"load", "head", "tail", "multipliers"}, 1}
)

// fields are the keys of an object; the first so many must be there.
type fields struct {
	names    []string
	required int
}

// EncodeCertificate writes a certificate as JSON.
func EncodeCertificate(w io.Writer, c *Certificate) error {
	return json.NewEncoder(w).Encode(c)
}

// DecodeCertificate reads a certificate about the instance, as
// [EncodeCertificate] writes it. It is strict: unknown, repeated, missing and
// misplaced keys are mistakes, as are numbers that are not whole, files larger
// than 16 MiB, another version and another instance. A mistake comes back as
// [instance.Problems], with its path, line and column. Whether the certificate
// proves what it claims is for [Certify] to say.
func DecodeCertificate(in *instance.Instance, r io.Reader) (*Certificate, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxCertificateBytes+1))
	if err != nil {
		return nil, fmt.Errorf("jigsaw: %w", err)
	}
	d := &certificateDecoder{data: data, decoder: json.NewDecoder(bytes.NewReader(data))}
	d.decoder.UseNumber()
	if len(data) > maxCertificateBytes {
		return nil, instance.Problems{{Message: fmt.Sprintf("the certificate is larger than %d MiB", maxCertificateBytes>>20)}}
	}
	d.file()
	if d.problem == nil {
		d.whole(in.Roomy())
	}
	if d.problem != nil {
		return nil, instance.Problems{*d.problem}
	}
	return &d.c, nil
}

// certificateDecoder reads a file token by token: values are where they belong
// or refused, so that nothing nests and nothing is read twice.
type certificateDecoder struct {
	data    []byte
	decoder *json.Decoder
	c       Certificate
	problem *instance.Problem // the first
}

// bad notes what is wrong with the last token, or with the file where path is
// empty.
func (d *certificateDecoder) bad(path, format string, args ...any) {
	if d.problem != nil {
		return
	}
	read := d.data[:d.decoder.InputOffset()]
	line := bytes.Count(read, []byte("\n")) + 1
	column := len(read) - bytes.LastIndexByte(read, '\n') - 1
	d.problem = &instance.Problem{Path: path, Line: line, Column: max(1, column), Message: fmt.Sprintf(format, args...)}
}

// token returns the next token, nil for null. ok is false after a mistake.
func (d *certificateDecoder) token(path string) (t json.Token, ok bool) {
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

func (d *certificateDecoder) file() {
	d.object("", certificateFields, func(path string) {
		switch path {
		case "version":
			d.c.Version = int(d.integer(path))
		case "kind":
			d.c.Kind = relax.Kind(d.text(path))
		case "instance":
			d.c.Instance = d.text(path)
		case "bound":
			d.c.Bound = relax.NewClaim(d.fraction(path))
		case "denominator":
			d.c.Denominator = d.wholeNumber(path)
		case "prices":
			d.prices(path)
		case "infeasible":
			d.c.Infeasible = d.truth(path)
		case "value":
			d.c.Value = d.fraction(path)
		case "columns":
			d.c.Columns = int(d.integer(path))
		case "plans":
			d.plans(path)
		case "loads":
			d.loads(path)
		case "tree":
			d.tree(path)
		}
	})
	if d.problem != nil {
		return
	}
	if _, err := d.decoder.Token(); !errors.Is(err, io.EOF) {
		d.bad("", "invalid JSON: the file goes on after the certificate")
	}
}

// plans reads the parameters of a columns program.
func (d *certificateDecoder) plans(path string) {
	terms := &relax.PlanTerms{}
	d.c.Plans = terms
	d.object(path, planFields, func(path string) {
		switch path {
		case "plans.due":
			terms.Due = d.integer(path)
		case "plans.horizon":
			terms.Horizon = d.integer(path)
		case "plans.points":
			terms.Points = d.integer(path)
		case "plans.buckets":
			terms.Buckets = d.integer(path)
		}
	})
}

// loads reads what an area certificate looks at.
func (d *certificateDecoder) loads(path string) {
	d.c.Loads = []relax.LoadTerms{}
	d.list(path, "this must be a list of loads", func(path string) {
		var terms relax.LoadTerms
		d.object(path, loadFields, func(key string) {
			switch strings.TrimPrefix(key, path+".") {
			case "load":
				terms.Load = int(d.integer(key))
			case "head":
				terms.Head = d.integer(key)
			case "tail":
				terms.Tail = d.integer(key)
			case "multipliers":
				d.list(key, "this must be a list of multipliers", func(path string) {
					terms.Multipliers = append(terms.Multipliers, d.integer(path))
				})
			}
		})
		d.c.Loads = append(d.c.Loads, terms)
	})
}

// tree reads the nodes of a tree.
func (d *certificateDecoder) tree(path string) {
	d.list(path, "this must be a list of nodes", func(path string) {
		var n relax.ProofNode
		d.object(path, nodeFields, func(key string) {
			switch strings.TrimPrefix(key, path+".") {
			case "kind":
				n.Kind = d.text(key)
			case "job":
				n.Job = int(d.integer(key))
			case "iteration":
				n.Iteration = int(d.integer(key))
			case "worker":
				n.Worker = int(d.integer(key))
			case "at":
				n.At = d.integer(key)
			case "column":
				n.Column = int(d.integer(key))
			case "target":
				n.Target = d.integer(key)
			case "buckets":
				n.Buckets = d.integer(key)
			case "prices":
				n.Prices = int(d.integer(key))
			case "denominator":
				n.Denominator = d.integer(key)
			case "value":
				n.Value = d.wholeNumber(key)
			case "rights":
				d.list(key, "this must be a list of right sides", func(path string) {
					n.Rights = append(n.Rights, d.integer(path))
				})
			case "sets":
				d.list(key, "this must be a list of jobs", func(path string) {
					n.Sets = append(n.Sets, int(d.integer(path)))
				})
			}
		})
		d.c.Tree = append(d.c.Tree, n)
	})
}

// list reads a list. each must consume the entry at the path.
func (d *certificateDecoder) list(path, what string, each func(path string)) {
	if t, ok := d.token(path); ok && t != json.Delim('[') {
		d.bad(path, "%s", what)
	}
	for i := 0; d.problem == nil && d.decoder.More(); i++ {
		each(path + "[" + strconv.Itoa(i) + "]")
	}
	if d.problem == nil {
		d.token(path) // the closing bracket
	}
}

// object reads an object of the fields. each must consume the value at the path.
func (d *certificateDecoder) object(path string, f fields, each func(path string)) {
	t, ok := d.token(path)
	if !ok {
		return
	}
	if t != json.Delim('{') {
		d.bad(path, "this must be a JSON object; it begins with {")
		return
	}
	seen := map[string]bool{}
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
		switch {
		case !slices.Contains(f.names, key):
			d.bad(path, "unknown key %s; the keys here are %s", clip(key), strings.Join(f.names, ", "))
			d.problem.Unknown = []string{key}
		case seen[key]:
			d.bad(name, "this key is given twice")
		default:
			seen[key] = true
			each(name)
		}
		if d.problem != nil {
			return
		}
	}
	for _, name := range f.names[:f.required] {
		if !seen[name] {
			d.bad(strings.TrimPrefix(path+"."+name, "."), "this key is missing")
		}
	}
}

func (d *certificateDecoder) prices(path string) {
	d.c.Prices = []*big.Int{}
	d.list(path, "this must be a list of integers", func(path string) {
		d.c.Prices = append(d.c.Prices, d.wholeNumber(path))
	})
}

func (d *certificateDecoder) text(path string) string {
	t, ok := d.token(path)
	s, isText := t.(string)
	if ok && !isText {
		d.bad(path, "this must be a text")
	}
	return s
}

func (d *certificateDecoder) truth(path string) bool {
	t, ok := d.token(path)
	b, isBool := t.(bool)
	if ok && !isBool {
		d.bad(path, "this must be true or false")
	}
	return b
}

// integer reads a whole number that fits 63 bits and is not negative.
func (d *certificateDecoder) integer(path string) int64 {
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
func (d *certificateDecoder) wholeNumber(path string) *big.Int {
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

// fraction reads an integer, or a text with an integer or a fraction; null is nil.
func (d *certificateDecoder) fraction(path string) *big.Rat {
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

// whole checks what no single key tells.
func (d *certificateDecoder) whole(in *instance.Instance) {
	c := &d.c
	planned := c.Kind == relax.ColumnsBound || c.Kind == relax.PackingBound
	branched := c.Kind == relax.TreeBound || c.Kind == relax.PeriodsBound
	priced := c.Kind == relax.FluidBound || planned || branched
	misplaced, why := c.Misplaced()
	switch {
	case c.Version != relax.CertificateVersion:
		d.about("version", "this is version %d; this JigSaw reads version %d", c.Version, relax.CertificateVersion)
	case !slices.Contains(relax.Kinds(), c.Kind):
		d.about("kind", "%s is no kind of proof; the kinds are %v", clip(string(c.Kind)), relax.Kinds())
	case c.Instance != in.Digest():
		d.about("instance", "the certificate is about another instance or objective: the digest is %s in it, %s in %s",
			clip(c.Instance), clip(in.Digest()), in.Name)
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
	case branched != (c.Tree != nil):
		d.about("tree", "this key belongs to proofs of kind %s and %s, and only there", relax.PeriodsBound, relax.TreeBound)
	case misplaced != "":
		d.about(misplaced, "%s", why)
	case c.Columns != 0 && c.Kind != relax.FluidBound && c.Kind != relax.PeriodsBound:
		d.about("columns", "this key belongs to proofs of kind %s and %s", relax.FluidBound, relax.PeriodsBound)
	}
}

// about is [certificateDecoder.bad] of a key wherever it is.
func (d *certificateDecoder) about(path, format string, args ...any) {
	d.problem = &instance.Problem{Path: path, Message: fmt.Sprintf(format, args...)}
}

// clip quotes a text that a file holds, shortened to be printed.
func clip(s string) string {
	if len(s) > 20 {
		s = strings.ToValidUTF8(s[:20], "") + "..."
	}
	return strconv.Quote(s)
}
