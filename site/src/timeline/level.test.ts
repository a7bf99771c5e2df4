import { describe, expect, it } from 'vitest'
import { random } from '../../test/fixture'
import { BarList, visible } from './bars'
import { Columns, NARROW, scaleOf, wide } from './level'

/** A row of bars that do not overlap, of very different lengths. */
function row(seed: number, bars: number): BarList {
  const next = random(seed)
  const list = new BarList()
  let t = 0
  for (let i = 0; i < bars; i++) {
    t += next() < 0.5 ? 0 : Math.floor(next() * 40)
    const length = 1 + Math.floor(10 ** (next() * 3.5))
    list.add(0, i, t, t + length)
    t += length
  }
  return list
}

describe('level of detail', () => {
  // The promise: a picture never loses a task, at any zoom.
  it('draws every visible bar of a pixel or more, and all of the time of the others', () => {
    for (let seed = 1; seed <= 40; seed++) {
      const list = row(seed, 400)
      const bars = list.build(1)
      const next = random(1000 + seed)
      const end = Math.max(...list.to.subarray(0, list.length))
      for (let n = 0; n < 10; n++) {
        const from = next() * end * 0.9
        const range = { from, to: from + Math.max((end - from) * next() ** 3, 5) }
        const width = 50 + Math.floor(next() * 1500)
        const scale = scaleOf(range, width)
        const columns = new Columns(width)
        const drawn = new Set<number>()
        wide(bars, 0, scale, columns, bar => drawn.add(bars.item[bar]!))
        let covered = 0
        let least = 1
        let most = 0
        columns.flush((column, cover) => {
          covered += cover
          least = Math.min(least, cover)
          most = Math.max(most, cover, column > width ? Number.POSITIVE_INFINITY : 0)
        })
        expect(least).toBeGreaterThan(0)
        expect(most).toBeLessThanOrEqual(1)
        const want = new Set<number>()
        let narrow = 0
        for (let i = 0; i < list.length; i++) {
          const seen = Math.min(list.to[i]!, range.to) - Math.max(list.from[i]!, range.from)
          if (seen <= 0) continue
          if ((list.to[i]! - list.from[i]!) * scale.perTick >= NARROW) want.add(i)
          else narrow += seen * scale.perTick
        }
        expect(drawn).toEqual(want)
        expect(covered).toBeCloseTo(narrow, 6)
      }
    }
  })

  it('shows the bar that covers most of a column', () => {
    const list = new BarList()
    list.add(0, 0, 0, 2)
    list.add(0, 1, 2, 9)
    const bars = list.build(1)
    const columns = new Columns(10)
    wide(bars, 0, scaleOf({ from: 0, to: 100 }, 10), columns, () => {
      throw new Error('nothing is a pixel wide')
    })
    const seen: [number, number, number][] = []
    columns.flush((column, cover, bar) => seen.push([column, cover, bars.item[bar]!]))
    expect(seen).toHaveLength(1)
    expect(seen[0]![0]).toBe(0)
    expect(seen[0]![1]).toBeCloseTo(0.9)
    expect(seen[0]![2]).toBe(1)
  })
})

describe('visible', () => {
  it('finds what a scan finds, with bars that overlap', () => {
    for (let seed = 1; seed <= 10; seed++) {
      const next = random(seed)
      const list = new BarList()
      for (let i = 0; i < 120; i++) {
        const from = Math.floor(next() * 500)
        list.add(Math.floor(next() * 3), i, from, from + 1 + Math.floor(next() * (next() < 0.1 ? 300 : 20)))
      }
      const bars = list.build(3)
      for (let n = 0; n < 50; n++) {
        const from = next() * 500
        const to = from + next() * 80
        for (let r = 0; r < 3; r++) {
          const [lo, hi] = visible(bars, r, from, to)
          const found = new Set<number>()
          for (let i = lo; i < hi; i++) if (bars.to[i]! > from) found.add(bars.item[i]!)
          const want = new Set<number>()
          list.row.subarray(0, list.length).forEach((row, i) => {
            if (row === r && list.from[i]! < to && list.to[i]! > from) want.add(i)
          })
          expect(found).toEqual(want)
        }
      }
    }
  })
})
