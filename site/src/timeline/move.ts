// From one element of the plan to the next, for the keyboard.

import type { Selection } from '../views/props'
import { type Bars, upper, visible } from './bars'
import type { Model } from './model'
import { syncsOf, tasksOf } from './model'
import type { Element } from './scene'

export type Step = 'left' | 'right' | 'up' | 'down'

/** The element that a selection refers to, in this schedule; the first of an iteration or job if it is not more specific. */
export function elementOf(m: Model, s: Selection): Element | null {
  const tasks = tasksOf(m, s.job, s.iteration)
  if (s.gpu === null && s.iteration > 0) {
    const sync = syncsOf(m, s.job, s.iteration)[0]
    if (sync !== undefined) return { kind: 'sync', index: sync }
  }
  for (const i of tasks) if (m.schedule.tasks.gpu[i] === s.gpu) return { kind: 'task', index: i }
  return tasks[0] === undefined ? null : { kind: 'task', index: tasks[0] }
}

/** The position of an element: its first row, and its first bar there. */
export function placeOf(m: Model, e: Element): { pane: 'gpus' | 'links'; row: number; bar: number } | null {
  const task = e.kind === 'task'
  const bar = (task ? m.taskBar : m.syncBar)[e.index] ?? -1
  if (bar < 0) return null
  return task
    ? { pane: 'gpus', row: m.rowOf[m.schedule.tasks.gpu[e.index]!]!, bar }
    : { pane: 'links', row: m.syncRow[e.index]!, bar }
}

function find(bars: Bars, row: number, item: number): number {
  for (let i = bars.first[row]!; i < bars.first[row + 1]!; i++) if (bars.item[i] === item) return i
  return -1
}

/** The neighbour of an element in its row, or the nearest in time in the row above or below; null at an end. */
export function neighbour(
  m: Model,
  e: Element,
  step: Step,
  row?: number,
): { element: Element; row: number } | null {
  const place = placeOf(m, e)
  if (!place) return null
  const { pane } = place
  const bars = pane === 'gpus' ? m.tasks : m.syncs
  const at = row !== undefined && find(bars, row, e.index) >= 0 ? row : place.row
  const bar = find(bars, at, e.index)
  if (step === 'left' || step === 'right') {
    const next = bar + (step === 'left' ? -1 : 1)
    // Another piece of the same element does not count as a step.
    for (let i = next; i >= bars.first[at]! && i < bars.first[at + 1]!; i += step === 'left' ? -1 : 1)
      if (bars.item[i] !== e.index) return { element: { kind: e.kind, index: bars.item[i]! }, row: at }
    return null
  }
  const middle = (bars.from[bar]! + bars.to[bar]!) / 2
  const all = m.gpus.length + m.links.length
  const by = step === 'up' ? -1 : 1
  for (let r = (pane === 'gpus' ? 0 : m.gpus.length) + at + by; r >= 0 && r < all; r += by) {
    const other = r < m.gpus.length ? m.tasks : m.syncs
    const local = r < m.gpus.length ? r : r - m.gpus.length
    const near = nearest(other, local, middle)
    if (near >= 0)
      return { element: { kind: r < m.gpus.length ? 'task' : 'sync', index: other.item[near]! }, row: local }
  }
  return null
}

/** The bar of a row nearest to a time, or -1. */
function nearest(bars: Bars, row: number, t: number): number {
  const lo = bars.first[row]!
  const hi = bars.first[row + 1]!
  if (lo === hi) return -1
  const [a, b] = visible(bars, row, t, t + Number.MIN_VALUE)
  if (a < b && bars.to[a]! > t) return a
  const after = upper(bars.from, lo, hi, t)
  if (after === lo) return lo
  if (after === hi) return hi - 1
  return t - bars.to[after - 1]! <= bars.from[after]! - t ? after - 1 : after
}

/** The first element that starts in the visible range, from the top row down. */
export function firstSeen(
  m: Model,
  range: { from: number; to: number },
  rows: [number, number],
): Element | null {
  for (let row = rows[0]; row < rows[1]; row++) {
    const [lo, hi] = visible(m.tasks, row, range.from, range.to)
    if (lo < hi) return { kind: 'task', index: m.tasks.item[lo]! }
  }
  return null
}
