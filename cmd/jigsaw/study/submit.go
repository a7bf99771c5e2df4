package study

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"jigsaw/cmd/jigsaw/cli"
	"jigsaw/study/submit"
	"jigsaw/study/sweep"
)

type studySubmitOptions struct {
	engine, folder, program, image, claim string
	to                                    cli.Destination

	shards, cpus int
	time         time.Duration
}

func newStudySubmit(std cli.Streams) *cobra.Command {
	var o studySubmitOptions
	c := &cobra.Command{
		Use:   "submit STUDY",
		Short: "Write the script that runs a study's shards on Slurm or Kubernetes",
		Long: `Write the batch script of a Slurm job array, or the manifest of an indexed job
of Kubernetes, that runs a study in shards. Nothing is submitted.

Every shard keeps its results in a file of its own in --folder, which all
machines share; with Kubernetes, a folder of the claimed volume. A shard that was
killed continues where it stopped when it is submitted again.`,
		Example: `  jigsaw study submit paper --engine slurm --shards 8 --folder /shared/paper > paper.sbatch
  jigsaw study submit mine.yaml --engine kubernetes --shards 8 --image registry/jigsaw:1 --claim results > mine.job.yaml`,
		Args:              cli.ExactArgs(1),
		ValidArgsFunction: completeStudy,
		RunE:              func(_ *cobra.Command, args []string) error { return runStudySubmit(args[0], o, std) },
	}
	f := c.Flags()
	f.StringVar(&o.engine, "engine", "slurm", "what runs the shards: "+strings.Join(submit.Engines(), " or "))
	f.IntVar(&o.shards, "shards", 8, "how many shards")
	f.StringVar(&o.folder, "folder", ".", "folder for the results, which all machines share")
	f.IntVar(&o.cpus, "cpus", 2, "CPUs of a shard")
	f.DurationVar(&o.time, "time", 0, "time limit of a shard, like 2h; 0 is the engine's own")
	f.StringVar(&o.program, "program", "jigsaw", "path of jigsaw on the machines, or in the image")
	f.StringVar(&o.image, "image", "", "container image that has jigsaw (Kubernetes)")
	f.StringVar(&o.claim, "claim", "", "persistent volume claim for the results (Kubernetes)")
	o.to.FileFlag(c)
	_ = c.RegisterFlagCompletionFunc("engine", cobra.FixedCompletions(submit.Engines(), cobra.ShellCompDirectiveNoFileComp))
	return c
}

func runStudySubmit(name string, o studySubmitOptions, std cli.Streams) error {
	if err := cli.CheckWritable([]string{name}, o.to.File); err != nil {
		return err
	}
	study, err := loadStudy(name, std)
	if err != nil {
		return err
	}
	if name == "-" {
		return cli.Usage(errors.New("the machines cannot read this standard input: give the study as a file"))
	}
	job := submit.Job{
		Name: study.Name, Study: name, Shards: o.shards, Folder: o.folder, CPUs: o.cpus, Time: o.time,
		Program: o.program, Image: o.image, Claim: o.claim,
	}
	builtins, err := sweep.Builtins()
	if err != nil {
		return err
	}
	job.Spec = study.Data
	for _, b := range builtins {
		if bytes.Equal(b.Data, study.Data) { // the machines have it, too
			job.Study, job.Spec = b.Name, nil
		}
	}
	if err := o.to.Write(std, func(w io.Writer) error { return submit.Write(w, o.engine, job) }); err != nil {
		return cli.Usage(err)
	}
	return nil
}
