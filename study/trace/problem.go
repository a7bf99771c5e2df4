package trace

import (
	"fmt"
	"strings"
)

// Problem is an error in a file. Line and Column count from 1, columns in
// bytes; 0 if the problem has no single place.
type Problem struct {
	File         string
	Line, Column int
	Message      string
}

func (p Problem) Error() string {
	switch {
	case p.Line == 0:
		return fmt.Sprintf("%s: %s", p.File, p.Message)
	case p.Column == 0:
		return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Message)
	}
	return fmt.Sprintf("%s:%d:%d: %s", p.File, p.Line, p.Column, p.Message)
}

// Problems are all errors in a file, in order.
type Problems []Problem

// mostProblems are kept; a file in another format has one on every line.
const mostProblems = 20

func (p Problems) Error() string {
	lines := make([]string, 0, len(p))
	for _, problem := range p {
		lines = append(lines, problem.Error())
	}
	return strings.Join(lines, "\n")
}

// err returns the problems as an error, or nil without any.
func (p Problems) err() error {
	if len(p) == 0 {
		return nil
	}
	return p
}
