// What the page's words and numbers mean: one definition each, wherever it stands.

import type { ObjectiveName } from '../engine/api'

export const glossary = {
  makespan: 'When the last job ends, counted from the beginning of the plan. Shorter is better.',
  weighted_completion:
    'The sum over all jobs of the time at which a job ends, times its weight: jobs of large weight count more. Less is better. Its unit is seconds times weight.',
  throughput:
    'Iterations per second of all jobs together, each times its weight, in a plan that repeats. More is better.',
  max_min_throughput:
    'The rate of the job that is served worst, as a part of what it reaches where its workers compute at full depth without a pause, divided by its weight. More is better.',
  bound:
    'No plan can be better than this. It is worked out from the work that has to be done, not from the plan. Certified: proven once more in exact arithmetic, from a file that can be saved and checked.',
  gap: 'How much better than this plan any plan can be at most: the distance from plan to bound, as a part of the plan. 0 % is an optimal plan.',
  efficiency:
    'Work of full backpropagation that is delivered per second and GPU. 1 is a GPU that never waits; partial backpropagation leaves work out, and can push it above 1.',
  spb: 'Structured partial backpropagation: each worker of a job goes back through its last layers only, some of them through all. Its iterations are shorter, and other jobs fill the room. What it leaves out may cost accuracy: see docs/spb-quality.md.',
  mean_depth:
    'The mean, over a job’s workers, of the part of the backward pass that a worker goes through. 1 is full backpropagation.',
  gpus_busy: 'The part of all GPUs’ time until the end of the plan in which they compute.',
  busiest_link: 'The part of its capacity that the most used link carries until the end of the plan.',
  fullest_memory:
    'The most that any GPU holds at a time: the parameters of all jobs that live there, and the activations of the pass that runs.',
  interleaving:
    'Iterations of several jobs take turns on the same GPUs, instead of one job holding them alone.',
  binds:
    'What the bound follows from: with more of it, a better plan may be possible. The figure says by how much the bound changes with 1 % more.',
} as const satisfies Record<ObjectiveName, string> & Record<string, string>
