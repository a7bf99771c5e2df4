// A plan changed by hand: tasks that a visitor moves, and the checker's verdict on each move.
import { type ReadonlySignal, signal } from '@preact/signals'
import type { Compiled, Schedule } from '../engine/api'
import type { Engine } from '../engine/client'
import type { TaskMove } from '../views/props'

/** The checker's verdict on a schedule. */
export interface Verdict {
  violations: { rule: string; message: string }[]
  /** null if it violates a rule. */
  value: number | null
}

export interface HandPlan {
  text: string
  instance: Compiled
  schedule: Schedule
  /** The verdict on an earlier move until that on the latest arrives; null: none yet. */
  verdict: Verdict | null
  /** The number of moves. */
  moves: number
}

/** Each move checks all tasks again: with more tasks that is no longer instant. */
export const MOST_BY_HAND = 20_000

/** Whether a plan can be changed by hand: it must run once, and be small enough to be checked at each move. */
export const canBeMoved = (instance: Compiled, schedule: Schedule | null) =>
  schedule !== null && !instance.periodic && schedule.tasks.job.length <= MOST_BY_HAND

export class Hand {
  private readonly planSignal = signal<HandPlan | null>(null)
  private past: Schedule[] = []
  /** The starting point of a move in progress. */
  private held: Schedule | null = null
  private asking = false

  constructor(private readonly engine: Engine) {}

  get plan(): ReadonlySignal<HandPlan | null> {
    return this.planSignal
  }

  /** Begins with the current plan. */
  begin(text: string, instance: Compiled, schedule: Schedule): void {
    this.past = []
    this.held = null
    this.planSignal.value = { text, instance, schedule, verdict: null, moves: 0 }
    void this.judge()
  }

  /** Returns to the planner's plan. */
  end(): void {
    this.planSignal.value = this.held = null
  }

  move(task: number, { by, reach, whole, done }: TaskMove): void {
    const plan = this.planSignal.peek()
    if (!plan) return
    const from = this.held ?? plan.schedule
    const schedule = moved(from, task, snapped(from, task, by, reach), whole)
    this.held = done ? null : from
    if (done && schedule.tasks.start[task] !== from.tasks.start[task]) this.past.push(from)
    this.show(plan, schedule)
  }

  undo(): void {
    const plan = this.planSignal.peek()
    const schedule = this.past.pop()
    if (plan && schedule) this.show(plan, schedule)
  }

  private show(plan: HandPlan, schedule: Schedule): void {
    this.planSignal.value = { ...plan, schedule, moves: this.past.length }
    void this.judge()
  }

  /** Asks about the latest schedule, one at a time. */
  private async judge(): Promise<void> {
    if (this.asking) return
    this.asking = true
    try {
      for (;;) {
        const plan = this.planSignal.peek()
        if (!plan) return
        const { text, schedule } = plan
        const verdict = await this.engine.call('judge', { text, schedule })
        const now = this.planSignal.peek()
        if (now?.text === text) this.planSignal.value = { ...now, verdict }
        if (now?.schedule === schedule) return
      }
    } catch {
      // The engine has reported this; the next move asks again.
    } finally {
      this.asking = false
    }
  }
}

/** The schedule with a task, or all tasks and the synchronisation of its iteration, moved; nothing starts before 0. */
export function moved(from: Schedule, task: number, by: number, whole: boolean): Schedule {
  const { tasks, syncs } = from
  const same = (list: { job: Int32Array; iteration: Int32Array }, i: number) =>
    whole && list.job[i] === tasks.job[task] && list.iteration[i] === tasks.iteration[task]
  const goes = tasks.start.map((_, i) => (i === task || same(tasks, i) ? 1 : 0))
  let shift = Math.round(by)
  for (let i = 0; i < goes.length; i++) if (goes[i]) shift = Math.max(shift, -tasks.start[i]!)
  const taskBy = (at: Float64Array) => at.map((t, i) => t + (goes[i] ? shift : 0))
  const syncBy = (at: Float64Array) => at.map((t, i) => t + (same(syncs, i) ? shift : 0))
  return {
    ...from,
    tasks: { ...tasks, start: taskBy(tasks.start), end: taskBy(tasks.end) },
    syncs: { ...syncs, start: syncBy(syncs.start), end: syncBy(syncs.end) },
  }
}

/**
 * How far a task moves that is dragged by so many ticks: within reach it snaps to where it begins as another
 * task on its GPU, or a synchronisation of its job, ends, or ends as one begins.
 */
export function snapped({ tasks, syncs }: Schedule, task: number, by: number, reach: number): number {
  const [start, end] = [tasks.start[task]!, tasks.end[task]!]
  let best = Math.round(by)
  let off = reach
  const offer = (shift: number) => {
    const distance = Math.abs(shift - by)
    if (distance < off) {
      off = distance
      best = shift
    }
  }
  for (let i = 0; i < tasks.job.length; i++) {
    if (i === task || tasks.gpu[i] !== tasks.gpu[task]) continue
    offer(tasks.end[i]! - start)
    offer(tasks.start[i]! - end)
  }
  for (let i = 0; i < syncs.job.length; i++) {
    if (syncs.job[i] !== tasks.job[task]) continue
    if (syncs.iteration[i]! < tasks.iteration[task]!) offer(syncs.end[i]! - start)
    if (syncs.iteration[i] === tasks.iteration[task]) offer(syncs.start[i]! - end)
  }
  return best
}
