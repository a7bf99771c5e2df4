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
  cost: 'What the GPUs cost at their prices per hour while jobs of the plan are on them, in the currency of the prices; behind ≥, what no plan costs less than, by exact arithmetic.',
  spb: 'Structured partial backpropagation: each worker of a job goes back through its last layers only, some of them through all. Its iterations are shorter, and other jobs fill the room. What it leaves out may cost accuracy: see docs/spb-quality.md.',
  depth:
    'The part of the backward pass that a worker goes through, from the last layer on. Full is all of it.',
  task_time: 'Forward and backward pass of one iteration on one worker, at each depth.',
  task_memory:
    'Activations that a GPU holds while the task runs, at each depth. They come on top of what stays there: parameters, gradients and states of the optimizer.',
  gradients:
    'Gradients of the layers that a depth goes through: so much each worker exchanges with the others after an iteration in which all go that deep.',
  saved: 'What a depth leaves out, as a part of the same at full depth.',
  depths_used: 'The part of the job’s tasks in this plan that have each depth.',
  layer_backward: 'The layer’s time in the backward pass of one batch, as its profile says.',
  layer_parameters: 'The memory that the layer’s parameters take.',
  first_layer: 'The depths that end the backward pass with this layer: they leave out the layers before it.',
  mean_depth:
    'The mean, over a job’s workers, of the part of the backward pass that a worker goes through. 1 is full backpropagation.',
  gpus_busy: 'The part of all GPUs’ time until the end of the plan in which they compute.',
  busiest_link: 'The part of its capacity that the most used link carries until the end of the plan.',
  fullest_memory:
    'The most that any GPU holds at a time: the parameters of all jobs that live there, and the activations of the pass that runs.',
  progress:
    'The solid line is the value of the best plan found so far, the dashed one the best bound. Where they meet, the plan is optimal.',
  elapsed: 'Since the search began, on this machine. Another machine takes another time to the same plan.',
  incumbent: 'The value of the best plan found so far.',
  columns:
    'Ways to place and run single jobs, which the linear programs behind the bound mix. They are made while these are solved.',
  tree_nodes:
    'Cases that a tree has looked at: each is a part of all plans, with a bound of its own. All parts together hold every plan.',
  plan_change: 'Values of quick plans without the change and with it.',
  touched:
    'Jobs that lose a GPU, or whose synchronisations use what fails. Moved: how many of them have to go to other GPUs.',
  repaired: 'The plan carried over at once, in its order, without a search.',
  replanned: 'The best plan that is found when all is planned anew.',
  interleaving:
    'Iterations of several jobs take turns on the same GPUs, instead of one job holding them alone.',
  burst:
    'A job keeps its batch, and each of its layers has as many GPUs as pay: its GPU-time, over that on one GPU, stays within the job’s limit of amplification. What then idles is left to the background.',
  moldable:
    'A moldable job runs with any of several numbers of workers. The planner plans each combination in a moment, and keeps the one whose plan ends first: more workers make a job faster, but synchronise more and leave others fewer GPUs.',
  mold_value: 'When the last job ends, in a quick plan with these numbers.',
  one_gpu: 'Time of an iteration on one GPU.',
  data_parallel: 'Time of an iteration with every layer on all of the job’s GPUs.',
  in_bursts: 'Time of an iteration with each layer on the GPUs of its stage, without background jobs.',
  gpu_time:
    'The GPUs of an iteration’s layers times the time that they take: what the limit of amplification is about.',
  burst_period: 'From one iteration to the next, with the background, which delays it.',
  burst_slowdown: 'The period over the time in bursts: how much the background delays the job.',
  stages: 'On how many GPUs the layers are, from the first to the last.',
  per_second: 'Iterations that the background job does in a second.',
  waits: 'From the job’s release until it is admitted: until memory has room for it.',
  slowdown: 'The job’s time from its release to its end, over that of the job alone on the empty cluster.',
  background: 'Jobs on one GPU each, which run in slices while the burst-parallel job leaves that GPU idle.',
  rate_of_alone: 'The background job’s speed, as a part of that on a GPU of its own.',
  binds:
    'What the bound follows from: with more of it, a better plan may be possible. The figure says by how much the bound changes with 1 % more.',
  predicted:
    'How the bound would change as its prices say: what one more of each resource is worth to it. Nothing is solved for this, and it holds for small changes.',
  verified: 'How the bound changes when the scenario with this change is bounded anew.',
} as const satisfies Record<ObjectiveName, string> & Record<string, string>
