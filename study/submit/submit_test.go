package submit_test

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"jigsaw/study/submit"
)

var update = flag.Bool("update", false, "write the golden manifests anew")

func job() submit.Job {
	return submit.Job{
		Name: "Big_Study.v2", Study: "mine.yaml", Shards: 12, Folder: "/shared/my results", CPUs: 4, Time: 90 * time.Minute,
		Program: "/opt/it's/jigsaw", Image: "registry/jigsaw:1", Claim: "results",
	}
}

func write(t *testing.T, engine string, j submit.Job) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, submit.Write(&b, engine, j))
	return b.String()
}

// TestSlurmScript runs the script with a shell, in place of Slurm, and checks
// the arguments that its last line passes. scripts/test-slurm uses a real Slurm.
func TestSlurmScript(t *testing.T) {
	shell, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash here")
	}
	j := job()
	j.Program = t.TempDir() + "/it's jigsaw"
	require.NoError(t, os.WriteFile(j.Program, []byte("#!/bin/sh\nprintf '%s\\n' \"$GOMAXPROCS\" \"$@\"\n"), 0o755))
	script := write(t, "slurm", j)
	for _, line := range []string{"#SBATCH --job-name=Big_Study.v2\n", "#SBATCH --array=0-11\n", "#SBATCH --cpus-per-task=4\n", "#SBATCH --time=90\n"} {
		assert.Contains(t, script, line)
	}
	command := exec.Command(shell, "-s")
	command.Stdin = strings.NewReader(script)
	command.Env = append(os.Environ(), "SLURM_ARRAY_TASK_ID=3", "SLURM_ARRAY_TASK_COUNT=1", "SLURM_ARRAY_TASK_MIN=3", "SLURM_CPUS_PER_TASK=5")
	out, err := command.Output()
	require.NoError(t, err)
	assert.Equal(t, "5\nstudy\nrun\nmine.yaml\n--shard\n3/12\n--db\n/shared/my results/Big_Study.v2-3.db\n", string(out),
		"the number of shards is that of the study, also where one task runs again")
}

// TestKubernetesManifest compares the manifests with files that Kubernetes' own Go types
// (k8s.io/api v0.37.2, with unknown fields as errors, and the API's checks of names) have
// accepted. Check changes to one against the API's reference: apply it with kubectl
// --dry-run=server --validate=strict.
func TestKubernetesManifest(t *testing.T) {
	own := job()
	own.Spec = []byte("version: 1\nname: Big_Study.v2\n# a | line, 'quotes'\n")
	for name, j := range map[string]submit.Job{"own-study": own, "built-in": job()} {
		file := filepath.Join("testdata", name+".yaml")
		got := write(t, "kubernetes", j)
		if *update {
			require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
		}
		want, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.Equal(t, string(want), got)
		for _, document := range strings.Split(got, "---\n") {
			assert.NoError(t, yaml.Unmarshal([]byte(document), &map[string]any{}))
		}
	}
}

func TestRefusals(t *testing.T) {
	for want, change := range map[string]func(*submit.Job){
		"0 shards; choose 1":                     func(j *submit.Job) { j.Shards = 0 },
		"at least 1":                             func(j *submit.Job) { j.CPUs = 0 },
		"a time limit of -1s":                    func(j *submit.Job) { j.Time = -time.Second },
		"must not have line breaks":              func(j *submit.Job) { j.Folder = "a\nb" },
		"give --image and --claim":               func(j *submit.Job) { j.Claim = "" },
		"put it on the volume and write the man": func(j *submit.Job) { j.Spec = make([]byte, 2_000_000) },
	} {
		j := job()
		change(&j)
		assert.ErrorContains(t, submit.Write(&bytes.Buffer{}, "kubernetes", j), want)
	}
	assert.ErrorContains(t, submit.Write(&bytes.Buffer{}, "pbs", job()), "choose slurm or kubernetes")
}
