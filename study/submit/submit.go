package submit

import (
	"fmt"
	"io"
	"path"
	"regexp"
	"strings"
	"time"
)

// Job is the work to submit.
type Job struct {
	// Name of the study.
	Name string
	// Study as the tasks refer to it: a file, or the name of a built-in study.
	Study string
	// Spec is the study file, which is included in a Kubernetes job. Empty for a
	// built-in study.
	Spec []byte
	// Shards that the study is divided into.
	Shards int
	// Folder that all tasks share, for the results.
	Folder string
	// CPUs of a task.
	CPUs int
	// Time limit of a task; 0 is the engine's default.
	Time time.Duration
	// Program is the jigsaw to run; for Kubernetes, within the image.
	Program string

	// Image and Claim are Kubernetes' container image and persistent volume claim.
	Image, Claim string
}

// Engines that [Write] knows.
func Engines() []string { return []string{"slurm", "kubernetes"} }

// Write writes the batch script or the manifest.
func Write(w io.Writer, engine string, j Job) error {
	if err := j.check(engine); err != nil {
		return err
	}
	text := j.slurm()
	if engine == "kubernetes" {
		var err error
		if text, err = j.kubernetes(); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, text)
	return err
}

// maxShards is the largest number that Kubernetes permits with a limit on
// retries for each index.
const maxShards = 100_000

func (j *Job) check(engine string) error {
	switch {
	case engine != "slurm" && engine != "kubernetes":
		return fmt.Errorf("submit: unknown engine %q; choose slurm or kubernetes", engine)
	case j.Shards < 1 || j.Shards > maxShards:
		return fmt.Errorf("submit: %d shards; choose 1 to %d", j.Shards, maxShards)
	case j.CPUs < 1:
		return fmt.Errorf("submit: %d CPUs; a task needs at least 1", j.CPUs)
	case j.Time < 0:
		return fmt.Errorf("submit: a time limit of %v; choose a positive one, or 0 for the engine's own", j.Time)
	case strings.ContainsAny(j.Folder+j.Study+j.Program, "\n\x00"):
		return fmt.Errorf("submit: the names of files must not have line breaks")
	case engine == "kubernetes" && (j.Image == "" || j.Claim == ""):
		return fmt.Errorf("submit: Kubernetes needs an image that has jigsaw and a persistent volume claim for the results; give --image and --claim")
	case engine == "kubernetes" && len(j.Spec) > maxSpec:
		return fmt.Errorf("submit: the study file has %d bytes; a config map holds %d: put it on the volume and write the manifest from there", len(j.Spec), maxSpec)
	}
	return nil
}

// result is the file of a task, with the index as the engine writes it.
func (j *Job) result(index string) string { return path.Join(j.Folder, j.Name+"-"+index+".db") }

var plain = regexp.MustCompile(`^[A-Za-z0-9_./:@%+,-]+$`)

// quote quotes a word for a shell.
func quote(s string) string {
	if plain.MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
