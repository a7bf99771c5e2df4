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
			fmt.Fprintf(&b, " %q", Clip(p.Subject))
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

// MaxProblems keeps a hopeless file from filling the screen.
const MaxProblems = 50

// Add appends a problem unless there are too many already.
func (p *Problems) Add(path, format string, args ...any) {
	if len(*p) < MaxProblems {
		*p = append(*p, Problem{Path: path, Message: fmt.Sprintf(format, args...)})
	}
}

// Sort brings the problems into the order of the file.
func (p Problems) Sort() {
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

// DidYouMean proposes the name nearest to one that is not there, or else what otherwise says.
func DidYouMean(name string, names []string, otherwise string) string {
	fold := func(s string) string {
		return strings.ToLower(strings.NewReplacer("_", "", "-", "", " ", "").Replace(s))
	}
	best, least := "", 3
	for _, known := range names {
		if len(name) <= 100 {
			if distance := editDistance(fold(name), fold(known)); distance < least && distance < len(known) {
				best, least = known, distance
			}
		}
	}
	if best != "" {
		return fmt.Sprintf("; did you mean %q?", best)
	}
	return otherwise
}

// editDistance is the least number of insertions, deletions and
// substitutions of bytes that turn a into b (Levenshtein).
func editDistance(a, b string) int {
	row := UpTo[int](len(b) + 1)
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
