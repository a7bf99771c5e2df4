// The plan shown during a search: its schedule is newer than the last result.

import type { Compiled, PlanResult, Schedule } from '../engine/api'
import { longEfficiency } from '../horizon/block'
import { gapOf } from './format'
import { efficiencyOf } from './use'

/** The result with a newer schedule, and what follows from it; the rest is left out. */
export function withSchedule(
  instance: Compiled,
  result: PlanResult,
  schedule: Schedule | null,
  primal: number | null,
): PlanResult {
  if (!schedule || schedule === result.schedule) return result
  return {
    ...result,
    schedule,
    primal,
    gap: gapOf(primal, result.dual),
    efficiency: efficiencyOf(instance, schedule),
    usage: null,
    cost: null,
    chain: [],
    completion: completionOf(instance, schedule),
  }
}

/** A result of what was only streamed, with what follows from its plan. */
export function completed(instance: Compiled, result: PlanResult): PlanResult {
  const { schedule, long, efficiency } = result
  if (efficiency !== null) return result
  if (schedule)
    return {
      ...result,
      efficiency: efficiencyOf(instance, schedule),
      completion: completionOf(instance, schedule),
    }
  if (long) return { ...result, efficiency: longEfficiency(instance, long), completion: Array.from(long.end) }
  return result
}

/** By job, its end in ticks, or its iterations in a period. */
export function completionOf(instance: Compiled, schedule: Schedule): number[] {
  const of = new Array<number>(instance.jobs.length).fill(0)
  if (schedule.period > 0) {
    schedule.tasks.job.forEach((job, i) => {
      of[job] = Math.max(of[job]!, schedule.tasks.iteration[i]!)
    })
    return of
  }
  for (const list of [schedule.tasks, schedule.syncs])
    list.job.forEach((job, i) => {
      of[job] = Math.max(of[job]!, list.end[i]!)
    })
  return of
}

/** A plan task by task, in blocks, or both. */
type Planned = Pick<PlanResult, 'schedule' | 'long'>

export const hasPlan = (of: Planned | null | undefined): boolean => of?.schedule != null || of?.long != null

/** The length of a plan's time axis, ticks. */
export function extentOf({ schedule, long }: Planned): number {
  if (!schedule) return long ? long.end.reduce((a, b) => Math.max(a, b), 1) : 1
  const { period, tasks, syncs } = schedule
  if (period > 0) return period
  let end = 1
  for (const list of [tasks.end, syncs.end]) for (const t of list) end = Math.max(end, t)
  return end
}
