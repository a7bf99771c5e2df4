// The definitions of the page's terms and numbers, one for each.

import type { ObjectiveName } from '../engine/api'

export const glossary = {
  makespan: 'When the last job ends, counted from the beginning of the plan. Shorter is better.',
  weighted_completion:
    'The sum over all jobs of completion time times weight: jobs with large weights count more. Less is better. Its unit is seconds times weight.',
  throughput:
    'The sum over all jobs of iterations per second times weight, in a plan that repeats. More is better.',
  max_min_throughput:
    'The rate of the worst-served job, relative to the rate at which its workers compute at full depth without a pause, divided by its weight. More is better.',
  bound:
    'No plan can be better than this. It is computed from the work that has to be done, not from the plan. Certified: verified again in exact arithmetic, from a file that can be saved and checked.',
  gap: 'How much better than this plan any plan can be at most: the distance between plan and bound, relative to the plan. 0 % means that the plan is optimal.',
  efficiency:
    'Full-backpropagation work delivered per second and GPU. 1 means that GPUs never wait; partial backpropagation leaves work out, and can push it above 1.',
  cost: 'What the GPUs cost, at their prices per hour, while jobs of the plan are on them, in the currency of the prices. After ≥: the least that any plan can cost, proven in exact arithmetic.',
  spb: 'Structured partial backpropagation: in each iteration some workers of a job run the backward pass through the last layers only. Iterations are shorter, and other jobs fill the gaps. Leaving layers out may cost accuracy: see docs/spb-quality.md.',
  depth: 'The part of the backward pass that a worker runs, starting at the last layer. Full is all of it.',
  task_time: 'Forward and backward pass of one iteration on one worker, at each depth.',
  task_memory:
    'Activations that a GPU holds while the task runs, at each depth. They come on top of what stays there: parameters, gradients and optimizer states.',
  gradients:
    'Gradients of the layers that a depth covers: what each worker exchanges with the others after an iteration in which all workers go that deep.',
  saved: 'What a depth leaves out, relative to full depth.',
  depths_used: 'The share of the job’s tasks in this plan that have each depth.',
  layer_backward: 'The layer’s time in the backward pass of one batch, from its profile.',
  layer_parameters: 'The memory that the layer’s parameters take.',
  first_layer: 'The depths that end the backward pass with this layer: they leave out the layers before it.',
  mean_depth:
    'The share of the backward pass that a worker runs, averaged over the job’s workers. 1 is full backpropagation.',
  gpus_busy: 'The share of GPU time, until the end of the plan, in which GPUs compute.',
  busiest_link: 'The share of its capacity that the busiest link uses, until the end of the plan.',
  fullest_memory:
    'The most that any GPU holds at a time: the parameters of all jobs placed there, and the activations of the running task.',
  progress:
    'The solid line is the value of the best plan found so far, the dashed one the best bound. Where they meet, the plan is optimal.',
  elapsed:
    'Since the search began, on this machine. Other machines take a different time to reach the same plan.',
  incumbent: 'The value of the best plan found so far.',
  columns:
    'Ways to place and run single jobs, which the linear programs behind the bound combine. They are generated while these programs are solved.',
  tree_nodes:
    'Nodes of the search tree that have been examined: each covers a part of all plans and has its own bound. Together they cover every plan.',
  plan_change: 'Values of quick plans without the change and with it.',
  touched:
    'Jobs that lose a GPU, or whose synchronisations use what fails. Moved: how many of these jobs have to move to other GPUs.',
  repaired: 'The plan adapted at once, keeping its order, without a search.',
  replanned: 'The best plan found when everything is planned again.',
  interleaving:
    'Iterations of several jobs take turns on the same GPUs, instead of one job holding them alone.',
  burst:
    'A job keeps its batch size, and each of its layers runs on as many GPUs as pay off: its GPU-time, divided by its time on one GPU, stays within the job’s amplification limit. GPUs that are idle meanwhile run background jobs.',
  moldable:
    'A moldable job runs with any of several numbers of workers. The planner makes a quick plan for each combination but those that are proven to be no better, for a few dozen if there are many, and keeps the one whose plan ends first: more workers make a job faster, but synchronise more and leave fewer GPUs to others.',
  mold_value: 'When the last job ends, in a quick plan with these numbers.',
  one_gpu: 'Time of an iteration on one GPU.',
  data_parallel: 'Time of an iteration with every layer on all of the job’s GPUs.',
  in_bursts: 'Time of an iteration with each layer on the GPUs of its stage, without background jobs.',
  gpu_time:
    'GPUs times time, summed over the layers of an iteration: what the amplification limit restricts.',
  burst_period: 'The time from one iteration to the next, including the delay caused by background jobs.',
  burst_slowdown: 'The period divided by the time in bursts: how much background jobs delay the job.',
  stages: 'The number of GPUs of each stage, from the first layers to the last.',
  per_second: 'Iterations of the background job per second.',
  waits: 'From the job’s release until it is admitted, that is, until there is memory for it.',
  slowdown:
    'The job’s time from its release to its end, divided by that alone on the empty cluster at full depth.',
  background: 'Jobs on one GPU each, which run in slices while the burst-parallel job leaves their GPU idle.',
  rate_of_alone: 'The background job’s speed, relative to its speed alone on a GPU.',
  binds:
    'What limits the bound: with more of it, a better plan may be possible. The figure says by how much the bound changes with 1 % more.',
  predicted:
    'How the bound would change according to its dual prices: what one more unit of each resource is worth. Nothing is solved for this, and it holds for small changes.',
  verified: 'How the bound changes when it is computed again for the scenario with this change.',
} as const satisfies Record<ObjectiveName, string> & Record<string, string>
