// The animation from one plan to another: where a task of the new plan was in the old one, and its
// position in between. Tasks are matched by job name, iteration, and worker in the order of GPUs.

import { type Model, tasksOf } from './model'
import { type Scene, xOf } from './scene'

/** Duration of the animation, in ms. */
export const MORPH_MS = 450
/** More tasks cannot be followed by eye, and take too long to draw. */
const MOST_TASKS = 4000

/** Positions of tasks in pixels, by row of the schedule; NaN if a task has none. */
export interface Boxes {
  x: Float64Array
  y: Float64Array
  w: Float64Array
}

/** A plan during the animation. */
export interface Moving {
  from: Boxes
  /** 0 to 1. */
  at: number
}

function boxes(s: Scene): Boxes {
  const { model, layout } = s
  const { gpu } = model.schedule.tasks
  const list = {
    x: new Float64Array(gpu.length),
    y: new Float64Array(gpu.length),
    w: new Float64Array(gpu.length),
  }
  for (let i = 0; i < gpu.length; i++) {
    const bar = model.taskBar[i]!
    list.x[i] = bar < 0 ? Number.NaN : xOf(s, model.tasks.from[bar]!)
    list.w[i] = bar < 0 ? Number.NaN : xOf(s, model.tasks.to[bar]!) - list.x[i]!
    list.y[i] = layout.gpus.top + layout.gpus.y[model.rowOf[gpu[i]!]!]! - s.scroll.gpus
  }
  return list
}

/** Where the tasks of the next plan come from; null if nothing moves. */
export function carry(former: Scene, next: Model): Boxes | null {
  const { job } = next.schedule.tasks
  const old = former.model
  if (job.length > MOST_TASKS || old.schedule.tasks.job.length > MOST_TASKS) return null
  if (old.period > 0 !== next.period > 0) return null
  const was = boxes(former)
  const from: Boxes = {
    x: new Float64Array(job.length).fill(Number.NaN),
    y: new Float64Array(job.length),
    w: new Float64Array(job.length),
  }
  const places = new Map(old.instance.jobs.map((job, j) => [job.name, j]))
  next.instance.jobs.forEach(({ name, iterations }, j) => {
    const before = places.get(name)
    if (before === undefined) return
    for (let k = 1; k <= iterations; k++) {
      const mine = tasksOf(next, j, k)
      const theirs = tasksOf(old, before, k)
      for (let w = 0; w < Math.min(mine.length, theirs.length); w++) {
        from.x[mine[w]!] = was.x[theirs[w]!]!
        from.y[mine[w]!] = was.y[theirs[w]!]!
        from.w[mine[w]!] = was.w[theirs[w]!]!
      }
    }
  })
  return from.x.some(x => !Number.isNaN(x)) ? from : null
}

/** The current positions of the tasks; new tasks are at their final positions. */
export function between(s: Scene, { from, at }: Moving): Boxes {
  const to = boxes(s)
  const ease = at < 0.5 ? 4 * at ** 3 : 1 - (2 - 2 * at) ** 3 / 2
  for (let i = 0; i < to.x.length; i++) {
    if (Number.isNaN(from.x[i]!)) continue
    for (const side of ['x', 'y', 'w'] as const)
      to[side][i] = from[side][i]! + ease * (to[side][i]! - from[side][i]!)
  }
  return to
}
