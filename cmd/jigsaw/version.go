package main

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"jigsaw"
	"jigsaw/cmd/jigsaw/cli"
	"jigsaw/site"
)

func newVersion(std cli.Streams) *cobra.Command {
	var to cli.Destination
	c := &cobra.Command{
		Use: "version", Short: "Print the version, the LP engine and whether the playground is inside", Args: cli.ExactArgs(0),
		RunE: func(*cobra.Command, []string) error { return runVersion(to, std) },
	}
	to.Flags(c, cli.PrintFormats()...)
	return c
}

// versionReport is the output of version.
type versionReport struct {
	Version    string `json:"version"`
	Revision   string `json:"revision,omitempty"`
	Go         string `json:"go"`
	Platform   string `json:"platform"`
	LP         string `json:"lp"`
	Playground bool   `json:"playground"`
}

func runVersion(to cli.Destination, std cli.Streams) error {
	r := versionReport{
		Version: jigsaw.Version(), Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				r.Revision = s.Value
			}
		}
	}
	var err error
	if r.LP, err = jigsaw.Engine(); err != nil {
		r.LP = "none: " + err.Error()
	}
	playground := "in this program: jigsaw serve"
	if _, err := site.Files(); err != nil {
		playground = "none: " + err.Error()
	} else {
		r.Playground = true
	}
	return to.Print(std, r, func(w io.Writer) {
		fmt.Fprintf(w, "jigsaw %s %s %s\nlinear programs: %s\nplayground: %s\n", r.Version, r.Go, r.Platform, r.LP, playground)
	})
}
