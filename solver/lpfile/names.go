package lpfile

import (
	"strconv"

	"jigsaw/solver"
)

// maxName is the longest name that all solvers accept.
const maxName = 255

// Names returns the names of the columns and rows of a program in files. A name
// of the program is used if every format can represent it and it is the first
// with that name; others are replaced by "c" or "r" and the index.
func Names(p *solver.Problem) (cols, rows []string) {
	return names("c", p.ColNames, p.Cols()), names("r", p.RowNames, p.Rows())
}

func names(prefix string, given []string, n int) []string {
	list := make([]string, n)
	taken := make(map[string]bool, n)
	for i, name := range given {
		if validName(name) && !taken[name] && name != objective {
			list[i] = name
			taken[name] = true
		}
	}
	for i := range list {
		if list[i] != "" {
			continue
		}
		name := prefix + strconv.Itoa(i)
		for taken[name] {
			name += "_"
		}
		list[i] = name
		taken[name] = true
	}
	return list
}

// objective is the name of the objective's row.
const objective = "cost"

// validName reports whether all formats can represent a name. LP files forbid
// names that could be the start of a number, and their keywords.
func validName(name string) bool {
	if name == "" || len(name) > maxName {
		return false
	}
	for i := range len(name) {
		c := name[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'
		if !letter && (i == 0 || (c < '0' || c > '9') && c != '.') {
			return false
		}
	}
	if c := name[0]; c == 'e' || c == 'E' {
		if len(name) == 1 || name[1] >= '0' && name[1] <= '9' {
			return false
		}
	}
	return !reserved[lower(name)]
}

// reserved words of LP and MPS files, in lower case.
var reserved = map[string]bool{
	"inf": true, "infinity": true, "free": true, "st": true, "s.t.": true, "subject": true, "such": true,
	"bounds": true, "bound": true, "general": true, "generals": true, "gen": true, "integer": true,
	"integers": true, "int": true, "binary": true, "binaries": true, "bin": true, "semi": true, "semis": true,
	"sos": true, "sos1": true, "sos2": true, "end": true, "min": true, "minimize": true, "minimise": true,
	"minimum": true, "max": true, "maximize": true, "maximise": true, "maximum": true,
}

func lower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// number writes a number so that it reads back exactly.
func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
