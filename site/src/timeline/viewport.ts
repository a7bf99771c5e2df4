// The visible part of the time: zoom and pan, as pure functions of ranges in ticks.

import { timeUnit } from '../views/format'
import type { TimeRange } from '../views/props'

/** A tick is never wider than this many pixels: further in there is nothing to see. */
const MOST_PX_PER_TICK = 48

/** The shortest range worth showing. */
export function shortest(horizon: number, width: number): number {
  return Math.min(horizon, Math.max(width / MOST_PX_PER_TICK, 1e-6))
}

/** The range moved and cut to fit between 0 and the horizon. */
export function clamp(r: TimeRange, horizon: number, width: number): TimeRange {
  const length = Math.min(Math.max(r.to - r.from, shortest(horizon, width)), horizon)
  // A range that is too short grows around its middle.
  let from = (r.from + r.to - length) / 2
  from = Math.min(Math.max(from, 0), horizon - length)
  return { from, to: from + length }
}

/** The range with `factor` times its length, the time `at` staying where it is. */
export function zoom(r: TimeRange, at: number, factor: number, horizon: number, width: number): TimeRange {
  const length = Math.min(Math.max((r.to - r.from) * factor, shortest(horizon, width)), horizon)
  const share = (at - r.from) / (r.to - r.from)
  return clamp({ from: at - share * length, to: at - share * length + length }, horizon, width)
}

export function pan(r: TimeRange, by: number, horizon: number, width: number): TimeRange {
  return clamp({ from: r.from + by, to: r.to + by }, horizon, width)
}

/** The least pan, with a zoom out if necessary, that brings an interval into sight with a margin. */
export function reveal(r: TimeRange, from: number, to: number, horizon: number, width: number): TimeRange {
  const air = 0.08 * (r.to - r.from)
  if (to - from + 2 * air > r.to - r.from) {
    const length = (to - from) * 1.2
    return clamp({ from: (from + to - length) / 2, to: (from + to + length) / 2 }, horizon, width)
  }
  if (from < r.from) return pan(r, from - air - r.from, horizon, width)
  if (to > r.to) return pan(r, to + air - r.to, horizon, width)
  return r
}

/** Whether everything is seen. */
export function isWhole(r: TimeRange, horizon: number): boolean {
  return r.from <= 0 && r.to >= horizon
}

/** Round times on an axis for about n marks, in ticks, with the step between them. */
export function marks(r: TimeRange, n: number, tickUs: number): { step: number; at: number[] } {
  const us = ((r.to - r.from) * tickUs) / Math.max(n, 1)
  // In round parts of the unit in which times are written: a quarter of an hour would round to 0.3 h.
  const unit = timeUnit(r.to * tickUs).us
  const round = us < unit ? unit * decimalStep(us / unit) : roundStep(us)
  const step = Math.max(round / tickUs, Number.MIN_VALUE)
  const at: number[] = []
  for (let i = Math.ceil(r.from / step - 1e-9) + 0; i * step <= r.to * (1 + 1e-12) && at.length < 200; i++)
    at.push(i * step)
  return { step, at }
}

/** Steps of a clock, in seconds, above the decimal ones. */
const CLOCK = [60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 21600, 43200, 86400]

/** The least round time of at least us microseconds: 1, 2 or 5 times a power of ten, or a step of a clock; in hours beyond a day. */
function roundStep(us: number): number {
  if (us > 86400e6) return 3600e6 * decimalStep(us / 3600e6)
  return us > 20e6 ? CLOCK.find(step => step * 1e6 >= us)! * 1e6 : decimalStep(us)
}

function decimalStep(us: number): number {
  const scale = 10 ** Math.floor(Math.log10(us))
  for (const m of [1, 2, 5]) if (m * scale >= us * (1 - 1e-9)) return m * scale
  return 10 * scale
}
