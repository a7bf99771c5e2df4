package submit_test

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"sigs.k8s.io/yaml"

	"jigsaw/study/submit"
)

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

// TestSlurmScript runs the script with a shell, in the place of Slurm, and looks
// at the arguments that its last line passes. A real Slurm is for
// scripts/test-slurm.
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

// TestKubernetesManifest reads the manifest with the types of Kubernetes' own
// API, fields that they do not have being errors, and holds it to what the API
// asks of indexed jobs.
func TestKubernetesManifest(t *testing.T) {
	j := job()
	j.Spec = []byte("version: 1\nname: Big_Study.v2\n# a | line, 'quotes'\n")
	documents := strings.Split(write(t, "kubernetes", j), "---\n")
	require.Len(t, documents, 3, "a comment, a config map and a job")

	var m core.ConfigMap
	require.NoError(t, yaml.UnmarshalStrict([]byte(documents[1]), &m))
	assert.Equal(t, "v1 ConfigMap", m.APIVersion+" "+m.Kind)
	assert.Equal(t, string(j.Spec), m.Data["study.yaml"])

	var b batch.Job
	require.NoError(t, yaml.UnmarshalStrict([]byte(documents[2]), &b))
	assert.Equal(t, "batch/v1 Job", b.APIVersion+" "+b.Kind)
	assert.Empty(t, validation.IsDNS1123Subdomain(b.Name), b.Name)
	assert.Empty(t, validation.IsDNS1123Subdomain(m.Name), m.Name)
	assert.Empty(t, validation.IsDNS1123Label(b.Name+"-99999"), "pods of an index have a name of at most 63 letters")
	for key, value := range b.Labels {
		assert.Empty(t, validation.IsQualifiedName(key), key)
		assert.Empty(t, validation.IsValidLabelValue(value), value)
	}
	require.Equal(t, batch.IndexedCompletion, *b.Spec.CompletionMode)
	assert.Equal(t, int32(12), *b.Spec.Completions)
	assert.Equal(t, int32(12), *b.Spec.Parallelism)
	require.NotNil(t, b.Spec.BackoffLimitPerIndex)
	assert.LessOrEqual(t, *b.Spec.MaxFailedIndexes, *b.Spec.Completions)
	pod := b.Spec.Template.Spec
	assert.Equal(t, core.RestartPolicyNever, pod.RestartPolicy, "a limit of retries for each index asks for it")
	assert.Equal(t, int64(5400), *pod.ActiveDeadlineSeconds)
	require.Len(t, pod.Containers, 1)
	c := pod.Containers[0]
	assert.Equal(t, []string{"/opt/it's/jigsaw", "study", "run", "/study/study.yaml", "--shard", "$(SHARD)/12", "--db", "/results/shared/my results/Big_Study.v2-$(SHARD).db"}, c.Command)
	assert.Equal(t, "4", c.Resources.Requests.Cpu().String())
	assert.Equal(t, "metadata.annotations['batch.kubernetes.io/job-completion-index']", c.Env[0].ValueFrom.FieldRef.FieldPath)
	volumes := map[string]bool{}
	for _, v := range pod.Volumes {
		volumes[v.Name] = true
		if v.ConfigMap != nil {
			assert.Equal(t, m.Name, v.ConfigMap.Name)
		} else {
			assert.Equal(t, "results", v.PersistentVolumeClaim.ClaimName)
		}
	}
	assert.Len(t, volumes, 2)
	for _, mount := range c.VolumeMounts {
		assert.True(t, volumes[mount.Name], mount.Name)
	}
}

// TestStrictDecoding: the check above would find a field that there is not.
func TestStrictDecoding(t *testing.T) {
	documents := strings.Split(write(t, "kubernetes", job()), "---\n")
	require.Len(t, documents, 2, "a built-in study needs no config map")
	var b batch.Job
	assert.Error(t, yaml.UnmarshalStrict([]byte(strings.Replace(documents[1], "completionMode", "completionsMode", 1)), &b))
	assert.Error(t, yaml.UnmarshalStrict([]byte(strings.Replace(documents[1], "completions: 12", "completions: many", 1)), &b))
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
