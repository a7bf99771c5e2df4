import { describe, expect, it } from 'vitest'
import { fixture } from '../../test/fixture'
import { interesting, linear, niceMarks, steps, withEarlier } from './chart'

const { result } = fixture()

describe('charts', () => {
  it('map linearly', () => {
    const y = linear([0, 10], [100, 0])
    expect([y(0), y(5), y(10)]).toEqual([100, 50, 0])
    expect(linear([3, 3], [0, 9])(3)).toBe(0)
  })
  it('have round marks within the domain', () => {
    expect(niceMarks(8.4, 10.2, 4)).toEqual([8.5, 9, 9.5, 10])
    expect(niceMarks(0, 700, 7)).toEqual([0, 100, 200, 300, 400, 500, 600, 700])
    expect(niceMarks(5, 5, 4)).toEqual([5])
  })
  it('draw steps from the first known value to the end', () => {
    const points = [
      { t: 0, v: null },
      { t: 1, v: 5 },
      { t: 2, v: 5 },
      { t: 3, v: 4 },
    ]
    expect(
      steps(
        points,
        10,
        t => t,
        v => v,
      ),
    ).toBe('M1.0 5.0H3.0V4.0H10.0')
    expect(
      steps(
        [{ t: 0, v: null }],
        10,
        t => t,
        v => v,
      ),
    ).toBe('')
  })
  it('begin with the plan that was there where the run found none as good', () => {
    const bounds = result.series.map(point => ({ ...point, primal: null }))
    for (const series of [bounds, result.series]) {
      const whole = withEarlier(series, 9)
      expect(whole).toHaveLength(series.length + 1)
      expect(whole[0]).toMatchObject({ elapsed_ms: 0, primal: 9 })
      expect(new Set(whole.map(point => point.primal))).toEqual(new Set([9]))
    }
    expect(withEarlier(bounds, null)).toBe(bounds)
    expect(withEarlier(result.series, result.primal)).toBe(result.series)
  })
  it('show from the bound to the first plan', () => {
    const [lo, hi] = interesting(result.series)!
    expect(lo).toBeLessThan(result.dual!)
    expect(hi).toBeGreaterThan(result.primal! * 1.07)
    expect(interesting([])).toBeNull()
  })
})
