package cli

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"jigsaw"
	"jigsaw/formulation/instance"
	"jigsaw/formulation/instance/codec"
	"jigsaw/formulation/instance/profiles"
)

// InstanceFlags are the flags of every command that reads an instance.
type InstanceFlags struct {
	Profiles  []string
	estimates []string
	Objective string
	deadlines Moment
	// Begun is when the plan begins, for --deadlines; zero: not known.
	Begun time.Time

	// Unnamed says that the instance that was read has its name from its file.
	Unnamed bool
	// Document is what was read, and models the source of its models.
	Document *codec.Document
	Models   instance.ProfileSource
	// Beside, if not nil, reads the jobs to be added to those of an instance: they may also run the
	// models that --estimate is for.
	Beside func(*instance.Spec) ([]instance.JobSpec, error)
	extra  []*instance.Profile // named or requested by flags
}

// Flags adds the flags to a command.
func (o *InstanceFlags) Flags(c *cobra.Command) {
	ProfileFlag(c, &o.Profiles)
	c.Flags().StringArrayVar(&o.estimates, "estimate", nil, "estimate the profile of a model that jobs run, for the cluster's GPUs, from its `MODEL=config.json`; options may follow: ,sequence=4096,precision=bf16,attention=eager,mfu=40%,checkpointing (repeatable)")
	c.Flags().StringVar(&o.Objective, "objective", "", "replace the instance's objective: "+strings.Join(objectiveNames(), ", "))
	c.Flags().Var(&o.deadlines, "deadlines", "deadline, like 12h, of jobs that have none of their own; a `time` of the clock, like 08:00, if it is known when the plan begins; with --objective weighted_completion each job then ends as early as it can")
	_ = c.RegisterFlagCompletionFunc("objective", cobra.FixedCompletions(objectiveNames(), cobra.ShellCompDirectiveNoFileComp))
	c.ValidArgsFunction = CompleteInstance
}

// ProfileFlag adds the flag for profile files to a command.
func ProfileFlag(c *cobra.Command, files *[]string) {
	c.Flags().StringArrayVar(files, "profiles", nil, "a profile file to use besides the library (repeatable)")
}

func objectiveNames() (names []cobra.Completion) {
	for _, o := range instance.Objectives() {
		names = append(names, string(o))
	}
	return names
}

// CompleteInstance offers the examples in addition to the files of the folder.
func CompleteInstance(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
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

// Files lists what a command reads and therefore must not overwrite.
func (o *InstanceFlags) Files(names ...string) []string { return slices.Concat(names, o.Profiles) }

// Load reads and compiles the instance named on the command line.
func (o *InstanceFlags) Load(name string, std Streams) (*instance.Instance, error) {
	document, models, err := o.ReadDocument(name, std)
	if err != nil {
		return nil, err
	}
	in, err := document.Compile(models)
	if err != nil {
		return nil, Invalid(name, "a valid instance", err)
	}
	return in, nil
}

// ReadDocument reads the instance named on the command line, and returns the source of its
// models.
func (o *InstanceFlags) ReadDocument(name string, std Streams) (*codec.Document, instance.ProfileSource, error) {
	if err := o.CheckObjective(); err != nil {
		return nil, nil, err
	}
	file, err := open(name, std)
	if err != nil {
		return nil, nil, err
	}
	document, err := codec.DecodeSpec(file)
	file.Close()
	if err != nil {
		return nil, nil, Invalid(name, "a valid instance", err)
	}
	if err := o.Override(document.Spec, name); err != nil {
		return nil, nil, err
	}
	models, err := o.ModelsOf(document.Spec, std)
	if err != nil {
		return nil, nil, err
	}
	o.Document, o.Models = document, models
	return document, models, nil
}

// Override names an unnamed instance after its file, and applies the flags that replace parts of
// the instance.
func (o *InstanceFlags) Override(spec *instance.Spec, file string) error {
	if o.Unnamed = spec.Name == ""; o.Unnamed {
		spec.Name = Stem(file)
	}
	if o.Objective != "" {
		spec.Objective = instance.Objective(o.Objective)
	}
	if o.deadlines.text == "" {
		return nil
	}
	if spec.Objective.Periodic() {
		return Usage(fmt.Errorf("a plan for %s repeats: --deadlines has no meaning", spec.Objective))
	}
	by, err := o.deadlines.After(o.Begun)
	if err != nil {
		return Usage(fmt.Errorf("--deadlines %w", err))
	}
	if by <= 0 {
		return Usage(fmt.Errorf("--deadlines %s: it counts from when the plan begins, and must be later", &o.deadlines))
	}
	for j := range spec.Jobs {
		if spec.Jobs[j].Deadline == 0 {
			spec.Jobs[j].Deadline = instance.Duration(by)
		}
	}
	return nil
}

// Stem is the name of a file without its folder and extension, and without that of gzip.
func Stem(file string) string {
	base := strings.TrimSuffix(filepath.Base(file), ".gz")
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// ModelsOf returns the source of the models of an instance: files of profiles, estimates, and the
// library.
func (o *InstanceFlags) ModelsOf(spec *instance.Spec, std Streams) (instance.ProfileSource, error) {
	extra, err := ReadProfiles(o.Profiles)
	if err != nil {
		return nil, err
	}
	if o.Beside != nil {
		more, err := o.Beside(spec)
		if err != nil {
			return nil, err
		}
		whole := *spec
		whole.Jobs = slices.Concat(spec.Jobs, more)
		spec = &whole
	}
	estimated, err := o.estimated(spec, std)
	if err != nil {
		return nil, err
	}
	o.extra = append(extra, estimated...)
	models, err := jigsaw.Models(o.extra...)
	if err != nil {
		return nil, Usage(err)
	}
	return models, nil
}

// WriteInstance writes an instance with all profiles of its jobs that are not in the library:
// including those from --profiles and --estimate for which it has none of its own.
func (o *InstanceFlags) WriteInstance(name string, spec *instance.Spec) error {
	return WriteFile(name, func(w io.Writer) error { return o.EncodeInstance(w, spec) })
}

// EncodeInstance is [InstanceFlags.WriteInstance] without a file.
func (o *InstanceFlags) EncodeInstance(w io.Writer, spec *instance.Spec) error {
	whole := *spec
	whole.Profiles = slices.Clone(spec.Profiles)
	for _, p := range o.extra {
		own := slices.ContainsFunc(spec.Profiles, func(q *instance.Profile) bool { return q.Model == p.Model })
		if !own && slices.ContainsFunc(spec.Jobs, func(j instance.JobSpec) bool { return j.Model == p.Model }) {
			whole.Profiles = append(whole.Profiles, p)
		}
	}
	return codec.EncodeYAML(w, &whole)
}

// CheckObjective rejects an unknown --objective.
func (o *InstanceFlags) CheckObjective() error {
	if o.Objective != "" && !slices.Contains(objectiveNames(), o.Objective) {
		return Usage(fmt.Errorf("--objective %q: choose %s", o.Objective, strings.Join(objectiveNames(), ", ")))
	}
	return nil
}

// Invalid says that a file is not valid, with every problem in it.
func Invalid(name, what string, err error) error {
	if name == "-" {
		name = "standard input"
	}
	var problems instance.Problems
	if !errors.As(err, &problems) {
		return Usage(fmt.Errorf("%s: %w", name, Unprefixed(err)))
	}
	if other := lookalike(problems); other != "" {
		return Usage(fmt.Errorf("%s is not %s: it looks like %s", name, what, other))
	}
	lines := make([]string, len(problems))
	for i, p := range problems {
		lines[i] = fmt.Sprintf("  %s", p)
	}
	return Usage(fmt.Errorf("%s is not %s:\n%s", name, what, strings.Join(lines, "\n")))
}

// Refused is [Invalid] for problems of a document, with their positions; other errors are returned
// unchanged.
func Refused(document *codec.Document, name, what string, err error) error {
	var problems instance.Problems
	if !errors.As(err, &problems) {
		return err
	}
	document.Locate(problems)
	return Invalid(name, what, problems)
}

const aTrace = "a trace whose first line does not tell its format; with --format NAME the error says what it lacks"

// lookalike says what kind of file it was instead, identified by a key that no other kind has;
// empty if there is no such key.
func lookalike(problems instance.Problems) string {
	for _, kind := range []struct{ key, name string }{
		// Before instances: the Philly trace has a column cluster.
		{"duration", aTrace}, {"submit_time", aTrace}, {"num_gpus", aTrace},
		{"denominator", "a certificate"}, {"background_rate", "a plan of burst-parallel jobs"}, {"schema_version", "a plan"}, {"residency", "a schedule"}, {"cluster", "an instance"},
	} {
		if slices.ContainsFunc(problems, func(p instance.Problem) bool { return slices.Contains(p.Unknown, kind.key) }) {
			return kind.name
		}
	}
	return ""
}

// OpenFile returns the content of a file, or of standard input, decompressed if it is gzip.
func OpenFile(name string, std Streams) (io.ReadCloser, error) {
	if name == "-" {
		return unpacked("standard input", io.NopCloser(std.In))
	}
	return OpenPath(name)
}

// ReadFile reads all of what [OpenFile] opens.
func ReadFile(name string, std Streams) ([]byte, error) {
	file, err := OpenFile(name, std)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(file)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read: %w", name, err)
	}
	return data, nil
}

// unpacked decompresses gzip, which torch.profiler uses for traces, and returns everything else
// unchanged, but for the byte order mark that some editors write, and lines that end in a carriage
// return alone, as some spreadsheets write them.
func unpacked(name string, file io.ReadCloser) (io.ReadCloser, error) {
	b := bufio.NewReader(file)
	if magic, _ := b.Peek(2); string(magic) == "\x1f\x8b" {
		z, err := gzip.NewReader(b)
		if err != nil {
			file.Close()
			return nil, fmt.Errorf("%s cannot be unpacked: %w", name, err)
		}
		b = bufio.NewReader(z)
	}
	mark, _ := b.Peek(3)
	switch {
	case string(mark) == "\uFEFF":
		_, _ = b.Discard(len(mark))
	case bytes.HasPrefix(mark, []byte("\xff\xfe")) || bytes.HasPrefix(mark, []byte("\xfe\xff")):
		file.Close()
		return nil, fmt.Errorf("%s is UTF-16; save it as UTF-8", name)
	}
	var content io.Reader = b
	head, _ := b.Peek(b.Size())
	if line, rest, _ := bytes.Cut(head, []byte("\r")); len(rest) > 0 && rest[0] != '\n' && !bytes.Contains(line, []byte("\n")) {
		content = carriageReturns{b}
	}
	return struct {
		io.Reader
		io.Closer
	}{content, file}, nil
}

// carriageReturns reads them as ends of lines.
type carriageReturns struct{ io.Reader }

func (r carriageReturns) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	for i := range p[:n] {
		if p[i] == '\r' {
			p[i] = '\n'
		}
	}
	return n, err
}

// OpenPath returns the content of a file that is not a folder, decompressed if it is gzip.
func OpenPath(name string) (io.ReadCloser, error) {
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
		return nil, fmt.Errorf("%s %w; give a file", name, ErrFolder)
	}
	return unpacked(name, file)
}

// ErrFolder is the error for the name of a folder.
var ErrFolder = errors.New("is a folder")

var errNoFile = errors.New("there is no file")

// IsElsewhere reports whether a name that is not that of a file may be built in.
func IsElsewhere(err error) bool { return errors.Is(err, errNoFile) || errors.Is(err, ErrFolder) }

// open returns the content of a file, of standard input, or of an example.
func open(name string, std Streams) (io.ReadCloser, error) {
	file, err := OpenFile(name, std)
	if err == nil {
		return file, nil
	}
	if !IsElsewhere(err) {
		return nil, Usage(err)
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
	if errors.Is(err, ErrFolder) {
		return nil, Usage(err)
	}
	return nil, Usage(fmt.Errorf("there is no file %q, nor an example of that name%s", name,
		instance.DidYouMean(name, known, "; the examples are "+strings.Join(known, ", "))))
}

// ReadProfiles reads files of profiles, one after the other.
func ReadProfiles(files []string) ([]*instance.Profile, error) {
	var all []*instance.Profile
	for _, name := range files {
		f, err := OpenPath(name)
		if err != nil {
			return nil, Usage(err)
		}
		ps, err := profiles.Decode(f)
		f.Close()
		if err != nil {
			return nil, Invalid(name, "a valid profile file", err)
		}
		all = append(all, ps...)
	}
	return all, nil
}

// LoadLibrary returns the built-in library with the profiles of files added.
func LoadLibrary(files []string) (*profiles.Library, error) {
	extra, err := ReadProfiles(files)
	if err != nil {
		return nil, err
	}
	library, err := jigsaw.Profiles(extra...)
	if err != nil {
		return nil, Usage(err)
	}
	return library, nil
}
