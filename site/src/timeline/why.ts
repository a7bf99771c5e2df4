// Why an element starts when it does: what has to precede it and ends at that very tick.

import { short } from '../views/format'
import { gpuName, type Model, syncsOf, tasksOf } from './model'
import type { Element } from './scene'

export interface Reason {
  kind: 'start' | 'release' | 'gpu' | 'sync' | 'tasks' | 'links' | 'slack'
  text: string
  /** What it waited for. */
  cause: Element | null
}

/**
 * The first reason that applies at its start tick: first those of its own job, then those
 * of the resource. Times of a periodic plan are compared modulo the period.
 */
export function whyStarts(m: Model, e: Element): Reason {
  return e.kind === 'task' ? whyTask(m, e.index) : whySync(m, e.index)
}

function same(m: Model, a: number, b: number): boolean {
  return m.period > 0 ? (((a - b) % m.period) + m.period) % m.period === 0 : a === b
}

function whyTask(m: Model, i: number): Reason {
  const { tasks, syncs } = m.schedule
  const job = tasks.job[i]!
  const spec = m.instance.jobs[job]!
  const start = tasks.start[i]!
  const iteration = tasks.iteration[i]!
  if (iteration > 1) {
    const sync = syncsOf(m, job, iteration - 1)[0]
    if (sync !== undefined && same(m, syncs.end[sync]!, start))
      return {
        kind: 'sync',
        text: `it needs the synchronisation of iteration ${iteration - 1}, which ends then`,
        cause: { kind: 'sync', index: sync },
      }
    // One GPU has nothing to synchronise.
    if (spec.workers * spec.gpus_per_worker === 1) {
      const before = tasksOf(m, job, iteration - 1)[0]
      if (before !== undefined && same(m, tasks.end[before]!, start))
        return {
          kind: 'tasks',
          text: `it needs iteration ${iteration - 1}, which ends then`,
          cause: { kind: 'task', index: before },
        }
    }
  }
  const before = previousOnGpu(m, i)
  if (before >= 0)
    return {
      kind: 'gpu',
      text: `its GPU is busy until then, with ${m.names[tasks.job[before]!]} · ${tasks.iteration[before]}`,
      cause: { kind: 'task', index: before },
    }
  if (m.period === 0 && start === 0) return { kind: 'start', text: 'the plan begins then', cause: null }
  if (spec.release > 0 && start === spec.release)
    return { kind: 'release', text: 'the job is released then', cause: null }
  return {
    kind: 'slack',
    text: spec.gang
      ? 'the other workers start with it, or it has time to spare'
      : 'nothing on its GPU holds it back: it has time to spare, or memory was short before',
    cause: null,
  }
}

/** The task that ends on the same GPU when i starts, or -1. */
function previousOnGpu(m: Model, i: number): number {
  const { tasks } = m.schedule
  const row = m.rowOf[tasks.gpu[i]!]!
  const bars = m.tasks
  for (let b = bars.first[row]!; b < bars.first[row + 1]!; b++) {
    const other = bars.item[b]!
    if (other !== i && same(m, tasks.end[other]!, tasks.start[i]!) && tasks.end[other]! > tasks.start[other]!)
      return other
  }
  return -1
}

function whySync(m: Model, i: number): Reason {
  const { tasks, syncs } = m.schedule
  const job = syncs.job[i]!
  const start = syncs.start[i]!
  for (const t of tasksOf(m, job, syncs.iteration[i]!))
    if (same(m, tasks.end[t]!, start))
      return {
        kind: 'tasks',
        text: `its last task, on ${gpuName(m, tasks.gpu[t]!)}, ends then`,
        cause: { kind: 'task', index: t },
      }
  const own = new Set(m.schedule.spans[job]?.links.map(use => use.link))
  for (let other = 0; other < syncs.job.length; other++) {
    if (other === i || !same(m, syncs.end[other]!, start)) continue
    const shared = m.schedule.spans[syncs.job[other]!]?.links.find(use => own.has(use.link))
    if (shared)
      return {
        kind: 'links',
        text: `${short(m.instance.links[shared.link]?.name ?? 'a link')} is in use until then, by ${m.names[syncs.job[other]!]} · ${syncs.iteration[other]}`,
        cause: { kind: 'sync', index: other },
      }
  }
  return { kind: 'slack', text: 'nothing holds it back: it has time to spare', cause: null }
}
