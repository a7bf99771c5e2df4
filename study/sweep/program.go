package sweep

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"strings"
	"sync"

	"jigsaw"
)

// Program identifies the planning program: results of different programs are
// kept apart.
type Program struct {
	// Planner is the version of JigSaw.
	Planner string `json:"planner"`
	// Engine describes the linear programming engine, "none" without one.
	Engine string `json:"engine"`
}

// ThisProgram returns the running program. One that was not built from the
// sources of a commit is identified by its executable file.
func ThisProgram() Program { return thisProgram() }

var thisProgram = sync.OnceValue(func() Program {
	p := Program{Planner: jigsaw.Version(), Engine: "none"}
	if p.Planner == "(devel)" || strings.HasSuffix(p.Planner, "dirty") {
		p.Planner += executable()
	}
	if engine, err := jigsaw.Engine(); err == nil {
		p.Engine = engine
	}
	return p
})

// executable is a digest of the running file, empty if it cannot be read.
func executable() string {
	name, err := os.Executable()
	if err != nil {
		return ""
	}
	f, err := os.Open(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return ""
	}
	return " sha256:" + hex.EncodeToString(h.Sum(nil)[:6])
}
