// Describes the gain from choosing the numbers of workers.
import type { MoldAnswer } from '../engine/api'
import { decimal, gapOf, LEAST_GAP, percent, plural, short, ticks } from './format'

/** The number of workers of each job, in words. */
export const workersOf = ({ jobs }: MoldAnswer, workers: readonly number[]) =>
  jobs.map((job, j) => `${short(job)} ${workers[j]}`).join(', ')

/** How many of the combinations were tried. */
export function triedOf({ tried, choices }: MoldAnswer): string {
  if (tried.length < choices) return `${decimal(tried.length)} of ${plural(choices, 'combination')}`
  return choices === 1 ? 'the only combination' : `all ${plural(choices, 'combination')}`
}

/** How much sooner the plan ends than with the most workers for each job, and with the fewest; empty if neither ends later. */
export function gainOfMold({ tried, tick_us }: MoldAnswer): string {
  const value = tried[0]?.value ?? null
  if (value === null) return ''
  const parts = (
    [
      ['the most', Math.max],
      ['the fewest', Math.min],
    ] as const
  ).flatMap(([name, pick]) => {
    const wanted = tried[0]?.workers.map((_, j) => pick(...tried.map(({ workers }) => workers[j] ?? 0)))
    const other = tried.find(({ workers }) => workers.every((w, j) => w === wanted?.[j]))?.value ?? null
    if (other === null || other <= value) return []
    return `${percent((other - value) / other)} sooner than with ${name} workers for each job (${ticks(other, tick_us, value)})`
  })
  return parts.length === 0 ? '' : `The plan ends after ${ticks(value, tick_us)}: ${parts.join(', and ')}.`
}

/** The bound over all numbers of workers, in words. */
export function boundOfMold({ tried, bound, tick_us }: MoldAnswer): string {
  if (bound === null) return ''
  const value = tried[0]?.value ?? null
  const gap = gapOf(value, bound)
  const room =
    gap === null
      ? ''
      : gap === 0
        ? ': no plan is better'
        : `: at most ${percent(Math.max(gap, LEAST_GAP))} sooner`
  return `With any numbers of workers no plan ends before ${ticks(bound, tick_us, value)}, by exact arithmetic${room}.`
}
