// Level of detail: which bars of a row are drawn one by one, and what happens to those that
// are too narrow. Nothing is dropped: narrow bars fill columns, one pixel wide, as high as the
// share of the column that they cover.

import { type Bars, visible } from './bars'

/** A linear map from ticks to pixels, and the visible pixels. */
export interface Scale {
  from: number
  to: number
  /** Pixels per tick. */
  perTick: number
  /** Pixels between from and to. */
  width: number
}

export function scaleOf(range: { from: number; to: number }, width: number): Scale {
  return { from: range.from, to: range.to, perTick: width / (range.to - range.from), width }
}

/** Bars at least this wide, in pixels, are drawn one by one. */
export const NARROW = 1

export class Columns {
  /** Covered part of each column, 0..1 (times the heights of bars, if they have heights). */
  readonly cover: Float64Array
  /** Bar that covers most of the column. */
  readonly main: Int32Array
  private readonly most: Float64Array
  private lo = 0
  private hi = 0

  constructor(width: number) {
    const n = Math.ceil(width) + 1
    this.cover = new Float64Array(n)
    this.main = new Int32Array(n)
    this.most = new Float64Array(n)
  }

  private add(column: number, cover: number, bar: number): void {
    if (cover <= 0 || column < 0 || column >= this.cover.length) return
    if (this.lo === this.hi) {
      this.lo = column
      this.hi = column + 1
    }
    this.lo = Math.min(this.lo, column)
    this.hi = Math.max(this.hi, column + 1)
    this.cover[column]! += cover
    if (cover > this.most[column]!) {
      this.most[column] = cover
      this.main[column] = bar
    }
  }

  /** Adds a bar narrower than a pixel, or the narrow visible piece of it. */
  put(x0: number, x1: number, height: number, bar: number): void {
    const c = Math.floor(x0)
    if (x1 <= c + 1) this.add(c, (x1 - x0) * height, bar)
    else {
      this.add(c, (c + 1 - x0) * height, bar)
      this.add(c + 1, (x1 - c - 1) * height, bar)
    }
  }

  /** Calls each with every column that is covered, left to right, and forgets them. */
  flush(each: (column: number, cover: number, bar: number) => void): void {
    for (let c = this.lo; c < this.hi; c++) {
      if (this.cover[c]! > 0) each(c, Math.min(this.cover[c]!, 1), this.main[c]!)
      this.cover[c] = 0
      this.most[c] = 0
    }
    this.lo = this.hi = 0
  }
}

/**
 * Calls each with every visible bar of a row that is at least NARROW wide, with its
 * edges in pixels from the left of the visible range; narrower ones go into columns.
 * Edges may be outside the visible range.
 */
export function wide(
  bars: Bars,
  row: number,
  scale: Scale,
  columns: Columns,
  each: (bar: number, x0: number, x1: number) => void,
): void {
  const [lo, hi] = visible(bars, row, scale.from, scale.to)
  const { from, to, low, high } = bars
  for (let i = lo; i < hi; i++) {
    if (to[i]! <= scale.from) continue
    const x0 = (from[i]! - scale.from) * scale.perTick
    const x1 = (to[i]! - scale.from) * scale.perTick
    if (x1 - x0 >= NARROW) each(i, x0, x1)
    else columns.put(Math.max(x0, 0), Math.min(x1, scale.width), high[i]! - low[i]!, i)
  }
}
