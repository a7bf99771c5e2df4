// Describes the effect of a change of the cluster on the plan: which jobs moved, and what it costs.

import type { Compiled, ObjectiveName, Schedule } from '../engine/api'
import { minimised, objectiveValue, percent, plural, short } from './format'
import { nameOfGPU, nodeOf } from './gpus'

/** A plan before or after. */
export interface Side {
  instance: Compiled
  schedule: Schedule | null
  value: number | null
}

/** How many jobs are listed by name. */
const FEW = 3

/** Jobs by name with their GPUs, as the nodes call them. */
function homes({ instance, schedule }: Side): Map<string, string> {
  return new Map(
    instance.jobs.map((job, j) => [
      job.name,
      (schedule?.residency[j] ?? [])
        .map(gpu => {
          const node = nodeOf(instance, gpu)
          return node ? nameOfGPU(node, gpu) : gpu
        })
        .sort()
        .join(),
    ]),
  )
}

/** Which jobs moved, in words. */
export function movedWords(before: Side, after: Side): string {
  const was = homes(before)
  const stays = [...homes(after)].filter(([name]) => was.has(name))
  const moved = stays.filter(([name, gpus]) => was.get(name) !== gpus).map(([name]) => short(name))
  if (moved.length === 0) return 'every job stays on its GPUs'
  const names =
    moved.length === stays.length && moved.length > 1
      ? `all ${plural(moved.length, 'job')}`
      : moved.length > FEW
        ? `${moved.slice(0, FEW).join(', ')} and ${plural(moved.length - FEW, 'other job')}`
        : moved.join(moved.length === 2 ? ' and ' : ', ').replace(/, ([^,]*)$/, ' and $1')
  return `${names} ${moved.length === 1 ? 'runs' : 'run'} on other GPUs than before`
}

/** The effect on the plan, in words; empty if there is nothing to compare. */
export function healedWords(before: Side, after: Side, objective: ObjectiveName): string {
  if (!before.schedule || !after.schedule || before.value === null || after.value === null) return ''
  // Ticks may differ.
  const scale = minimised(objective) ? after.instance.tick_us / before.instance.tick_us : 1
  const by = (after.value * scale) / before.value - 1
  const value = (v: number) => objectiveValue(v, objective, before.instance.tick_us, before.value)
  const better = by < 0 === minimised(objective)
  const amount =
    Math.abs(by) < 0.0005
      ? 'the plan is as good as before'
      : `the plan is ${percent(Math.abs(by))} ${better ? 'better' : 'worse'}`
  return `${movedWords(before, after)}; ${amount}: ${value(before.value)} → ${value(after.value * scale)}.`
}
