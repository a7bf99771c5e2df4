package api

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// command is the `jigsaw plan` command that makes the plan. An example goes by
// its name, any other instance by the file that the page exports.
func (a *API) command(p *PlanOptions) (string, error) {
	s, err := a.compiled.instance(p.Text)
	if err != nil {
		return "", err
	}
	file := fileName(s.in.Name) + ".yaml"
	examples, err := a.examples(context.Background(), nil)
	if err != nil {
		return "", err
	}
	for _, e := range examples {
		if e.Text == p.Text {
			file = e.Name
		}
	}
	command := "jigsaw plan " + file
	if p.Seed != 0 {
		command += " --seed " + strconv.FormatUint(uint64(p.Seed), 10)
	}
	if p.Quick {
		command += " --quick"
	}
	if p.Effort > 1 {
		command += fmt.Sprintf(" --effort %d", p.Effort)
	}
	if p.TimeMS > 0 {
		command += fmt.Sprintf(" --time %v", time.Duration(p.TimeMS*float64(time.Millisecond)))
	}
	if p.Gap > 0 {
		command += " --gap " + strconv.FormatFloat(p.Gap, 'g', -1, 64)
	}
	return command, nil
}

// maxFileName is how much of a name goes into that of a file, in bytes.
const maxFileName = 60

// fileName turns any name into one for a file that needs no quotes in a shell
// and is no option, path or hidden file.
func fileName(name string) string {
	var b strings.Builder
	for _, r := range name {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
		if b.Len() >= maxFileName {
			break
		}
	}
	if file := strings.Trim(b.String(), "-"); file != "" {
		return file
	}
	return unnamed
}
