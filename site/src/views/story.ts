// A critical chain, told: runs of one job's iterations taken together, from late to early.

import type { ChainLink, Compiled, Schedule } from '../engine/api'
import { clean, instant, percent, plural } from './format'

/** Part of a chain that belongs to one job. */
export interface Passage {
  job: number
  /** Iterations, from the earliest. */
  first: number
  last: number
  /** Ticks. */
  from: number
  to: number
  /** Its links, late to early. */
  links: ChainLink[]
  text: string
}

export function passages(instance: Compiled, schedule: Schedule, chain: readonly ChainLink[]): Passage[] {
  const list: Passage[] = []
  for (const link of chain) {
    const rows = link.kind === 'task' ? schedule.tasks : schedule.syncs
    const job = rows.job[link.index]
    if (job === undefined) continue
    const iteration = rows.iteration[link.index]!
    const from = rows.start[link.index]!
    const to = rows.end[link.index]!
    let passage = list[list.length - 1]
    if (passage?.job !== job) {
      passage = { job, first: iteration, last: iteration, from, to, links: [], text: '' }
      list.push(passage)
    }
    passage.first = Math.min(passage.first, iteration)
    passage.last = Math.max(passage.last, iteration)
    passage.from = Math.min(passage.from, from)
    passage.to = Math.max(passage.to, to)
    passage.links.push(link)
  }
  for (const p of list) p.text = tell(instance, p)
  return list
}

const BECAUSE: Record<ChainLink['because'], string> = {
  task_before: 'its GPU was busy before',
  sync_before: 'the synchronisation before had to end',
  task_of_iteration: 'its last task had to end',
  link_busy: 'a link was in use before',
  gang: 'its workers start together',
  memory: 'memory was short before',
  release: 'the job is released then',
  start: 'the plan begins then',
  slack: 'it has time to spare',
}

function tell(instance: Compiled, p: Passage): string {
  const name = clean(instance.jobs[p.job]?.name ?? '?')
  const time = (t: number) => instant(t, instance.tick_us, 1, p.to)
  const what = p.first === p.last ? `iteration ${p.first}` : `iterations ${p.first} to ${p.last}`
  const earliest = p.links[p.links.length - 1]!
  const how = p.links.length > 1 ? ', one thing after the other' : ''
  return `${name}, ${what}: ${time(p.from)} to ${time(p.to)}${how}. It began then because ${BECAUSE[earliest.because] ?? clean(earliest.because)}.`
}

/** What the time of a chain went into. */
export function shares(
  schedule: Schedule,
  chain: readonly ChainLink[],
): { tasks: number; syncs: number; waits: number } | null {
  let tasks = 0
  let syncs = 0
  let from = Number.POSITIVE_INFINITY
  let to = 0
  for (const link of chain) {
    const rows = link.kind === 'task' ? schedule.tasks : schedule.syncs
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

/** The first sentence of the story. */
export function opening(
  instance: Compiled,
  schedule: Schedule,
  chain: readonly ChainLink[],
  job: number,
  end: number,
): string {
  const name = clean(instance.jobs[job]?.name ?? '?')
  const when = `${name} ends at ${instant(end, instance.tick_us, 1)}.`
  const parts = shares(schedule, chain)
  if (!parts) return when
  const jobs = new Set(
    chain.map(link => (link.kind === 'task' ? schedule.tasks : schedule.syncs).job[link.index]),
  )
  const others = jobs.size - (jobs.has(job) ? 1 : 0)
  const through = others > 0 ? ` It passes through ${plural(others, 'other job')}.` : ''
  return `${when} The chain behind it has ${plural(chain.length, 'link')}: ${percent(parts.tasks, 0)} of its time is computing, ${percent(parts.syncs, 0)} synchronising, ${percent(parts.waits, 0)} waiting.${through}`
}
