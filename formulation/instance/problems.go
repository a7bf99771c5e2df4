package instance

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Problem is one mistake in an instance file.
type Problem struct {
	// Path of the value in the file: "jobs[3].placement.within". Empty for the
	// file as a whole.
	Path string
	// Subject is the name of the job at fault, if one is.
	Subject string
	// Line and Column in the file, from 1; 0 where they are not known.
	Line, Column int
	// Unknown are keys that do not belong where they are, if that is the mistake; in a file of
	// another version those at the top.
	Unknown []string
	Message string
}

func (p Problem) String() string {
	var b strings.Builder
	if p.Line > 0 {
		fmt.Fprintf(&b, "line %d", p.Line)
		if p.Column > 0 {
			fmt.Fprintf(&b, ", column %d", p.Column)
		}
		b.WriteString(": ")
	}
	if p.Path != "" {
		b.WriteString(p.Path)
		if p.Subject != "" {
			fmt.Fprintf(&b, " %q", clip(p.Subject))
		}
		b.WriteString(": ")
	}
	b.WriteString(p.Message)
	return b.String()
}

// Problems is every mistake found in an instance file, as an error.
type Problems []Problem

func (p Problems) Error() string {
	lines := make([]string, len(p))
	for i, problem := range p {
		lines[i] = problem.String()
	}
	return "instance: " + strings.Join(lines, "\ninstance: ")
}

// maxProblems keeps a hopeless file from filling the screen.
const maxProblems = 50

// add appends a problem unless there are too many already.
func (p *Problems) add(path, format string, args ...any) {
	if len(*p) < maxProblems {
		*p = append(*p, Problem{Path: path, Message: fmt.Sprintf(format, args...)})
	}
}

// sort brings the problems into the order of the file.
func (p Problems) sort() {
	slices.SortStableFunc(p, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
}

// err returns the problems as an error, nil if there are none.
func (p Problems) err() error {
	if len(p) == 0 {
		return nil
	}
	return p
}
