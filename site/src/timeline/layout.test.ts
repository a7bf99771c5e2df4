import { describe, expect, it } from 'vitest'
import { plans } from '../../test/plans'
import { clampScroll, layout, rowAt, rowsSeen, scrollTo } from './layout'
import { buildModel, gpuName } from './model'
import { horizonOf } from './scene'

describe('rows', () => {
  const m = buildModel(plans.rack.instance, plans.rack.result.schedule!)
  const { gpus } = layout(m, { width: 900, maxGpus: 200, maxLinks: 100, rowHeight: 10, overview: true })
  it('are found by their height', () => {
    for (let row = 0; row < m.gpus.length; row++) {
      expect(rowAt(gpus, gpus.y[row]!)).toBe(row)
      expect(rowAt(gpus, gpus.y[row]! + gpus.rowHeight - 0.01)).toBe(row)
    }
    expect(rowAt(gpus, -1)).toBe(-1)
    expect(rowAt(gpus, gpus.content + 1)).toBe(-1)
  })
  it('are all seen by scrolling', () => {
    const seen = new Set<number>()
    for (let scroll = 0; scroll <= gpus.content; scroll += 50) {
      const [first, end] = rowsSeen(gpus, clampScroll(gpus, scroll))
      for (let row = first; row < end; row++) seen.add(row)
    }
    expect(seen.size).toBe(m.gpus.length)
  })
  it('come into sight when asked for', () => {
    for (const row of [0, 17, m.gpus.length - 1]) {
      const scroll = scrollTo(gpus, 0, row)
      expect(gpus.y[row]!).toBeGreaterThanOrEqual(scroll)
      expect(gpus.y[row]! + gpus.rowHeight).toBeLessThanOrEqual(scroll + gpus.height)
    }
  })
  it('have names', () => {
    expect(gpuName(m, 9)).toBe('r0n1.gpu1')
  })
})

describe('the axis', () => {
  it('goes as far as deadlines and bounds that are not far beyond the plan', () => {
    const m = buildModel(plans.small.instance, plans.small.result.schedule!)
    expect(horizonOf(m, null, 0)).toBe(m.span)
    expect(horizonOf(m, m.span * 1.1, 0)).toBe(m.span * 1.1)
    expect(horizonOf(m, m.span * 2, 0)).toBe(m.span)
    expect(horizonOf(m, null, m.span * 3)).toBe(m.span * 3)
    const late = {
      ...m,
      instance: { ...m.instance, jobs: m.instance.jobs.map(job => ({ ...job, deadline: m.span * 1.2 })) },
    }
    expect(horizonOf(late, null, 0)).toBe(m.span * 1.2)
  })
})
