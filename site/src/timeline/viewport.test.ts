import { describe, expect, it } from 'vitest'
import { random } from '../../test/fixture'
import { instant } from '../views/format'
import { clamp, isWhole, marks, pan, reveal, shortest, zoom } from './viewport'

describe('viewport', () => {
  it('stays within the plan, whatever is done', () => {
    const next = random(5)
    for (let n = 0; n < 60; n++) {
      const horizon = 1 + Math.floor(next() * 1e5)
      const width = 100 + next() * 1500
      let r = { from: 0, to: horizon }
      for (let k = 0; k < 20; k++) {
        const what = next()
        if (what < 0.4) r = zoom(r, r.from + next() * (r.to - r.from), 0.2 + next() * 3, horizon, width)
        else if (what < 0.8) r = pan(r, (next() - 0.5) * horizon, horizon, width)
        else r = reveal(r, next() * horizon * 0.5, horizon * (0.5 + next() * 0.5), horizon, width)
        expect(r.from).toBeGreaterThanOrEqual(0)
        expect(r.to).toBeLessThanOrEqual(horizon * (1 + 1e-9))
        expect(r.to - r.from).toBeGreaterThanOrEqual(shortest(horizon, width) * (1 - 1e-9))
      }
    }
  })
  it('zooms around the time under the pointer', () => {
    const r = zoom({ from: 1000, to: 3000 }, 1500, 0.5, 10_000, 800)
    expect(r).toEqual({ from: 1250, to: 2250 })
    expect((1500 - r.from) / (r.to - r.from)).toBeCloseTo((1500 - 1000) / 2000)
  })
  it('comes back from a zoom in and out', () => {
    const r = zoom(zoom({ from: 1000, to: 3000 }, 1700, 0.5, 10_000, 800), 1700, 2, 10_000, 800)
    expect(r.from).toBeCloseTo(1000)
    expect(r.to).toBeCloseTo(3000)
  })
  it('moves no further than it must to bring something into sight', () => {
    expect(reveal({ from: 0, to: 100 }, 20, 60, 1000, 500)).toEqual({ from: 0, to: 100 })
    expect(reveal({ from: 0, to: 100 }, 120, 130, 1000, 500)).toEqual({ from: 38, to: 138 })
    const wide = reveal({ from: 0, to: 100 }, 300, 700, 1000, 500)
    expect(wide.from).toBeLessThanOrEqual(300)
    expect(wide.to).toBeGreaterThanOrEqual(700)
  })
  it('knows the whole', () => {
    expect(isWhole(clamp({ from: -5, to: 2000 }, 1000, 500), 1000)).toBe(true)
    expect(isWhole({ from: 1, to: 1000 }, 1000)).toBe(false)
  })
  it.each([
    [0, 10_000, 1000, 2_000_000],
    [0, 7, 1000, 1000],
    [0, 5e6, 1000, 900_000_000],
    // 124,167 hours, in steps of 20,000.
    [0, 4.47e11, 1000, 7.2e13],
  ])('puts marks at round times: %d to %d, ticks of %d us', (from, to, tickUs, stepUs) => {
    const m = marks({ from, to }, 8, tickUs)
    expect(m.step * tickUs).toBeCloseTo(stepUs)
    expect(m.at[0]).toBe(0)
    expect(m.at.length).toBeGreaterThan(2)
    expect(m.at.length).toBeLessThan(12)
  })
  it.each([
    ['2.4 hours', 8520, 0, 8520],
    ['three quarters of an hour', 2700, 0, 2700],
    ['half a minute, after an hour and a half', 5430, 5400, 5430],
    ['two minutes, after eleven hours', 39_720, 39_600, 39_720],
  ])('writes the times of marks as they are: %s', (_, horizon, from, to) => {
    const { step, at } = marks({ from, to }, 13, 1e6)
    const unit = horizon >= 7200 ? 3600 : 60
    expect(at.length).toBeGreaterThan(3)
    for (const t of at) expect(Number.parseFloat(instant(t, 1e6, step, to)) * unit).toBeCloseTo(t, 3)
  })
})
