// Rows of bars in columns: what is drawn, found and counted on, for GPUs and links alike.

/** Bars by row, each row's by start. Row r has bars first[r]..first[r+1]-1. */
export interface Bars {
  first: Int32Array
  /** Row of the schedule's tasks, or syncs. */
  item: Int32Array
  from: Float64Array
  to: Float64Array
  /** Band of the row's height it takes, 0 the bottom and 1 the top. */
  low: Float32Array
  high: Float32Array
  /** GOES_ON_BEFORE, GOES_ON_AFTER: parts of what crosses a period's boundary. */
  flags: Uint8Array
  /** The latest end among the row's bars up to this one: where a search for what is still there may begin. */
  reach: Float64Array
}

export const GOES_ON_BEFORE = 1
export const GOES_ON_AFTER = 2

/** Bars in any order, to be put into rows. */
export class BarList {
  readonly row: number[] = []
  readonly item: number[] = []
  readonly from: number[] = []
  readonly to: number[] = []
  readonly low: number[] = []
  readonly high: number[] = []
  readonly flags: number[] = []

  add(row: number, item: number, from: number, to: number, flags = 0, low = 0, high = 1): void {
    this.row.push(row)
    this.item.push(item)
    this.from.push(from)
    this.to.push(to)
    this.flags.push(flags)
    this.low.push(low)
    this.high.push(high)
  }

  /** The bars of so many rows, sorted. */
  build(rows: number): Bars {
    const n = this.row.length
    const first = new Int32Array(rows + 1)
    for (const r of this.row) first[r + 1]!++
    for (let r = 0; r < rows; r++) first[r + 1]! += first[r]!
    const order = new Int32Array(n)
    const fill = first.slice(0, rows)
    for (let i = 0; i < n; i++) order[fill[this.row[i]!]!++] = i
    const from = this.from
    for (let r = 0; r < rows; r++) {
      const part = order.subarray(first[r]!, first[r + 1]!)
      let sorted = true
      for (let i = 1; i < part.length && sorted; i++) sorted = from[part[i - 1]!]! <= from[part[i]!]!
      if (!sorted) part.sort((a, b) => from[a]! - from[b]! || a - b)
    }
    const bars: Bars = {
      first,
      item: Int32Array.from(order, i => this.item[i]!),
      from: Float64Array.from(order, i => from[i]!),
      to: Float64Array.from(order, i => this.to[i]!),
      low: Float32Array.from(order, i => this.low[i]!),
      high: Float32Array.from(order, i => this.high[i]!),
      flags: Uint8Array.from(order, i => this.flags[i]!),
      reach: new Float64Array(n),
    }
    for (let r = 0; r < rows; r++) {
      let reach = Number.NEGATIVE_INFINITY
      for (let i = first[r]!; i < first[r + 1]!; i++) {
        reach = Math.max(reach, bars.to[i]!)
        bars.reach[i] = reach
      }
    }
    return bars
  }
}

/** The first of lo..hi-1 for which values[i] > v (values ascending there), or hi. */
export function upper(values: ArrayLike<number>, lo: number, hi: number, v: number): number {
  while (lo < hi) {
    const mid = (lo + hi) >>> 1
    if (values[mid]! > v) hi = mid
    else lo = mid + 1
  }
  return lo
}

/** The range of a row's bars that may be seen between two times; those within it that end before `from` are not. */
export function visible(bars: Bars, row: number, from: number, to: number): [number, number] {
  const lo = bars.first[row]!
  const hi = bars.first[row + 1]!
  const begin = upper(bars.reach, lo, hi, from)
  // The first that starts at or after `to`.
  let a = begin
  let b = hi
  while (a < b) {
    const mid = (a + b) >>> 1
    if (bars.from[mid]! >= to) b = mid
    else a = mid + 1
  }
  return [begin, a]
}
