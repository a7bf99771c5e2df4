// What is drawn, and how it is looked at: the input of drawing and of hit testing.

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
  /** Ticks from 0 that can be seen at all. */
  horizon: number
  /** Pixels above the window of each pane. */
  scroll: { gpus: number; links: number }
  theme: Theme
  usage: Use | null
  /** Where the bound is a time, ticks. */
  bound: number | null
  certified: boolean
  chain: readonly ChainLink[]
  /** Neither makespan nor releases: see TimelineProps. */
  pattern: boolean
  selection: Selection | null
  /** Set while tasks are on their way from where they were in the plan before. */
  moving?: Moving
}

export function scale(s: Scene): Scale {
  return scaleOf(s.range, s.layout.plotWidth)
}

/** Pixels from the left of the canvas of a time. */
export function xOf(s: Scene, t: number): number {
  return s.layout.plotLeft + ((t - s.range.from) * s.layout.plotWidth) / (s.range.to - s.range.from)
}

/** The time at a place. */
export function timeAt(s: Scene, x: number): number {
  return s.range.from + ((x - s.layout.plotLeft) * (s.range.to - s.range.from)) / s.layout.plotWidth
}

/** One element of the plan: a row of the schedule's tasks or syncs. */
export interface Element {
  kind: 'task' | 'sync'
  index: number
}

/** The selection that picks an element out. */
export function selectionOf(m: Model, e: Element): Selection {
  const { tasks, syncs } = m.schedule
  if (e.kind === 'task')
    return { job: tasks.job[e.index]!, iteration: tasks.iteration[e.index]!, gpu: tasks.gpu[e.index]! }
  return { job: syncs.job[e.index]!, iteration: syncs.iteration[e.index]!, gpu: null }
}

/** How far the axis goes: all of the plan, deadlines and the bound where they are not far beyond, and at least `least`. */
export function horizonOf(m: Model, bound: number | null, least: number): number {
  let horizon = Math.max(m.span, 1)
  if (m.period === 0) {
    const near = 1.25 * horizon
    if (bound !== null && bound <= near) horizon = Math.max(horizon, bound)
    for (const job of m.instance.jobs) if (job.deadline <= near) horizon = Math.max(horizon, job.deadline)
  }
  return Math.max(horizon, least)
}

/** Whether two scenes look the same but for what follows the pointer, and the chain. */
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
