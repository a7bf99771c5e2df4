// One block of a long plan: its pattern as a schedule of its own, its jobs and nodes, and what
// all blocks use together.

import type { Block, Compiled, LongPlan, Schedule } from '../engine/api'
import type { Use } from '../views/props'
import { bytesSent, peaks } from '../views/use'

/** The pattern of a block: a plan that repeats, or, if it runs once, one that begins at 0. */
export function patternOf(plan: LongPlan, block: Block): Schedule {
  return {
    period: block.repeats > 1 ? block.period : 0,
    residency: plan.residency,
    spans: plan.spans,
    tasks: block.tasks,
    syncs: block.syncs,
  }
}

/** The jobs of a block and their nodes, ascending. */
export function membersOf(
  instance: Compiled,
  plan: LongPlan,
  block: Block,
): { jobs: number[]; nodes: number[] } {
  const jobs = [...new Set(block.tasks.job)].sort((a, b) => a - b)
  const gpus = new Set(jobs.flatMap(job => plan.residency[job]!))
  const nodes = instance.nodes.flatMap((node, n) => {
    for (let g = node.first_gpu; g < node.first_gpu + node.gpus; g++) if (gpus.has(g)) return [n]
    return []
  })
  return { jobs, nodes }
}

/** The last end within the last repeat, ticks. */
export function endOf(block: Block): number {
  let end = 0
  for (const list of [block.tasks.end, block.syncs.end]) for (const t of list) end = Math.max(end, t)
  return block.start + (block.repeats - 1) * block.period + end
}

/** The block in which a job does most of its iterations, or -1. */
export function blockOf(plan: LongPlan, job: number): number {
  let best = -1
  let most = 0
  plan.blocks.forEach((block, b) => {
    if (block.repeats > most && block.tasks.job.includes(job)) {
      best = b
      most = block.repeats
    }
  })
  return best
}

/** Full-backpropagation work delivered per GPU-tick until the makespan. */
export function longEfficiency(instance: Compiled, plan: LongPlan): number {
  const typeOf = instance.nodes.flatMap(node => new Array<number>(node.gpus).fill(node.type))
  let work = 0
  plan.residency.forEach((gpus, j) => {
    const { on, iterations } = instance.jobs[j]!
    for (const gpu of gpus) work += iterations * (on[typeOf[gpu]!]?.time.at(-1) ?? 0)
  })
  const span = plan.end.reduce((a, b) => Math.max(a, b), 0)
  return span > 0 ? work / (typeOf.length * span) : 0
}

/** Shares until the makespan, and peaks of memory, for a plan that is not written out. */
export function longUse(instance: Compiled, plan: LongPlan): Use {
  const typeOf = instance.nodes.flatMap(node => new Array<number>(node.gpus).fill(node.type))
  const span = plan.end.reduce((a, b) => Math.max(a, b), 1)
  const busy = new Float64Array(typeOf.length)
  const links = new Float64Array(instance.links.length)
  /** By GPU, the largest ephemeral bytes of each job on it. */
  const ephemeral = typeOf.map(() => new Map<number, number>())
  for (const block of plan.blocks) {
    const { tasks, syncs } = block
    for (let i = 0; i < tasks.gpu.length; i++) {
      const gpu = tasks.gpu[i]!
      busy[gpu]! += (block.repeats * (tasks.end[i]! - tasks.start[i]!)) / span
      const job = tasks.job[i]!
      const kept = instance.jobs[job]!.on[typeOf[gpu]!]?.ephemeral[tasks.depth[i]!] ?? 0
      ephemeral[gpu]!.set(job, Math.max(kept, ephemeral[gpu]!.get(job) ?? 0))
    }
    const sent = bytesSent(instance, patternOf(plan, block))
    syncs.job.forEach((job, i) => {
      for (const use of plan.spans[job]!.links) links[use.link]! += 8 * sent[i]! * use.times * block.repeats
    })
  }
  const seconds = (span * instance.tick_us) / 1e6
  return {
    gpu_share: busy,
    gpu_memory: peaks(instance, plan, typeOf, ephemeral),
    link_share: links.map((bits, l) => bits / Math.max(instance.links[l]!.capacity * seconds, 1)),
    mean_gpu: busy.reduce((a, b) => a + b, 0) / Math.max(busy.length, 1),
  }
}
