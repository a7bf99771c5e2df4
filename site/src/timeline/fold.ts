// A periodic plan, folded into one period.

/** A part of an interval: within [0, period) if the plan repeats, else the interval itself. */
export interface Piece {
  from: number
  to: number
  /** Whether the interval continues across the period's start, or its end. */
  before: boolean
  after: boolean
}

/** How many periods one task may span before the rest is dropped; only hostile files have more. */
const MAX_WRAPS = 2048

/** Calls each with the parts of [start, end) within single periods, in order of time; period 0: the plan does not repeat. */
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
