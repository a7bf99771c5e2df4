import { describe, expect, it } from 'vitest'
import { random } from '../../test/fixture'
import { fold, type Piece } from './fold'

function pieces(start: number, end: number, period: number): Piece[] {
  const list: Piece[] = []
  fold(start, end, period, piece => list.push(piece))
  return list
}

describe('fold', () => {
  it('leaves a plan that runs once as it is', () => {
    expect(pieces(7, 19, 0)).toEqual([{ from: 7, to: 19, before: false, after: false }])
  })
  it('parts what crosses the boundary', () => {
    expect(pieces(8, 13, 10)).toEqual([
      { from: 8, to: 10, before: false, after: true },
      { from: 0, to: 3, before: true, after: false },
    ])
    expect(pieces(5, 10, 10)).toEqual([{ from: 5, to: 10, before: false, after: false }])
    expect(pieces(25, 28, 10)).toEqual([{ from: 5, to: 8, before: false, after: false }])
  })
  it('keeps every tick, modulo the period', () => {
    const next = random(3)
    for (let n = 0; n < 300; n++) {
      const period = 5 + Math.floor(next() * 40)
      const start = Math.floor(next() * 100)
      const end = start + Math.floor(next() * 90)
      const want = new Array<number>(period).fill(0)
      for (let t = start; t < end; t++) want[t % period]!++
      const got = new Array<number>(period).fill(0)
      for (const p of pieces(start, end, period)) for (let t = p.from; t < p.to; t++) got[t]!++
      expect(got).toEqual(want)
    }
  })
  it('ends on a hostile interval', () => {
    expect(pieces(0, 1e15, 1).length).toBeLessThan(5000)
  })
})
