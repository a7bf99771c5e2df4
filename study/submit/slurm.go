package submit

import (
	"fmt"
	"path"
	"strings"
)

// slurm writes a batch script for a job array. SIGTERM, which Slurm sends
// before it kills a task, ends it between two commits; requeued tasks continue.
func (j *Job) slurm() string {
	base := path.Join(j.Folder, j.Name)
	var b strings.Builder
	fmt.Fprintf(&b, `#!/bin/bash
# The study %[1]s in %[2]d shards. From a folder that all nodes share:
#
#   sbatch THIS-FILE
#   sbatch --array=3 THIS-FILE       # shard 3 again, where it was killed
#   %[3]s study merge %[4]s %[5]s
#
#SBATCH --job-name=%[1]s
#SBATCH --array=0-%[6]d
#SBATCH --cpus-per-task=%[7]d
#SBATCH --requeue
#SBATCH --open-mode=append
`, j.Name, j.Shards, quote(j.Program), quote(base+".db"), quote(base)+"-*.db", j.Shards-1, j.CPUs)
	if j.Time > 0 {
		fmt.Fprintf(&b, "#SBATCH --time=%d\n", max(1, int((j.Time.Seconds()+59)/60))) // minutes
	}
	fmt.Fprintf(&b, `
export GOMAXPROCS=${SLURM_CPUS_PER_TASK:-%d}
exec %s study run %s --shard "$SLURM_ARRAY_TASK_ID/%d" --db %s"$SLURM_ARRAY_TASK_ID".db
`, j.CPUs, quote(j.Program), quote(j.Study), j.Shards, quote(base+"-"))
	return b.String()
}
