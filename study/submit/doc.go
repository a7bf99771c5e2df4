// Package submit writes what runs the shards of a study on many machines: a
// batch script for a Slurm job array, or a manifest for an indexed job of
// Kubernetes.
//
// Task i of n plans shard i/n into a file of its own, <name>-<i>.db, in a
// folder that all tasks share. A task that was killed is submitted again and
// goes on where it was. In the end `jigsaw study merge` unites the files.
//
// The number of shards is written into the script rather than taken from the
// engine: Slurm's SLURM_ARRAY_TASK_COUNT and _MIN are those of the submission,
// so `sbatch --array=3`, which repeats one task of eight, would otherwise run
// the whole study in it.
package submit
