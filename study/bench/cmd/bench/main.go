// Command bench measures JigSaw and other solvers on generated instances; see
// study/bench/README.md.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"jigsaw/formulation/instance"
	"jigsaw/method"
	"jigsaw/study/bench"
	"jigsaw/study/bench/classical"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	root := &cobra.Command{Use: "bench", Short: "Measure JigSaw and other solvers on generated instances", SilenceUsage: true}
	root.AddCommand(newRun(), newPeers(), newTable(), newAblation(), newGroups(), newClassical(), newGenerate(), newChild())
	if err := root.ExecuteContext(ctx); err != nil {
		os.Exit(1)
	}
}

// selection adds the flags that select rows.
func selection(c *cobra.Command, p *bench.Plan) {
	f := c.Flags()
	f.StringSliceVar(&p.Sizes, "sizes", nil, "sizes, like tiny,small; all if empty")
	f.Uint64Var(&p.Seeds, "seeds", 5, "seeds 1 to this")
	var regimes, objectives []string
	f.StringSliceVar(&regimes, "regimes", nil, "regimes, like area,crossing; all if empty")
	f.StringSliceVar(&objectives, "objectives", nil, "objectives, like makespan; all if empty")
	c.PreRun = func(*cobra.Command, []string) {
		for _, r := range regimes {
			p.Regimes = append(p.Regimes, bench.Regime(r))
		}
		for _, o := range objectives {
			p.Objectives = append(p.Objectives, instance.Objective(o))
		}
	}
}

// running adds the flags of a run.
func running(c *cobra.Command, p *bench.Plan, out string) {
	selection(c, p)
	f := c.Flags()
	f.DurationVar(&p.Limit, "limit", 0, "time of every row, like 60s; 0 is that of its size")
	f.StringVar(&p.Out, "out", out, "file of JSON Lines that records are appended to; rows that it holds are skipped")
	f.BoolVar(&p.Again, "again", false, "measure rows that the file holds, too")
	f.BoolVar(&p.Strict, "strict", false, "exit with an error if a row failed")
}

func newRun() *cobra.Command {
	p := bench.Plan{Log: os.Stderr}
	var without []string
	c := &cobra.Command{Use: "run", Short: "Measure JigSaw", Args: cobra.NoArgs, RunE: func(c *cobra.Command, _ []string) error {
		var err error
		if p.Without, err = method.Parse(without); err != nil {
			return err
		}
		self, err := os.Executable()
		if err != nil {
			return err
		}
		return p.Run(c.Context(), self)
	}}
	running(c, &p, "study/bench/results/jigsaw.jsonl")
	f := c.Flags()
	f.IntVar(&p.Work, "work", 0, "plan without a clock, by so many times the usual work; 0 is by the time limit")
	f.StringSliceVar(&without, "without", nil, "methods to switch off, of "+strings.Join(method.Names(), ", "))
	return c
}

func newPeers() *cobra.Command {
	p := bench.Peers{Plan: bench.Plan{Log: os.Stderr}}
	c := &cobra.Command{Use: "peers", Short: "Measure other solvers", Args: cobra.NoArgs, RunE: func(c *cobra.Command, _ []string) error {
		return p.Run(c.Context())
	}}
	running(c, &p.Plan, "study/bench/results/peers.jsonl")
	f := c.Flags()
	f.StringSliceVar(&p.Solvers, "solvers", bench.PeerSolvers(), "solvers to measure")
	f.StringVar(&p.JigSaw, "jigsaw", "bin/jigsaw", "the jigsaw command, which writes the models")
	f.StringVar(&p.Python, "python", "bin/peers/bin/python", "Python with the solvers")
	f.StringVar(&p.Scripts, "scripts", "study/bench/peers", "folder of the Python scripts")
	f.StringVar(&p.Work, "work", "bin/peers/work", "folder for models and solutions")
	return c
}

func newTable() *cobra.Command {
	return &cobra.Command{Use: "table FILE...", Short: "Write the tables of results, next to the first file", Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, files []string) error {
			records, err := bench.Read(files...)
			if err != nil {
				return err
			}
			if err := bench.Comparable(records); err != nil {
				return err
			}
			base := strings.TrimSuffix(files[0], filepath.Ext(files[0]))
			if err := write(base+".md", func(w io.Writer) { bench.Table(w, records) }); err != nil {
				return err
			}
			for i := range records {
				if records[i].Solver != bench.JigSaw {
					return write(base+"-peers.md", func(w io.Writer) { bench.PeerTable(w, records) })
				}
			}
			return nil
		}}
}

func newAblation() *cobra.Command {
	return &cobra.Command{Use: "ablation FILE...", Short: "Print what methods are worth, from runs with and without them", Args: cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, files []string) error {
			records, err := bench.Read(files...)
			if err != nil {
				return err
			}
			return bench.Ablation(c.OutOrStdout(), records)
		}}
}

func newGroups() *cobra.Command {
	var g bench.GroupStudy
	c := &cobra.Command{Use: "groups ROW", Short: "Print where the gap of a plan of many nodes comes from, by planning groups of its nodes alone", Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) (err error) {
			if g.Row, err = bench.ParseRow(args[0]); err != nil {
				return err
			}
			return g.Run(c.Context(), c.OutOrStdout())
		}}
	f := c.Flags()
	f.DurationVar(&g.Limit, "limit", time.Minute, "time of the whole plan")
	f.DurationVar(&g.Each, "each", 20*time.Second, "time of each group")
	f.IntVar(&g.Count, "count", 12, "groups to plan alone")
	return c
}

func write(name string, f func(io.Writer)) error {
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	f(file)
	return file.Close()
}

func newGenerate() *cobra.Command {
	p := bench.Plan{}
	var out string
	c := &cobra.Command{Use: "generate", Short: "Write instances as files that jigsaw reads", Args: cobra.NoArgs, RunE: func(*cobra.Command, []string) error {
		rows, err := p.Rows()
		if err != nil {
			return err
		}
		if err := os.MkdirAll(out, 0o755); err != nil {
			return err
		}
		for _, row := range rows {
			if err := bench.WriteFiles(out, row); err != nil {
				return err
			}
		}
		return nil
	}}
	selection(c, &p)
	c.Flags().StringVar(&out, "out", "bin/bench-instances", "folder")
	return c
}

func newClassical() *cobra.Command {
	r := classical.Run{Log: os.Stderr}
	var data string
	var families []string
	c := &cobra.Command{Use: "classical", Short: "Measure JigSaw on published instances with known optima", Args: cobra.NoArgs, RunE: func(c *cobra.Command, _ []string) error {
		r.Data = filepath.Join(data, "instances.jsonl")
		for _, f := range families {
			r.Families = append(r.Families, classical.Family(f))
		}
		if err := r.Run(c.Context()); err != nil {
			return err
		}
		records, err := classical.ReadRecords(r.Out)
		if err != nil || len(records) == 0 {
			return err
		}
		base := strings.TrimSuffix(r.Out, filepath.Ext(r.Out))
		return write(base+".md", func(w io.Writer) { classical.Table(w, records) })
	}}
	f := c.Flags()
	f.StringVar(&data, "data", "../shared/data/classical", "folder of instances.jsonl; where it is absent nothing is measured")
	f.StringArrayVar(&families, "family", nil, "a family, like 'R||Cmax'; may be repeated; all if none is given")
	f.DurationVar(&r.Limit, "limit", 10*time.Second, "time of every row")
	f.Uint64Var(&r.Seed, "seed", 0, "seed of the plans")
	f.StringVar(&r.Out, "out", "study/bench/results/classical.jsonl", "file of JSON Lines that records are appended to; rows that it holds are skipped. The table goes beside it")
	f.BoolVar(&r.Again, "again", false, "measure rows that the file holds, too")
	return c
}

// newChild returns the command that a run calls as a child process.
func newChild() *cobra.Command {
	return &cobra.Command{Use: "child ROW LIMIT WORK WITHOUT", Short: "Measure one row in this process", Args: cobra.ExactArgs(4), Hidden: true,
		RunE: func(c *cobra.Command, args []string) error {
			row, err := bench.ParseRow(args[0])
			if err != nil {
				return err
			}
			way, err := bench.ParseWay(args[1:])
			if err != nil {
				return err
			}
			return bench.Child(c.Context(), os.Stdout, row, way)
		}}
}
