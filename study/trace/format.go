package trace

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"jigsaw/formulation/instance"
)

// Format is a kind of file.
type Format string

// The formats.
const (
	Muri     Format = "muri"
	Gavel    Format = "gavel"
	Tiresias Format = "tiresias"
	Philly   Format = "philly"
	Pollux   Format = "pollux"
	Helios   Format = "helios"
)

// Formats lists the formats.
func Formats() []Format { return []Format{Muri, Gavel, Tiresias, Philly, Pollux, Helios} }

// sniff is how much of a file is read to detect its format.
const sniff = 1 << 16

// Read reads a file. An empty format is detected from the file's first line.
func Read(file string, r io.Reader, format Format) (*Trace, error) {
	if format == "" {
		var err error
		if format, r, err = Detect(r); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if format == "" {
			if n, _ := r.Read(make([]byte, 1)); n == 0 {
				return nil, Problem{file, 1, 1, "the file is empty"}
			}
			return nil, Problem{file, 1, 1, "this is not a known kind of trace: the first line holds neither the tab-separated fields of Gavel nor the column names of " +
				"Muri, Tiresias, Philly, Pollux or Helios; give --format to be told which columns are missing"}
		}
	}
	read := newReader(file, format)
	switch {
	case format == Gavel:
		read.gavel(r)
	case slices.Contains(Formats(), format):
		read.csv(r, columns[format])
	default:
		return nil, fmt.Errorf("trace: unknown format %q; choose one of %v", instance.Clip(string(format)), Formats())
	}
	return read.finish()
}

// Detect returns the format of the first line, empty if it matches none; all is the whole
// file.
func Detect(r io.Reader) (f Format, all io.Reader, err error) {
	b := bufio.NewReaderSize(r, sniff)
	head, err := b.Peek(sniff)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", b, err
	}
	first, _, _ := bytes.Cut(bytes.TrimPrefix(head, []byte("\ufeff")), []byte("\n"))
	// Lists of jobs may also be separated by tabs: column names have no digits, Gavel's jobs do.
	if n := bytes.Count(first, []byte("\t")); (n == 9 || n == 6) && bytes.ContainsAny(first, "0123456789") {
		return Gavel, b, nil
	}
	header := csv.NewReader(bytes.NewReader(first))
	header.Comma = comma(first)
	names, err := header.Read()
	if err != nil {
		return "", b, nil // no known format
	}
	for k := range names {
		names[k] = columnName(names[k])
	}
	// Muri's columns contain Tiresias's: the longer list is tried first.
	for _, format := range []Format{Muri, Tiresias, Helios, Philly, Pollux} {
		missing := slices.ContainsFunc(columns[format].need, func(name string) bool { return !slices.Contains(names, name) })
		if !missing {
			return format, b, nil
		}
	}
	return "", b, nil
}

// comma is the separator of the columns of a CSV file with this first line.
func comma(first []byte) rune {
	for _, c := range "\t;" {
		if bytes.ContainsRune(first, c) {
			return c
		}
	}
	return ','
}

// columnName is the normalised name of a column.
func columnName(name string) string {
	return strings.ToLower(strings.TrimSpace(strings.TrimPrefix(name, "\ufeff")))
}
