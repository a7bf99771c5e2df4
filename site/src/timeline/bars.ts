// Rows of bars as columns of numbers, for drawing, hit testing and sums, for GPUs and links alike.

/** Bars by row, sorted by start. Row r has bars first[r]..first[r+1]-1. */
export interface Bars {
  first: Int32Array
  /** Row of the schedule's tasks, or syncs. */
  item: Int32Array
  from: Float64Array
  to: Float64Array
  /** The band of the row's height that the bar occupies: 0 is the bottom, 1 the top. */
  low: Float32Array
  high: Float32Array
  /** GOES_ON_BEFORE, GOES_ON_AFTER: parts of an interval that crosses a period's boundary. */
  flags: Uint8Array
  /** The latest end among the row's bars up to this one, to find the first bar that may still be visible. */
  reach: Float64Array
}

export const GOES_ON_BEFORE = 1
export const GOES_ON_AFTER = 2

/** Collects bars in any order, to be put into rows. Typed arrays that double, because a plan may have very many. */
export class BarList {
  length = 0
  row: Int32Array
  item: Int32Array
  from: Float64Array
  to: Float64Array
  low: Float32Array
  high: Float32Array
  flags: Uint8Array

  /** room: the expected number of bars. */
  constructor(room = 64) {
    this.row = new Int32Array(room)
    this.item = new Int32Array(room)
    this.from = new Float64Array(room)
    this.to = new Float64Array(room)
    this.low = new Float32Array(room)
    this.high = new Float32Array(room)
    this.flags = new Uint8Array(room)
  }

  add(row: number, item: number, from: number, to: number, flags = 0, low = 0, high = 1): void {
    if (this.length === this.row.length) this.grow()
    const n = this.length++
    this.row[n] = row
    this.item[n] = item
    this.from[n] = from
    this.to[n] = to
    this.flags[n] = flags
    this.low[n] = low
    this.high[n] = high
  }

  private grow(): void {
    const room = 2 * this.row.length + 64
    const copy = <T extends { set(from: T): void }>(to: T, from: T): T => {
      to.set(from)
      return to
    }
    this.row = copy(new Int32Array(room), this.row)
    this.item = copy(new Int32Array(room), this.item)
    this.from = copy(new Float64Array(room), this.from)
    this.to = copy(new Float64Array(room), this.to)
    this.low = copy(new Float32Array(room), this.low)
    this.high = copy(new Float32Array(room), this.high)
    this.flags = copy(new Uint8Array(room), this.flags)
  }

  /** The bars sorted into the given number of rows. */
  build(rows: number): Bars {
    const n = this.length
    const first = new Int32Array(rows + 1)
    for (let i = 0; i < n; i++) first[this.row[i]! + 1]!++
    for (let r = 0; r < rows; r++) first[r + 1]! += first[r]!
    const order = new Int32Array(n)
    const next = first.slice(0, rows)
    for (let i = 0; i < n; i++) order[next[this.row[i]!]!++] = i
    const bars: Bars = {
      first,
      item: new Int32Array(n),
      from: new Float64Array(n),
      to: new Float64Array(n),
      low: new Float32Array(n),
      high: new Float32Array(n),
      flags: new Uint8Array(n),
      reach: new Float64Array(n),
    }
    for (let r = 0; r < rows; r++) {
      this.sort(order.subarray(first[r], first[r + 1]))
      let reach = Number.NEGATIVE_INFINITY
      for (let b = first[r]!; b < first[r + 1]!; b++) {
        const i = order[b]!
        bars.item[b] = this.item[i]!
        bars.from[b] = this.from[i]!
        bars.to[b] = this.to[i]!
        bars.low[b] = this.low[i]!
        bars.high[b] = this.high[i]!
        bars.flags[b] = this.flags[i]!
        reach = Math.max(reach, this.to[i]!)
        bars.reach[b] = reach
      }
    }
    return bars
  }

  /** Sorts bars by start, stably: by insertion, because the bars of a job are added in order. */
  private sort(part: Int32Array): void {
    const { from } = this
    let moves = 0
    for (let a = 1; a < part.length; a++) {
      const i = part[a]!
      let b = a
      for (; b > 0 && from[part[b - 1]!]! > from[i]!; b--) part[b] = part[b - 1]!
      part[b] = i
      moves += a - b
      if (moves > MOST_MOVES) {
        part.sort((x, y) => from[x]! - from[y]! || x - y)
        return
      }
    }
  }
}

/** After this many moves another sorting method is faster. */
const MOST_MOVES = 2000

/** The first i in lo..hi-1 with values[i] > v (values ascending there), or hi. */
export function upper(values: ArrayLike<number>, lo: number, hi: number, v: number): number {
  while (lo < hi) {
    const mid = (lo + hi) >>> 1
    if (values[mid]! > v) hi = mid
    else lo = mid + 1
  }
  return lo
}

/** The range of a row's bars that may be visible between two times; bars in it that end before `from` are not. */
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
