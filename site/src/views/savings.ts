// The savings of a job by partial backpropagation, by depth, from its compiled profile.

import type { Compiled, CompiledJob, ProfileInfo, Schedule } from '../engine/api'
import { percent, plural, short } from './format'

/** One quantity by depth. */
export interface Series {
  name: string
  /** GPU type, if it matters. */
  type: string
  unit: 'ticks' | 'bytes'
  /** By depth, ascending; the last is full. */
  values: number[]
}

/** Time and memory on each GPU type that the job may use, then what is synchronised. */
export function seriesOf(instance: Compiled, job: CompiledJob): Series[] {
  const list: Series[] = []
  job.on.forEach((on, t) => {
    if (on)
      list.push({
        name: 'Time of a task',
        type: short(instance.types[t]?.name ?? ''),
        unit: 'ticks',
        values: on.time,
      })
  })
  // Activations do not depend on the type unless profiles differ.
  const memory = new Map<string, Series>()
  job.on.forEach((on, t) => {
    if (!on) return
    const key = on.ephemeral.join()
    const known = memory.get(key)
    const type = short(instance.types[t]?.name ?? '')
    if (known) known.type += `, ${type}`
    else memory.set(key, { name: 'Memory while it runs', type, unit: 'bytes', values: on.ephemeral })
  })
  list.push(...memory.values())
  let sum = 0
  list.push({
    name: 'Gradients synchronised',
    type: '',
    unit: 'bytes',
    values: job.segment_bytes.map(b => (sum += b)),
  })
  return list
}

/** The saving relative to full depth, 0..1. */
export function saving(values: readonly number[], d: number): number {
  const full = values[values.length - 1] ?? 0
  return full > 0 ? 1 - (values[d] ?? full) / full : 0
}

/** The job's rule in words. */
export function ruleWords(job: CompiledJob): string {
  const full = job.depths.length - 1
  if (full === 0) return 'Every worker runs the full backward pass: there is one depth only.'
  if (job.rule.fixed) {
    // Workers by depth.
    const parts = job.rule.fixed.flatMap((n, d) =>
      n > 0 ? [`${plural(n, 'worker')} at ${depthName(job, d)}`] : [],
    )
    if (job.rule.fixed[full] === job.workers) return 'Every worker runs the full backward pass.'
    return `In every iteration: ${parts.join(', ')}.`
  }
  const least = `at least ${plural(job.rule.min_full, 'worker')} at full depth`
  return job.rule.min_share > 0
    ? `Any depths with ${least}, and ${percent(job.rule.min_share, 0)} of the backward pass on average.`
    : `Any depths with ${least}.`
}

export function depthName(job: CompiledJob, d: number): string {
  const full = job.depths.length - 1
  return d === full ? 'full' : percent(job.depths[d]?.share ?? 0, 0)
}

/** The share of the job's tasks in a plan with each depth; null if there are none. */
export function usedDepths(schedule: Schedule | null, job: number, depths: number): number[] | null {
  if (!schedule) return null
  const count = new Array<number>(depths).fill(0)
  let all = 0
  schedule.tasks.job.forEach((j, i) => {
    if (j !== job) return
    all++
    count[schedule.tasks.depth[i]!]!++
  })
  return all > 0 ? count.map(n => n / all) : null
}

/** The profiles of a job's model on the types that it may use. */
export function profilesOf(
  instance: Compiled,
  job: CompiledJob,
  profiles: readonly ProfileInfo[],
): ProfileInfo[] {
  return profiles.filter(
    p =>
      p.model === job.model &&
      p.gpus === job.gpus_per_worker &&
      job.on.some((on, t) => on && instance.types[t]?.name === p.gpu),
  )
}

/** The first layer, in order of the forward pass, of each depth; full depth begins at 0. */
export function cutsOf(job: CompiledJob, layers: number): number[] {
  return job.depths.map(d => Math.max(layers - d.layers, 0))
}
