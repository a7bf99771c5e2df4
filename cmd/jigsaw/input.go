package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"jigsaw"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/codec"
	"jigsaw/formulation/instance/profiles"
)

// inputs are the flags of every command that reads an instance.
type inputs struct {
	profiles  []string
	estimates []string
	objective string

	// unnamed tells that the instance that was read has its name from its file.
	unnamed bool
	// document and models are what was read, and where its models are.
	document *codec.Document
	models   instance.ProfileSource
}

func (o *inputs) flags(c *cobra.Command) {
	c.Flags().StringArrayVar(&o.profiles, "profiles", nil, "a profile file to use beside the library (repeatable)")
	c.Flags().StringArrayVar(&o.estimates, "estimate", nil, "`MODEL=config.json`: estimate the profile of a model that jobs run, for the cluster's GPUs; behind it ,sequence=4096,precision=bf16,attention=eager,mfu=40%,checkpointing (repeatable)")
	c.Flags().StringVar(&o.objective, "objective", "", "replace the instance's objective: "+strings.Join(objectiveNames(), ", "))
	_ = c.RegisterFlagCompletionFunc("objective", cobra.FixedCompletions(objectiveNames(), cobra.ShellCompDirectiveNoFileComp))
	c.ValidArgsFunction = completeInstance
}

func objectiveNames() (names []cobra.Completion) {
	for _, o := range instance.Objectives() {
		names = append(names, string(o))
	}
	return names
}

// completeInstance offers the examples beside the files of the folder.
func completeInstance(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveDefault
	}
	examples, err := jigsaw.Examples()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var names []cobra.Completion
	for _, e := range examples {
		names = append(names, cobra.CompletionWithDesc(e.Name, e.Lesson))
	}
	return names, cobra.ShellCompDirectiveDefault
}

// files lists what a command reads, of which it must not overwrite anything.
func (o *inputs) files(names ...string) []string { return slices.Concat(names, o.profiles) }

// load reads and compiles the instance named on the command line.
func (o *inputs) load(name string, std streams) (*instance.Instance, error) {
	document, models, err := o.read(name, std)
	if err != nil {
		return nil, err
	}
	in, err := document.Compile(models)
	if err != nil {
		return nil, invalid(name, "a valid instance", err)
	}
	return in, nil
}

// read reads the instance named on the command line, and says where its models are.
func (o *inputs) read(name string, std streams) (*codec.Document, instance.ProfileSource, error) {
	if o.objective != "" && !slices.Contains(objectiveNames(), o.objective) {
		return nil, nil, usage(fmt.Errorf("--objective %q: choose %s", o.objective, strings.Join(objectiveNames(), ", ")))
	}
	file, err := open(name, std)
	if err != nil {
		return nil, nil, err
	}
	document, err := codec.DecodeSpec(file)
	file.Close()
	if err != nil {
		return nil, nil, invalid(name, "a valid instance", err)
	}
	if o.unnamed = document.Spec.Name == ""; o.unnamed {
		document.Spec.Name = strings.TrimSuffix(filepath.Base(name), filepath.Ext(name))
	}
	if o.objective != "" {
		document.Spec.Objective = instance.Objective(o.objective)
	}
	extra, err := readProfiles(o.profiles)
	if err != nil {
		return nil, nil, err
	}
	estimated, err := o.estimated(document.Spec, std)
	if err != nil {
		return nil, nil, err
	}
	models, err := jigsaw.Models(append(extra, estimated...)...)
	if err != nil {
		return nil, nil, usage(err)
	}
	o.document, o.models = document, models
	return document, models, nil
}

// invalid says that a file is not what it should be, with every problem in it.
func invalid(name, what string, err error) error {
	if name == "-" {
		name = "standard input"
	}
	var problems instance.Problems
	if !errors.As(err, &problems) {
		return usage(fmt.Errorf("%s: %w", name, bare{err}))
	}
	if other := lookalike(problems); other != "" {
		return usage(fmt.Errorf("%s is not %s: it looks like %s", name, what, other))
	}
	lines := make([]string, len(problems))
	for i, p := range problems {
		lines[i] = fmt.Sprintf("  %s", p)
	}
	return usage(fmt.Errorf("%s is not %s:\n%s", name, what, strings.Join(lines, "\n")))
}

// lookalike says what kind of file it was instead, told by a key that no other kind has;
// empty where there is no such key.
func lookalike(problems instance.Problems) string {
	for _, kind := range []struct{ key, name string }{
		{"denominator", "a certificate"}, {"schema_version", "a plan"}, {"residency", "a schedule"}, {"cluster", "an instance"},
	} {
		if slices.ContainsFunc(problems, func(p instance.Problem) bool { return slices.Contains(p.Unknown, kind.key) }) {
			return kind.name
		}
	}
	return ""
}

// openFile returns the content of a file, or of standard input.
func openFile(name string, std streams) (io.ReadCloser, error) {
	if name == "-" {
		return io.NopCloser(std.in), nil
	}
	return openPath(name)
}

// openPath returns the content of a file that is no folder.
func openPath(name string) (io.ReadCloser, error) {
	file, err := os.Open(name)
	var path *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%w %q", errNoFile, name)
	case errors.As(err, &path):
		return nil, fmt.Errorf("%s cannot be read: %w", name, path.Err)
	}
	if info, err := file.Stat(); err == nil && info.IsDir() {
		file.Close()
		return nil, fmt.Errorf("%s %w; give a file", name, errFolder)
	}
	return file, nil
}

var errFolder, errNoFile = errors.New("is a folder"), errors.New("there is no file")

// elsewhere reports whether a name that is none of a file may be one of what is built in.
func elsewhere(err error) bool { return errors.Is(err, errNoFile) || errors.Is(err, errFolder) }

// open returns the content of a file, of standard input, or of an example.
func open(name string, std streams) (io.ReadCloser, error) {
	file, err := openFile(name, std)
	if err == nil {
		return file, nil
	}
	if !elsewhere(err) {
		return nil, usage(err)
	}
	examples, exampleErr := jigsaw.Examples()
	if exampleErr != nil {
		return nil, exampleErr
	}
	var known []string
	for _, e := range examples {
		if e.Name == name {
			return io.NopCloser(bytes.NewReader(e.Data)), nil
		}
		known = append(known, e.Name)
	}
	if errors.Is(err, errFolder) {
		return nil, usage(err)
	}
	return nil, usage(fmt.Errorf("there is no file %q, nor an example of that name; the examples are %s", name, strings.Join(known, ", ")))
}

func readProfiles(files []string) ([]*instance.Profile, error) {
	var all []*instance.Profile
	for _, name := range files {
		f, err := openPath(name)
		if err != nil {
			return nil, usage(err)
		}
		ps, err := profiles.Decode(f)
		f.Close()
		if err != nil {
			return nil, invalid(name, "a valid profile file", err)
		}
		all = append(all, ps...)
	}
	return all, nil
}
