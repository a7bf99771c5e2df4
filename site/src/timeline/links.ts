// Rows of links: which links share a row, and how synchronisations are stacked on it.

import type { Compiled, Schedule } from '../engine/api'
import { short } from '../views/format'
import { BarList, type Bars, GOES_ON_AFTER, GOES_ON_BEFORE } from './bars'
import { fold } from './fold'

/** A row for a link, for both directions of a link if they carry the same, or for several such links. */
export interface LinkRow {
  links: number[]
  label: string
  /** Capacity of each of the links, bit/s. */
  capacity: number
  /** Further links, or pairs, that carry the same. */
  alike: number
  family: number
}

/** Up to this many rows each link has its own; with more, links that carry the same share one. */
const FEW_ROWS = 12

/** The order of kinds of links in the picture: from the core of the network to the GPUs. */
function family(kind: Compiled['links'][number]['kind']): number {
  switch (kind) {
    case 'trunk':
    case 'rack_up':
    case 'rack_down':
      return 0
    case 'fabric':
      return 2
    default:
      return 1
  }
}

function label(link: Compiled['links'][number], pair: boolean): string {
  if (!pair) return short(link.name)
  const name = short(link.name.replace(/\.(up|down|fwd|rev)$/, ''))
  if (link.kind === 'nic_up' || link.kind === 'nic_down') return `${name} nic`
  if (link.kind === 'rack_up' || link.kind === 'rack_down') return `${name} uplink`
  return name
}

/** The jobs that use each link, with how often each of their synchronisations crosses it. */
function loads(
  instance: Compiled,
  schedule: Schedule,
  seen: (gpu: number) => boolean,
): { job: number; times: number }[][] {
  const syncing = new Uint8Array(instance.jobs.length)
  for (const job of schedule.syncs.job) syncing[job] = 1
  const list: { job: number; times: number }[][] = instance.links.map(() => [])
  schedule.spans.forEach((span, job) => {
    if (!syncing[job] || !schedule.residency[job]?.some(seen)) return
    for (const use of span.links) list[use.link]?.push({ job, times: use.times })
  })
  return list
}

/** The rows of the links that carry anything for jobs on GPUs with rows, and the bars on them. */
export function linkRows(
  instance: Compiled,
  schedule: Schedule,
  seen: (gpu: number) => boolean = () => true,
): { rows: LinkRow[]; bars: Bars } {
  const load = loads(instance, schedule, seen)
  const keys = load.map(uses => uses.map(u => `${u.job}x${u.times}`).join())
  let rows: LinkRow[] = []
  for (let l = 0; l < load.length; l++) {
    if (load[l]!.length === 0) continue
    const link = instance.links[l]!
    const row: LinkRow = {
      links: [l],
      label: label(link, false),
      capacity: link.capacity,
      alike: 0,
      family: family(link.kind),
    }
    // The two directions have consecutive numbers.
    const next = instance.links[l + 1]
    if (
      next &&
      link.kind !== 'fabric' &&
      keys[l] === keys[l + 1] &&
      family(next.kind) === row.family &&
      next.capacity === link.capacity
    ) {
      row.links.push(l + 1)
      row.label = label(link, true)
      l++
    }
    rows.push(row)
  }
  rows.sort((a, b) => a.family - b.family)
  if (rows.length > FEW_ROWS) rows = mergeAlike(rows, keys)
  const list = new BarList()
  const byJob = syncsByJob(schedule, instance.jobs.length)
  rows.forEach((row, r) => {
    stack(list, r, schedule, load[row.links[0]!]!, row.capacity, byJob)
  })
  return { rows, bars: list.build(rows.length) }
}

function mergeAlike(rows: LinkRow[], keys: string[]): LinkRow[] {
  const seen = new Map<string, LinkRow>()
  for (const row of rows) {
    const key = `${row.family}|${row.capacity}|${row.links.length}|${keys[row.links[0]!]}`
    const same = seen.get(key)
    if (same) {
      same.links.push(...row.links)
      same.alike++
    } else seen.set(key, row)
  }
  return [...seen.values()]
}

function syncsByJob(schedule: Schedule, jobs: number): number[][] {
  const list: number[][] = Array.from({ length: jobs }, () => [])
  schedule.syncs.job.forEach((job, i) => {
    list[job]?.push(i)
  })
  return list
}

/**
 * Places the synchronisations of a link on its row. Each has a constant height, its share of
 * the capacity, and is stacked on those at the same time; if no free band is high enough,
 * it takes several.
 */
function stack(
  list: BarList,
  row: number,
  schedule: Schedule,
  uses: { job: number; times: number }[],
  capacity: number,
  byJob: number[][],
): void {
  const parts: { sync: number; from: number; to: number; flags: number; share: number }[] = []
  for (const use of uses) {
    const speed = schedule.spans[use.job]!.slowest
    for (const sync of byJob[use.job]!) {
      const share =
        capacity > 0 ? Math.min((speed / schedule.syncs.rate[sync]!) * (use.times / capacity), 1) : 1
      fold(schedule.syncs.start[sync]!, schedule.syncs.end[sync]!, schedule.period, p => {
        if (p.from < p.to)
          parts.push({
            sync,
            from: p.from,
            to: p.to,
            flags: (p.before ? GOES_ON_BEFORE : 0) | (p.after ? GOES_ON_AFTER : 0),
            share,
          })
      })
    }
  }
  // Parts continued from the previous period stay at the bottom.
  parts.sort(
    (a, b) => a.from - b.from || (b.flags & GOES_ON_BEFORE) - (a.flags & GOES_ON_BEFORE) || a.sync - b.sync,
  )
  let active: { to: number; low: number; high: number }[] = []
  for (const p of parts) {
    active = active.filter(b => b.to > p.from).sort((a, b) => a.low - b.low)
    for (const [low, high] of bands(active, p.share)) {
      list.add(row, p.sync, p.from, p.to, p.flags, low, high)
      active.push({ to: p.to, low, high })
    }
  }
}

const EPS = 1e-6

/** Free bands, between the occupied ones (by height), of total height `need`: a single one if possible. */
export function bands(taken: readonly { low: number; high: number }[], need: number): [number, number][] {
  const free: [number, number][] = []
  let low = 0
  for (const t of [...taken, { low: 1, high: 1 }]) {
    if (t.low - low >= need - EPS) return [[low, Math.min(low + need, 1)]]
    if (t.low - low > EPS) free.push([low, t.low])
    low = Math.max(low, t.high)
  }
  const out: [number, number][] = []
  for (const [a, b] of free) {
    if (need <= EPS) break
    out.push([a, Math.min(b, a + need)])
    need -= b - a
  }
  // More than the capacity: shown at the top, over the others.
  return out.length > 0 ? out : [[Math.max(1 - need, 0), 1]]
}
