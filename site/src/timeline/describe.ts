// One element of a plan in words: for the panel, the tooltip, and for those who cannot see the picture.

import type { ChainLink } from '../engine/api'
import { bitRate, instant, percent, short, ticks } from '../views/format'
import type { Selection } from '../views/props'
import { gpuName, type Model, syncsOf, tasksOf } from './model'
import type { Element } from './scene'
import { whyStarts } from './why'

export interface Description {
  /** Such as `vgg16 · iteration 3`. */
  title: string
  /** Names and values. */
  facts: [string, string][]
  /** Why it starts when it does; empty for a job. */
  why: string
  /** What it waited for. */
  cause: Element | null
}

export function describe(m: Model, e: Element, chain: readonly ChainLink[]): Description {
  const { instance } = m
  const task = e.kind === 'task'
  const rows = task ? m.schedule.tasks : m.schedule.syncs
  const job = instance.jobs[rows.job[e.index]!]!
  const start = rows.start[e.index]!
  const end = rows.end[e.index]!
  const facts: [string, string][] = []
  if (task) {
    facts.push(['GPU', gpuName(m, m.schedule.tasks.gpu[e.index]!)], ['Depth', depthText(m, e.index)])
  } else {
    const rate = m.schedule.syncs.rate[e.index]!
    const speed = (m.schedule.spans[m.schedule.syncs.job[e.index]!]?.slowest ?? 0) / rate
    facts.push(['Speed', `${bitRate(speed)}${rate > 1 ? `, 1/${rate} of what its links allow` : ''}`])
  }
  facts.push(['Time', fromTo(m, start, end)], ['Lasts', ticks(end - start, instance.tick_us)])
  const why = whyStarts(m, e)
  const link = chain.find(c => c.kind === e.kind && c.index === e.index)
  return {
    title: `${short(job.name)} · ${task ? '' : 'sync of '}iteration ${rows.iteration[e.index]}`,
    facts,
    why: `Starts then because ${why.text}.${link ? ' On the critical chain.' : ''}`,
    cause: why.cause,
  }
}

function fromTo({ instance: { tick_us } }: Model, from: number, to: number): string {
  return `${instant(from, tick_us, 1, to)} to ${instant(to, tick_us, 1)}`
}

/** The depth of a task: layers, and share of the backward pass. */
export function depthText(m: Model, task: number): string {
  const { depths } = m.instance.jobs[m.schedule.tasks.job[task]!]!
  const depth = depths[m.schedule.tasks.depth[task]!]
  if (!depth) return ''
  const full = depths[depths.length - 1]!.layers
  return depth.layers === full
    ? `full, ${full} layers`
    : `${depth.layers} of ${full} layers, ${percent(depth.share, 0)} of the backward pass`
}

/** A whole job in words. */
export function describeJob(m: Model, j: number): Description {
  const job = m.instance.jobs[j]!
  const gpus = m.schedule.residency[j] ?? []
  const tasks = tasksOf(m, j, 0)
  const syncs = syncsOf(m, j, 0)
  let from = Number.POSITIVE_INFINITY
  let to = 0
  for (const i of tasks) {
    from = Math.min(from, m.schedule.tasks.start[i]!)
    to = Math.max(to, m.schedule.tasks.end[i]!)
  }
  for (const i of syncs) to = Math.max(to, m.schedule.syncs.end[i]!)
  const facts: [string, string][] = [
    ['Model', short(job.model)],
    [
      'Workers',
      `${job.workers}${job.gpus_per_worker > 1 ? ` of ${job.gpus_per_worker} GPUs each` : ''}, on ${places(m, gpus)}`,
    ],
    ['Iterations', String(job.iterations)],
  ]
  if (tasks.length > 0 && m.period === 0) facts.push(['Time', fromTo(m, from, to)])
  if (job.deadline > 0) facts.push(['Deadline', instant(job.deadline, m.instance.tick_us, 1, to)])
  return { title: short(job.name), facts, why: '', cause: null }
}

/** GPUs by node, like `node0 (2), node1 (2)`. */
function places(m: Model, gpus: readonly number[]): string {
  const count = new Map<string, number>()
  for (const g of gpus) {
    const name = short(m.instance.nodes[m.nodeOf[g]!]?.name ?? '?')
    count.set(name, (count.get(name) ?? 0) + 1)
  }
  const list = [...count].map(([name, n]) => `${name} (${n})`)
  return list.length > 6
    ? `${list.slice(0, 5).join(', ')} and ${list.length - 5} more nodes`
    : list.join(', ') || 'no GPU'
}

/** A summary of the whole picture, in a sentence or two. */
export function summary(m: Model, label: string): string {
  const { instance, schedule } = m
  const what =
    m.period > 0
      ? `one period of ${ticks(m.period, instance.tick_us)}`
      : `makespan ${ticks(m.span, instance.tick_us)}`
  return `${label}: ${schedule.tasks.job.length} tasks and ${schedule.syncs.job.length} synchronisations of ${instance.jobs.length} jobs on ${m.gpus.length} GPUs; ${what}.`
}

/** Whether a selection still refers to something. */
export function valid(m: Model, s: Selection): boolean {
  return (
    s.job >= 0 &&
    s.job < m.instance.jobs.length &&
    (s.iteration === 0 || tasksOf(m, s.job, s.iteration).length > 0)
  )
}
