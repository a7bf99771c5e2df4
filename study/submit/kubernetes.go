package submit

import (
	"fmt"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// maxSpec keeps a study file within the limit of a config map, 1 MiB.
const maxSpec = 1_000_000

// The parts of Kubernetes' objects that are written; fields as in the API.
type (
	meta struct {
		Name   string            `yaml:"name,omitempty"`
		Labels map[string]string `yaml:"labels,omitempty"`
	}
	configMap struct {
		APIVersion string            `yaml:"apiVersion"`
		Kind       string            `yaml:"kind"`
		Metadata   meta              `yaml:"metadata"`
		Data       map[string]string `yaml:"data"`
	}
	indexedJob struct {
		APIVersion string  `yaml:"apiVersion"`
		Kind       string  `yaml:"kind"`
		Metadata   meta    `yaml:"metadata"`
		Spec       jobSpec `yaml:"spec"`
	}
	jobSpec struct {
		CompletionMode       string   `yaml:"completionMode"`
		Completions          int      `yaml:"completions"`
		Parallelism          int      `yaml:"parallelism"`
		BackoffLimitPerIndex int      `yaml:"backoffLimitPerIndex"`
		MaxFailedIndexes     int      `yaml:"maxFailedIndexes"`
		Template             template `yaml:"template"`
	}
	template struct {
		Metadata meta    `yaml:"metadata"`
		Spec     podSpec `yaml:"spec"`
	}
	podSpec struct {
		RestartPolicy         string      `yaml:"restartPolicy"`
		ActiveDeadlineSeconds int64       `yaml:"activeDeadlineSeconds,omitempty"`
		Containers            []container `yaml:"containers"`
		Volumes               []volume    `yaml:"volumes"`
	}
	container struct {
		Name         string    `yaml:"name"`
		Image        string    `yaml:"image"`
		Command      []string  `yaml:"command,flow"`
		Env          []env     `yaml:"env"`
		Resources    resources `yaml:"resources"`
		VolumeMounts []mount   `yaml:"volumeMounts"`
	}
	env struct {
		Name      string     `yaml:"name"`
		Value     string     `yaml:"value,omitempty"`
		ValueFrom *valueFrom `yaml:"valueFrom,omitempty"`
	}
	valueFrom struct {
		FieldRef fieldRef `yaml:"fieldRef"`
	}
	fieldRef struct {
		FieldPath string `yaml:"fieldPath"`
	}
	resources struct {
		Requests map[string]string `yaml:"requests"`
	}
	mount struct {
		Name      string `yaml:"name"`
		MountPath string `yaml:"mountPath"`
		ReadOnly  bool   `yaml:"readOnly,omitempty"`
	}
	volume struct {
		Name                  string           `yaml:"name"`
		ConfigMap             *configMapVolume `yaml:"configMap,omitempty"`
		PersistentVolumeClaim *claim           `yaml:"persistentVolumeClaim,omitempty"`
	}
	configMapVolume struct {
		Name string `yaml:"name"`
	}
	claim struct {
		ClaimName string `yaml:"claimName"`
	}
)

// Where the volumes are mounted in the containers.
const (
	resultsPath = "/results"
	studyPath   = "/study"
)

// retries of a shard whose node died, or that was evicted.
const retries = 6

// kubernetes writes an indexed job and, if the study is not built in, a config
// map with its file.
func (j *Job) kubernetes() (string, error) {
	name := objectName(j.Name)
	labels := map[string]string{"app.kubernetes.io/name": "jigsaw", "app.kubernetes.io/instance": name}
	study := j.Study
	results := volume{Name: "results", PersistentVolumeClaim: &claim{j.Claim}}
	c := container{
		Name: "jigsaw", Image: j.Image,
		Env: []env{
			{Name: "SHARD", ValueFrom: &valueFrom{fieldRef{"metadata.annotations['batch.kubernetes.io/job-completion-index']"}}},
			{Name: "GOMAXPROCS", Value: fmt.Sprint(j.CPUs)},
		},
		Resources:    resources{map[string]string{"cpu": fmt.Sprint(j.CPUs)}},
		VolumeMounts: []mount{{Name: "results", MountPath: resultsPath}},
	}
	volumes := []volume{results}
	var objects []any
	if len(j.Spec) > 0 {
		study = studyPath + "/study.yaml"
		objects = append(objects, configMap{"v1", "ConfigMap", meta{name, labels}, map[string]string{"study.yaml": string(j.Spec)}})
		c.VolumeMounts = append(c.VolumeMounts, mount{"study", studyPath, true})
		volumes = append(volumes, volume{Name: "study", ConfigMap: &configMapVolume{name}})
	}
	folder := strings.TrimPrefix(j.Folder, "/")
	where := Job{Name: j.Name, Folder: resultsPath + "/" + folder}
	// $(SHARD) is expanded by Kubernetes; the image needs no shell.
	c.Command = []string{j.Program, "study", "run", study, "--shard", fmt.Sprintf("$(SHARD)/%d", j.Shards), "--db", where.result("$(SHARD)")}
	objects = append(objects, indexedJob{"batch/v1", "Job", meta{name, labels}, jobSpec{
		CompletionMode: "Indexed", Completions: j.Shards, Parallelism: j.Shards,
		BackoffLimitPerIndex: retries, MaxFailedIndexes: j.Shards,
		Template: template{meta{Labels: labels}, podSpec{
			RestartPolicy: "Never", ActiveDeadlineSeconds: int64(j.Time.Seconds()), Containers: []container{c}, Volumes: volumes,
		}},
	}})

	var b strings.Builder
	fmt.Fprintf(&b, "# The study %s in %d shards:\n#\n#   kubectl apply -f THIS-FILE\n#   kubectl wait --for=condition=complete --timeout=-1s job/%s\n#\n", j.Name, j.Shards, name)
	fmt.Fprintf(&b, "# then, where the volume of the claim %s is mounted at %s:\n#\n#   %s study merge %s %s\n", j.Claim, resultsPath, j.Program, where.result("all"), where.result("[0-9]*"))
	for _, o := range objects {
		b.WriteString("---\n")
		encoder := yaml.NewEncoder(&b)
		encoder.SetIndent(2)
		if err := encoder.Encode(o); err != nil {
			return "", fmt.Errorf("submit: %w", err)
		}
		if err := encoder.Close(); err != nil {
			return "", fmt.Errorf("submit: %w", err)
		}
	}
	return b.String(), nil
}

var notInNames = regexp.MustCompile(`[^a-z0-9]+`)

// objectName makes a name that Kubernetes permits for pods of a job, with room
// for the index after it.
func objectName(name string) string {
	name = "jigsaw-" + strings.Trim(notInNames.ReplaceAllString(strings.ToLower(name), "-"), "-")
	return strings.Trim(name[:min(len(name), 50)], "-")
}
