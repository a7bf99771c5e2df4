// A critical chain, from late to early, in passages: iterations of one job that wait only for
// each other, and tasks of several jobs that follow each other on one GPU.

import type { ChainLink, Compiled, Schedule } from '../engine/api'
import { percent, plural, short } from './format'
import { nodeOf, placeOf } from './gpus'

/** Part of a chain. */
export interface Passage {
  kind: 'job' | 'gpu'
  /** Ticks. */
  from: number
  to: number
  /** Its links, late to early. */
  links: ChainLink[]
  /** What happens in it. */
  what: string
  /** Why it did not start sooner. */
  because: string
}

function rowsOf(schedule: Schedule, link: ChainLink) {
  return link.kind === 'task' ? schedule.tasks : schedule.syncs
}

/** Fewer tasks in a row are listed one by one. */
const LEAST_ON_GPU = 3

export function passages(instance: Compiled, schedule: Schedule, chain: readonly ChainLink[]): Passage[] {
  const known = chain.filter(link => rowsOf(schedule, link).job[link.index] !== undefined)
  const job = (i: number) => rowsOf(schedule, known[i]!).job[known[i]!.index]!
  const list: Passage[] = []
  for (let i = 0; i < known.length; ) {
    // While this is the reason, the next element is on the same GPU.
    let onGpu = i + 1
    while (onGpu < known.length && known[onGpu - 1]!.because === 'task_before') onGpu++
    let ofJob = i + 1
    while (ofJob < known.length && job(ofJob) === job(i)) ofJob++
    const kind = onGpu > ofJob && onGpu - i >= LEAST_ON_GPU ? 'gpu' : 'job'
    const end = kind === 'gpu' ? onGpu : ofJob
    list.push(passage(instance, schedule, kind, known.slice(i, end)))
    i = end
  }
  return list
}

const BECAUSE: Record<ChainLink['because'], string> = {
  task_before: 'its GPU was busy before',
  sync_before: 'the synchronisation before had to end',
  task_of_iteration: 'the last task had to end',
  link_busy: 'a link was in use before',
  gang: 'the workers start together',
  memory: 'memory was short before',
  load: 'the job had to be loaded',
  release: 'the job is released then',
  start: 'the plan begins then',
  slack: 'there was time to spare',
}

function passage(instance: Compiled, schedule: Schedule, kind: Passage['kind'], links: ChainLink[]): Passage {
  let from = Number.POSITIVE_INFINITY
  let to = 0
  const count = new Map<string, number>()
  let first = Number.POSITIVE_INFINITY
  let last = 0
  for (const link of links) {
    const rows = rowsOf(schedule, link)
    from = Math.min(from, rows.start[link.index]!)
    to = Math.max(to, rows.end[link.index]!)
    first = Math.min(first, rows.iteration[link.index]!)
    last = Math.max(last, rows.iteration[link.index]!)
    const name = short(instance.jobs[rows.job[link.index]!]?.name ?? '?')
    count.set(name, (count.get(name) ?? 0) + 1)
  }
  const because = BECAUSE[links[links.length - 1]!.because] ?? ''
  if (kind === 'gpu') {
    const gpu = schedule.tasks.gpu[links.find(link => link.kind === 'task')?.index ?? -1] ?? -1
    const jobs = [...count].sort((a, b) => b[1] - a[1]).map(([name, n]) => `${name} ×${n}`)
    const names =
      jobs.length > 5 ? `${jobs.slice(0, 4).join(', ')} and ${jobs.length - 4} more` : jobs.join(', ')
    return {
      kind,
      from,
      to,
      links,
      because,
      what: `${gpuName(instance, gpu)} runs task after task: ${names}`,
    }
  }
  const [name] = count.keys()
  const what = first === last ? `iteration ${first}` : `iterations ${first} to ${last}, one after the other`
  return { kind, from, to, links, because, what: `${name}, ${what}` }
}

function gpuName(instance: Compiled, gpu: number): string {
  const node = nodeOf(instance, gpu)
  return node ? `${short(node.name)}.gpu${placeOf(node, gpu)}` : 'a GPU'
}

/** How the time of a chain was spent. */
export function shares(
  schedule: Schedule,
  chain: readonly ChainLink[],
): { tasks: number; syncs: number; waits: number } | null {
  let tasks = 0
  let syncs = 0
  let from = Number.POSITIVE_INFINITY
  let to = 0
  for (const link of chain) {
    const rows = rowsOf(schedule, link)
    const start = rows.start[link.index]
    const end = rows.end[link.index]
    if (start === undefined || end === undefined) continue
    if (link.kind === 'task') tasks += end - start
    else syncs += end - start
    from = Math.min(from, start)
    to = Math.max(to, end)
  }
  const length = to - from
  if (!(length > 0)) return null
  return { tasks: tasks / length, syncs: syncs / length, waits: Math.max(1 - (tasks + syncs) / length, 0) }
}

/** The first sentence of the explanation. */
export function opening(schedule: Schedule, chain: readonly ChainLink[], job: number): string {
  const parts = shares(schedule, chain)
  if (!parts) return ''
  const jobs = new Set(chain.map(link => rowsOf(schedule, link).job[link.index]))
  const others = jobs.size - (jobs.has(job) ? 1 : 0)
  const through = others > 0 ? `, through ${plural(others, 'other job')}` : ''
  return `The chain behind it has ${plural(chain.length, 'step')}${through}: ${percent(parts.tasks, 0)} of its time is computing, ${percent(parts.syncs, 0)} synchronising, ${percent(parts.waits, 0)} waiting.`
}
