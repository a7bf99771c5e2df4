// Package submit writes the files that run the shards of a study on many
// machines: a batch script for a Slurm job array, or a manifest for an indexed
// job of Kubernetes.
//
// Task i of n plans shard i/n into a file of its own, <name>-<i>.db, in a
// folder that all tasks share. A killed task can be submitted again and resumes
// where it stopped. At the end `jigsaw study merge` merges the files.
//
// The number of shards is written into the script rather than taken from the
// engine: Slurm's SLURM_ARRAY_TASK_COUNT and _MIN are those of the submission,
// so `sbatch --array=3`, which repeats one task of eight, would otherwise run
// the whole study in it.
package submit
