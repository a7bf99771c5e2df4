// Package list makes schedules of finite objectives by list scheduling.
//
// A schedule is found in two steps. A [Decision] says which depth multiset each
// job uses, which GPUs it lives on, and how jobs are prioritised; a decoder turns
// it into start times. Searches change decisions only, so that every candidate is
// a valid schedule up to its deadlines. A job uses one multiset of depths
// throughout: the only one of a fixed rule, or the one of least total time of a
// free rule.
//
// Decoding (dispatch.go). Events are simulated in order of time. An idle GPU
// starts the waiting task with the best priority key, no matter what the other
// workers of its iteration do; this fills the ragged edges that shallow workers
// leave. Depths are dealt out as tasks start: the first worker of an iteration to
// start takes the deepest left, the last one the shallowest, so that an iteration
// started raggedly ends evenly and roles rotate by themselves. Alternatively they
// are dealt evenly: the deepest to the GPU with the least work left, so that busy
// GPUs catch up. With patience a GPU stays idle, or takes a shorter task, when a
// job with a better key is expected within part of the task's length. A gang waits
// until all its GPUs are idle; until then they run only tasks that end before its
// expected start. Where links are busier than GPUs, the tasks of a job that has to
// wait for its links yield to all others until shortly before its turn. A
// synchronisation takes the highest rate level that its links have room for, or
// waits for full speed where that ends it sooner; waiting ones reserve their links
// against those with worse keys.
//
// A second decoder (insertion.go) takes iterations in order of their keys and puts
// each into the earliest gaps of GPUs and links. It is sometimes better, with
// gangs and slow networks.
//
// Greedy (greedy.go) decodes a portfolio of placements, rules (rules.go) and
// patiences and keeps the best, with each job at each slower rate level, one after the
// other. Then (improve.go) it changes the best decision
// at random, one job's priority, residency or multiset at a time; it also follows
// decisions that are a little worse, and when it stalls it goes on from a
// decision whose jobs, or those of one GPU, have been placed anew. Work is budgeted
// in tasks decoded, never in seconds, and candidates are compared in batches
// of fixed size: one seed gives one schedule on any number of cores.
//
// Memory (stays.go). Where jobs hold memory only while they run, an instance may be planned as if memory held all of them, and schedules
// keep to it nevertheless: a job enters when all its GPUs have room. Plans of hours are made of what the dispatcher makes of some jobs
// in a while (sample.go).
//
// Unrelated machines (assigned.go). Where GPUs differ and every job is one worker
// without release and deadline, residencies alone decide the makespan, and any
// order will do; package assign searches for them.
package list
