// Package study contains the commands that run many plans: study, its report, and
// replay.
package study

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"jigsaw/cmd/jigsaw/cli"
	"jigsaw/study/store"
	"jigsaw/study/sweep"
)

// New returns the command study.
func New(std cli.Streams) *cobra.Command {
	c := &cobra.Command{
		Use:   "study",
		Short: "Plan many instances and compare: sweeps over clusters, jobs and rules",
		Long: `Plan the cells of a study, sweeps over clusters, links, memory, job mixes of the
profile library, SPB rules, objectives and methods, and keep a row for each in
one file.

STUDY is a study file (YAML or JSON), "-" for standard input, or the name of a
built-in study (jigsaw study list). A study has mixes of jobs, methods of planning
and sweeps; a sweep is the product of its axes, which come from the sweep, from
base, or are

  clusters          racks x nodes x GPUs, like [1x8x8]; there is no default
  gpus              [v100]           GPU types of the profile library
  speeds            [1]              relative to the GPU that was profiled
  memory            [32GiB]          of a GPU
  residence         [plan]           run: jobs of hours are in memory only while they run
  nic, fabric       [100Gbit/s], [1200Gbit/s]
  oversubscription  [1]              of the racks' uplinks
  mixes, methods    all
  load              [2]              workers of all jobs per GPU
  workers           [0]              of every job; 0 leaves it to the mix
  spb               [{rule: ladder, cuts: 4}]
  objectives        [makespan]
  seeds             [1]

or, with sample: {cells: 100, seed: 1}, a part of it. "jigsaw study show smoke"
is one to start from.`,
		Example: `  jigsaw study show smoke > mine.yaml
  jigsaw study run mine.yaml --db mine.db
  jigsaw report mine.db --file mine.html
  jigsaw study export mine.db -o csv`,
	}
	c.AddCommand(newStudyRun(std), newStudyMerge(std), newStudyExport(std), newStudyInstance(std), newStudySubmit(std), newStudyList(std), newStudyShow(std))
	return c
}

// loadStudy reads the study named on the command line.
func loadStudy(name string, std cli.Streams) (*sweep.Study, error) {
	data, err := readStudy(name, std)
	if err != nil {
		return nil, err
	}
	study, err := sweep.Decode(data)
	if err != nil {
		return nil, cli.Invalid(name, "a valid study", err)
	}
	return study, nil
}

func readStudy(name string, std cli.Streams) ([]byte, error) {
	data, err := cli.ReadFile(name, std)
	if err == nil {
		return data, nil
	}
	if !cli.IsElsewhere(err) {
		return nil, cli.Usage(err)
	}
	builtins, builtinErr := sweep.Builtins()
	if builtinErr != nil {
		return nil, builtinErr
	}
	var known []string
	for _, b := range builtins {
		if b.Name == name {
			return b.Data, nil
		}
		known = append(known, b.Name)
	}
	if errors.Is(err, cli.ErrFolder) {
		return nil, cli.Usage(err)
	}
	return nil, cli.Usage(fmt.Errorf("there is no file %q, nor a built-in study of that name; they are %s", name, strings.Join(known, ", ")))
}

// completeStudy offers the built-in studies in addition to the files of the
// folder.
func completeStudy(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	builtins, err := sweep.Builtins()
	if err != nil || len(args) > 0 {
		return nil, cobra.ShellCompDirectiveDefault
	}
	var names []cobra.Completion
	for _, b := range builtins {
		names = append(names, b.Name)
	}
	return names, cobra.ShellCompDirectiveDefault
}

// openStudy opens a study's results and reads the study they belong to.
func openStudy(name string) (*store.Store, *sweep.Study, error) {
	db, err := store.Open(name)
	if err != nil {
		return nil, nil, cli.Usage(err)
	}
	study, err := sweep.Held(db)
	if err != nil {
		db.Close()
		return nil, nil, err
	}
	return db, study, nil
}

func newStudyList(std cli.Streams) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the built-in studies", Args: cli.ExactArgs(0),
		RunE: func(*cobra.Command, []string) error { return runStudyList(std) },
	}
}

func runStudyList(std cli.Streams) error {
	builtins, err := sweep.Builtins()
	if err != nil {
		return err
	}
	t := cli.Columns(std.Out)
	for _, b := range builtins {
		study, err := sweep.Decode(b.Data)
		if err != nil {
			return err
		}
		fmt.Fprintf(t, "%s\t%s\t%s\n", b.Name, cli.Count(len(study.Work(sweep.Program{}, sweep.Shard{})), "cell"), study.Question)
	}
	return t.Flush()
}

func newStudyShow(std cli.Streams) *cobra.Command {
	return &cobra.Command{
		Use: "show STUDY", Short: "Write a built-in study to standard output, to start from", Args: cli.ExactArgs(1),
		ValidArgsFunction: completeStudy,
		RunE: func(_ *cobra.Command, args []string) error {
			data, err := readStudy(args[0], std)
			if err == nil {
				_, err = std.Out.Write(data)
			}
			return err
		},
	}
}

type studyRunOptions struct {
	db       string
	shard    sweep.Shard
	parallel int
	list     bool
}

func newStudyRun(std cli.Streams) *cobra.Command {
	var o studyRunOptions
	c := &cobra.Command{
		Use:   "run STUDY",
		Short: "Plan the cells of a study that have not been planned yet",
		Long: `Plan the cells of a study and commit a row for each to a file. Cells that the
file holds are skipped: a run that was stopped, killed or cut off goes on where
it was, and a study that was extended plans only what is new. Cells that failed
are tried again. Results of another version of JigSaw do not count.

Shards, 0/8 to 7/8, divide a study among machines. Each has a file of its own;
"jigsaw study merge" unites them, "jigsaw study submit" writes the batch script.

Exit codes: 0 all cells planned, 1 some failed, 2 invalid input, 4 stopped.`,
		Example: `  jigsaw study run smoke --db smoke.db
  jigsaw study run paper --shard 0/8 --db paper-0.db`,
		Args:              cli.ExactArgs(1),
		ValidArgsFunction: completeStudy,
		RunE:              func(c *cobra.Command, args []string) error { return runStudy(c.Context(), args[0], o, std) },
	}
	f := c.Flags()
	f.StringVar(&o.db, "db", "", "keep the results in this `file`; default is the study's name and .db")
	f.Var(&o.shard, "shard", "plan only this part of the study; counted from 0")
	f.IntVar(&o.parallel, "parallel", 0, "how many cells to plan at a time; 0 is one per core")
	f.BoolVar(&o.list, "list", false, "list the cells and their keys, plan nothing")
	return c
}

func runStudy(ctx context.Context, name string, o studyRunOptions, std cli.Streams) (err error) {
	if o.parallel < 0 {
		return cli.Usage(fmt.Errorf("--parallel %d: choose 1 or more, or 0 for one per core", o.parallel))
	}
	study, err := loadStudy(name, std)
	if err != nil {
		return err
	}
	if o.list {
		return listCells(study, o.shard, std.Out)
	}
	if o.db == "" {
		o.db = study.Name + ".db"
	}
	db, err := store.Create(o.db)
	if err != nil {
		return cli.Usage(err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	show := newStudyProgress(std, study.Name)
	p, err := sweep.Run(ctx, study, db, sweep.Options{Shard: o.shard, Parallel: o.parallel, Progress: show.update})
	show.end()
	if p.Cells > 0 {
		std.Note("%s: %d of %s planned, %d of them before this run; %s", o.db, p.Done, cli.Count(p.Cells, "cell"), p.Held, inFailures(p.Failed))
	}
	switch {
	case ctx.Err() != nil && p.Done < p.Cells:
		return &cli.ExitError{Code: cli.ExitLimit, Err: errors.New("stopped; the same command goes on from here")}
	case err != nil && ctx.Err() == nil:
		return err
	case p.Failed > 0:
		return fmt.Errorf("%s failed: see the column reason of jigsaw study export %s", cli.Count(p.Failed, "cell"), o.db)
	}
	return nil
}

func inFailures(n int) string {
	if n == 0 {
		return "none failed"
	}
	return fmt.Sprintf("%d failed", n)
}

// listCells prints the cells in the order in which they would be planned.
func listCells(study *sweep.Study, shard sweep.Shard, w io.Writer) error {
	t := cli.Columns(w)
	program := sweep.ThisProgram()
	for _, c := range study.Work(program, shard) {
		fmt.Fprintf(t, "%s\t%v\t%s\tk %s\tload %v\t%s\tNIC %v\t%s\t%s\tseed %d\n", c.Key(program)[:12], c.Cluster, c.Mix.Name,
			sweep.AxisNamed("workers").Of(c), c.Load, sweep.RuleName(c.SPB), c.NIC, c.Objective, c.Method.Name, c.Seed)
	}
	return t.Flush()
}

func newStudyMerge(std cli.Streams) *cobra.Command {
	return &cobra.Command{
		Use:   "merge RESULT SHARD...",
		Short: "Merge the results of a study's shards into one file",
		Long: `Add the rows of each SHARD's file to RESULT, which is created if it does not exist.
The files have to be of one study and one version of JigSaw. Cells that are still
missing after the merge are reported; that is not an error.`,
		Example: "  jigsaw study merge paper.db paper-*.db",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) < 2 {
				return cli.Usage(fmt.Errorf("%s takes a file for the result and at least one shard's; usage: %s", cli.CommandName(c), c.UseLine()))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return runStudyMerge(args[0], args[1:], std) },
	}
}

func runStudyMerge(result string, shards []string, std cli.Streams) (err error) {
	for _, name := range shards { // before there is a result
		shard, err := store.Open(name)
		if err != nil {
			return cli.Usage(err)
		}
		if err := shard.Close(); err != nil {
			return err
		}
	}
	db, err := store.Create(result)
	if err != nil {
		return cli.Usage(err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	m, err := db.Merge(shards...)
	if err != nil {
		return err
	}
	study, err := sweep.Held(db)
	if err != nil {
		return err
	}
	_, missing, err := sweep.Lines(study, db)
	if err != nil {
		return err
	}
	std.Note("%s: %s added, %d known before; %s of the study missing", result, cli.Count(m.Added, "row"), m.Known, cli.Count(missing, "cell"))
	if len(m.Differing) > 0 {
		std.Note("note: %s came out differently in two files, and the first result stays; that is to be expected of methods with a time limit only: %s",
			cli.Count(len(m.Differing), "cell"), strings.Join(m.Differing, ", "))
	}
	return nil
}

type studyExportOptions struct {
	to       cli.Destination
	timeless bool
}

func newStudyExport(std cli.Streams) *cobra.Command {
	var o studyExportOptions
	c := &cobra.Command{
		Use:   "export RESULT",
		Short: "Write a study's rows as CSV or JSON Lines",
		Long: `Write a line for every cell of every sweep, in the study's order. Equal studies
give equal tables; --timeless=false adds when each plan was made and how long it took.`,
		Example: `  jigsaw study export paper.db -o csv > paper.csv
  jigsaw study export paper.db -o jsonl --file paper.jsonl`,
		Args: cli.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return runStudyExport(args[0], o, std) },
	}
	f := c.Flags()
	o.to.Flags(c, store.Formats()...)
	f.BoolVar(&o.timeless, "timeless", true, "leave out what differs between equal runs")
	return c
}

func runStudyExport(name string, o studyExportOptions, std cli.Streams) (err error) {
	if err := cli.CheckWritable([]string{name}, o.to.File); err != nil {
		return err
	}
	db, study, err := openStudy(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	lines, missing, err := sweep.Lines(study, db)
	if err != nil {
		return err
	}
	if missing > 0 {
		std.Note("note: %s not been planned yet", have(missing, "cell"))
	}
	return o.to.Write(std, func(w io.Writer) error {
		if !o.timeless {
			return store.Write(w, o.to.Chosen(), lines)
		}
		var timeless []store.Line
		for i := range lines {
			timeless = append(timeless, lines[i].Line)
		}
		return store.Write(w, o.to.Chosen(), timeless)
	})
}

// have writes a number of things with the matching form of have.
func have(n int, noun string) string {
	if n == 1 {
		return cli.Count(n, noun) + " has"
	}
	return cli.Count(n, noun) + " have"
}

func newStudyInstance(std cli.Streams) *cobra.Command {
	return &cobra.Command{
		Use:   "instance RESULT KEY",
		Short: "Write the instance of a cell, to plan it by itself",
		Long: `Write the instance of the cell whose key begins with KEY, with the command that
plans it as the study did.`,
		Example: "  jigsaw study instance smoke.db 3fc1 > cell.yaml",
		Args:    cli.ExactArgs(2),
		RunE:    func(_ *cobra.Command, args []string) error { return runStudyInstance(args[0], args[1], std) },
	}
}
