// The utilisation of a schedule, summed up in the page: during a search, plans come without the
// core's own figures.

import type { Compiled, CompiledJob, LongPlan, Schedule } from '../engine/api'
import type { Use } from './props'

const known = new WeakMap<Schedule, { instance: Compiled; use: Use; efficiency: number }>()

/** Shares until the makespan, or within the period, and peaks of memory. */
export function useOf(instance: Compiled, schedule: Schedule): Use {
  return summed(instance, schedule).use
}

/** Full-backpropagation work delivered per GPU-tick until the makespan, or within the period. */
export function efficiencyOf(instance: Compiled, schedule: Schedule): number {
  return summed(instance, schedule).efficiency
}

function summed(instance: Compiled, schedule: Schedule): { use: Use; efficiency: number } {
  let found = known.get(schedule)
  if (found?.instance !== instance) {
    found = { instance, ...sum(instance, schedule) }
    known.set(schedule, found)
  }
  return found
}

function sum(instance: Compiled, schedule: Schedule): { use: Use; efficiency: number } {
  const { tasks, syncs, period } = schedule
  const typeOf: number[] = []
  for (const node of instance.nodes)
    for (let g = 0; g < node.gpus; g++) typeOf[node.first_gpu + g] = node.type
  let span = period
  if (span === 0)
    for (const list of [tasks.end, syncs.end]) for (const end of list) span = Math.max(span, end)
  const busy = new Float64Array(typeOf.length)
  /** By GPU, the largest ephemeral bytes of each job on it. */
  const ephemeral = typeOf.map(() => new Map<number, number>())
  const first = new Float64Array(instance.jobs.length).fill(Number.POSITIVE_INFINITY)
  const last = new Float64Array(instance.jobs.length)
  let work = 0
  for (let i = 0; i < tasks.gpu.length; i++) {
    const gpu = tasks.gpu[i]!
    const job = tasks.job[i]!
    const on = instance.jobs[job]!.on[typeOf[gpu]!]
    busy[gpu]! += tasks.end[i]! - tasks.start[i]!
    first[job] = Math.min(first[job]!, tasks.start[i]!)
    last[job] = Math.max(last[job]!, tasks.end[i]!)
    ephemeral[gpu]!.set(job, Math.max(on?.ephemeral[tasks.depth[i]!] ?? 0, ephemeral[gpu]!.get(job) ?? 0))
    work += on?.time[on.time.length - 1] ?? 0
  }
  const links = new Float64Array(instance.links.length)
  const sent = bytesSent(instance, schedule)
  const seconds = (span * instance.tick_us) / 1e6
  syncs.job.forEach((job, i) => {
    last[job] = Math.max(last[job]!, syncs.end[i]!)
    for (const use of schedule.spans[job]!.links) links[use.link]! += 8 * sent[i]! * use.times
  })
  const stays = instance.queues && period === 0
  const admitted = first.map((start, j) => (stays ? start - instance.jobs[j]!.load : 0))
  const end = stays ? last : last.fill(Number.POSITIVE_INFINITY)
  const part = (v: number, of: number) => (of > 0 ? v / of : 0)
  const gpu_share = busy.map(v => part(v, span))
  return {
    use: {
      gpu_share,
      gpu_memory: peaks(instance, { residency: schedule.residency, admitted, end }, typeOf, ephemeral),
      link_share: links.map((bits, l) => part(bits, instance.links[l]!.capacity * seconds)),
      mean_gpu: part(
        gpu_share.reduce((a, b) => a + b, 0),
        typeOf.length,
      ),
    },
    efficiency: part(work, typeOf.length * span),
  }
}

/** By GPU, the peak of memory in bytes: the persistent bytes of all jobs present, and the largest ephemeral bytes of one of them. */
export function peaks(
  instance: Compiled,
  plan: Pick<LongPlan, 'residency' | 'admitted' | 'end'>,
  typeOf: readonly number[],
  ephemeral: readonly ReadonlyMap<number, number>[],
): Float64Array {
  const on: number[][] = typeOf.map(() => [])
  plan.residency.forEach((gpus, j) => {
    for (const gpu of gpus) on[gpu]!.push(j)
  })
  return Float64Array.from(on, (jobs, gpu) => {
    let most = 0
    let there: number[] = []
    for (const job of jobs.sort((a, b) => plan.admitted[a]! - plan.admitted[b]!)) {
      there = there.filter(other => plan.end[other]! > plan.admitted[job]!)
      there.push(job)
      const kept = there.reduce((sum, j) => sum + (instance.jobs[j]!.on[typeOf[gpu]!]?.persistent ?? 0), 0)
      most = Math.max(most, kept + Math.max(...there.map(j => ephemeral[gpu]!.get(j) ?? 0)))
    }
    return most
  })
}

/** By synchronisation, the bytes that every party sends. */
export function bytesSent(instance: Compiled, schedule: Schedule): Float64Array {
  const { tasks, syncs } = schedule
  // Contributors by depth of every iteration; with numbers as keys, because this runs at each new plan.
  const key = (job: number, iteration: number) => job * 2 ** 32 + iteration
  const counts = new Map<number, number[]>()
  for (let i = 0; i < tasks.job.length; i++) {
    const job = tasks.job[i]!
    const iteration = key(job, tasks.iteration[i]!)
    let count = counts.get(iteration)
    if (!count) {
      count = new Array<number>(instance.jobs[job]!.depths.length).fill(0)
      counts.set(iteration, count)
    }
    count[tasks.depth[i]!]!++
  }
  const sent = new Float64Array(syncs.job.length)
  for (let i = 0; i < sent.length; i++) {
    const job = syncs.job[i]!
    const count = counts.get(key(job, syncs.iteration[i]!))
    if (count) sent[i] = volume(instance.jobs[job]!, count, schedule.spans[job]!.parties)
  }
  return sent
}

/** Reduce among the contributors of each segment, then broadcast to all parties (docs/problem.md, section 4). */
export function volume(job: CompiledJob, countByDepth: readonly number[], parties: number): number {
  if (parties <= 1) return 0
  let bytes = 0
  let contributors = 0
  for (let d = countByDepth.length - 1; d >= 0; d--) {
    contributors += countByDepth[d]! / job.gpus_per_worker
    const among = Math.min(parties, contributors)
    if (among > 0)
      bytes +=
        (job.segment_bytes[d] ?? 0) *
        ((job.reductions * (among - 1)) / among + (job.gathers * (parties - 1)) / parties)
  }
  return bytes
}
