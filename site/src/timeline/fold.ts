// A periodic plan, folded into one period.

/** A part of an interval. In [0, period) where the plan repeats, else the interval itself. */
export interface Piece {
  from: number
  to: number
  /** The interval goes on across the period's start, or its end. */
  before: boolean
  after: boolean
}

/** How many periods one task may span before the rest is dropped; hostile files only. */
const MAX_WRAPS = 2048

/** Calls each with the parts of [start, end) within one period, in order of time; period 0 does not repeat. */
export function fold(start: number, end: number, period: number, each: (piece: Piece) => void): void {
  if (period <= 0) {
    each({ from: start, to: end, before: false, after: false })
    return
  }
  let from = ((start % period) + period) % period
  let left = end - start
  let before = false
  for (let n = 0; n < MAX_WRAPS; n++) {
    const to = Math.min(from + left, period)
    left -= to - from
    each({ from, to, before, after: left > 0 })
    if (left <= 0) return
    from = 0
    before = true
  }
}
