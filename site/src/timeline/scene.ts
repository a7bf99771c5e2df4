// What is drawn, and in which view: the input of drawing and of hit testing.

import type { ChainLink } from '../engine/api'
import type { Selection, TimeRange, Use } from '../views/props'
import type { Layout } from './layout'
import { type Scale, scaleOf } from './level'
import type { Model } from './model'
import type { Moving } from './morph'
import type { Theme } from './palette'

export interface Scene {
  model: Model
  layout: Layout
  range: TimeRange
  /** The end of the time axis, in ticks. */
  horizon: number
  /** Scroll position of each pane, in pixels. */
  scroll: { gpus: number; links: number }
  theme: Theme
  usage: Use | null
  /** The bound in ticks, if it is a time. */
  bound: number | null
  certified: boolean
  chain: readonly ChainLink[]
  /** Neither makespan nor releases: see TimelineProps. */
  pattern: boolean
  selection: Selection | null
  /** Set while tasks move from their positions in the previous plan. */
  moving?: Moving
}

export function scale(s: Scene): Scale {
  return scaleOf(s.range, s.layout.plotWidth)
}

/** The position of a time, in pixels from the left of the canvas. */
export function xOf(s: Scene, t: number): number {
  return s.layout.plotLeft + ((t - s.range.from) * s.layout.plotWidth) / (s.range.to - s.range.from)
}

/** The time at a position. */
export function timeAt(s: Scene, x: number): number {
  return s.range.from + ((x - s.layout.plotLeft) * (s.range.to - s.range.from)) / s.layout.plotWidth
}

/** One element of the plan: a row of the schedule's tasks or syncs. */
export interface Element {
  kind: 'task' | 'sync'
  index: number
}

/** The selection of an element. */
export function selectionOf(m: Model, e: Element): Selection {
  const { tasks, syncs } = m.schedule
  if (e.kind === 'task')
    return { job: tasks.job[e.index]!, iteration: tasks.iteration[e.index]!, gpu: tasks.gpu[e.index]! }
  return { job: syncs.job[e.index]!, iteration: syncs.iteration[e.index]!, gpu: null }
}

/** The end of the axis: it covers the plan, deadlines and the bound if they are not far beyond, and at least `least`. */
export function horizonOf(m: Model, bound: number | null, least: number): number {
  let horizon = Math.max(m.span, 1)
  if (m.period === 0) {
    const near = 1.25 * horizon
    if (bound !== null && bound <= near) horizon = Math.max(horizon, bound)
    for (const job of m.instance.jobs) if (job.deadline <= near) horizon = Math.max(horizon, job.deadline)
  }
  return Math.max(horizon, least)
}

/** Whether two scenes look the same except for the chain and what follows the pointer. */
export function sameBase(a: Scene, b: Scene): boolean {
  return (
    a.model === b.model &&
    a.moving === b.moving &&
    a.layout === b.layout &&
    a.range.from === b.range.from &&
    a.range.to === b.range.to &&
    a.horizon === b.horizon &&
    a.scroll.gpus === b.scroll.gpus &&
    a.scroll.links === b.scroll.links &&
    a.theme === b.theme &&
    a.usage === b.usage &&
    a.bound === b.bound &&
    a.certified === b.certified &&
    a.selection?.job === b.selection?.job &&
    a.selection?.iteration === b.selection?.iteration
  )
}
