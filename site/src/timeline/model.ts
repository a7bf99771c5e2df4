// A schedule prepared for drawing: rows, bars, colours and lookups.

import type { Compiled, Schedule } from '../engine/api'
import { short } from '../views/format'
import { placeOf } from '../views/gpus'
import { BarList, type Bars, GOES_ON_AFTER, GOES_ON_BEFORE } from './bars'
import { fold } from './fold'
import { type LinkRow, linkRows } from './links'
import { jobColours, SHADES, SYNC_SHADE, shadeOf } from './palette'

export interface Model {
  instance: Compiled
  schedule: Schedule
  /** 0: the plan runs once. */
  period: number
  /** Makespan, or the period, in ticks. */
  span: number
  /** Names of the jobs, fit for a line. */
  names: string[]
  /** Rows of GPUs in drawing order: GPU ids by rack and node. */
  gpus: Int32Array
  /** Row of each GPU. */
  rowOf: Int32Array
  /** Node of each GPU. */
  nodeOf: Int32Array
  /** Bars of tasks on the rows of GPUs. */
  tasks: Bars
  links: LinkRow[]
  /** Bars of synchronisations on the rows of links. */
  syncs: Bars
  /** First bar of each task and of each sync, or -1, and the link row of the latter. */
  taskBar: Int32Array
  syncBar: Int32Array
  syncRow: Int32Array
  /** Paint of each task and sync: colour * SHADES + shade. */
  taskPaint: Uint8Array
  syncPaint: Uint8Array
  /** Tasks and syncs by job, iteration, GPU. */
  taskOrder: Int32Array
  syncOrder: Int32Array
}

/** nodes: those whose GPUs have rows, all by default; tasks elsewhere have no bars. */
export function buildModel(instance: Compiled, schedule: Schedule, nodes?: readonly number[]): Model {
  const { tasks, syncs, period } = schedule
  const { gpus, nodeOf } = gpuOrder(instance, nodes && new Set(nodes))
  const rowOf = new Int32Array(nodeOf.length).fill(-1)
  gpus.forEach((gpu, row) => {
    rowOf[gpu] = row
  })
  const list = new BarList(tasks.gpu.length)
  let span = period
  for (let i = 0; i < tasks.gpu.length; i++) {
    if (period === 0) span = Math.max(span, tasks.end[i]!)
    if (rowOf[tasks.gpu[i]!]! < 0) continue
    fold(tasks.start[i]!, tasks.end[i]!, period, p => {
      list.add(
        rowOf[tasks.gpu[i]!]!,
        i,
        p.from,
        p.to,
        (p.before ? GOES_ON_BEFORE : 0) | (p.after ? GOES_ON_AFTER : 0),
      )
    })
  }
  if (period === 0) for (const end of syncs.end) span = Math.max(span, end)
  const colours = jobColours(instance)
  const taskPaint = new Uint8Array(tasks.job.length)
  for (let i = 0; i < taskPaint.length; i++) {
    const job = tasks.job[i]!
    taskPaint[i] = colours[job]! * SHADES + shadeOf(tasks.depth[i]!, instance.jobs[job]!.depths.length - 1)
  }
  const syncPaint = new Uint8Array(syncs.job.length)
  for (let i = 0; i < syncPaint.length; i++) syncPaint[i] = colours[syncs.job[i]!]! * SHADES + SYNC_SHADE
  const { rows: links, bars } = linkRows(instance, schedule, gpu => rowOf[gpu]! >= 0)
  const taskBars = list.build(gpus.length)
  const { bar: taskBar } = firstBars(taskBars, tasks.job.length)
  const { bar: syncBar, row: syncRow } = firstBars(bars, syncs.job.length)
  return {
    instance,
    schedule,
    period,
    span,
    names: instance.jobs.map(job => short(job.name)),
    gpus,
    rowOf,
    nodeOf,
    links,
    syncs: bars,
    tasks: taskBars,
    taskBar,
    syncBar,
    syncRow,
    taskPaint,
    syncPaint,
    taskOrder: order(tasks.job, tasks.iteration, tasks.gpu),
    syncOrder: order(syncs.job, syncs.iteration, null),
  }
}

/** The first bar of each of n items, in order of rows, and its row; -1 if there is none. */
function firstBars(bars: Bars, n: number): { bar: Int32Array; row: Int32Array } {
  const bar = new Int32Array(n).fill(-1)
  const row = new Int32Array(n).fill(-1)
  for (let r = bars.first.length - 2; r >= 0; r--)
    for (let b = bars.first[r + 1]! - 1; b >= bars.first[r]!; b--) {
      bar[bars.item[b]!] = b
      row[bars.item[b]!] = r
    }
  return { bar, row }
}

/** GPU ids of the nodes by rack and node, and the node of every GPU. */
function gpuOrder(instance: Compiled, nodes?: ReadonlySet<number>): { gpus: Int32Array; nodeOf: Int32Array } {
  const count = instance.nodes.reduce((n, node) => n + node.gpus, 0)
  const gpus = new Int32Array(count)
  const nodeOf = new Int32Array(count)
  const seen = new Set<number>()
  let row = 0
  const add = (n: number) => {
    const node = instance.nodes[n]
    if (!node || seen.has(n)) return
    seen.add(n)
    for (let g = node.first_gpu; g < node.first_gpu + node.gpus; g++) {
      if (!nodes || nodes.has(n)) gpus[row++] = g
      nodeOf[g] = n
    }
  }
  for (const rack of instance.racks) rack.nodes.forEach(add)
  instance.nodes.forEach((_, n) => {
    add(n)
  })
  return { gpus: gpus.subarray(0, row), nodeOf }
}

/** Rows by job, iteration, GPU. A schedule is usually in this order. */
function order(job: Int32Array, iteration: Int32Array, gpu: Int32Array | null): Int32Array {
  const compare = (a: number, b: number) =>
    job[a]! - job[b]! || iteration[a]! - iteration[b]! || (gpu ? gpu[a]! - gpu[b]! : 0)
  const rows = new Int32Array(job.length)
  for (let i = 0; i < rows.length; i++) rows[i] = i
  for (let i = 1; i < rows.length; i++) if (compare(i - 1, i) > 0) return rows.sort(compare)
  return rows
}

/** The range of an order that belongs to an iteration; iteration 0 is the whole job. */
function rangeOf(
  rows: Int32Array,
  jobs: Int32Array,
  iterations: Int32Array,
  job: number,
  iteration: number,
): [number, number] {
  const first = (after: boolean) => {
    let lo = 0
    let hi = rows.length
    while (lo < hi) {
      const mid = (lo + hi) >>> 1
      const i = rows[mid]!
      const c = jobs[i]! - job || (iteration === 0 ? 0 : iterations[i]! - iteration)
      if (after ? c > 0 : c >= 0) hi = mid
      else lo = mid + 1
    }
    return lo
  }
  return [first(false), first(true)]
}

/** Rows of the schedule's tasks that belong to an iteration, by GPU; iteration 0: to the job. */
export function tasksOf(m: Model, job: number, iteration: number): Int32Array {
  const { tasks } = m.schedule
  return m.taskOrder.subarray(...rangeOf(m.taskOrder, tasks.job, tasks.iteration, job, iteration))
}

/** Rows of the schedule's syncs that belong to an iteration; iteration 0: to the job. */
export function syncsOf(m: Model, job: number, iteration: number): Int32Array {
  const { syncs } = m.schedule
  return m.syncOrder.subarray(...rangeOf(m.syncOrder, syncs.job, syncs.iteration, job, iteration))
}

/** The name of a GPU: its node's, and its place there. */
export function gpuName(m: Model, gpu: number): string {
  const node = m.instance.nodes[m.nodeOf[gpu]!]
  return node ? `${short(node.name)}.gpu${placeOf(node, gpu)}` : `gpu${gpu}`
}
