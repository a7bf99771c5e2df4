import { describe, expect, it } from 'vitest'
import { plans, sceneOf } from '../../test/plans'
import { hit } from './hit'
import { AXIS_HEIGHT } from './layout'
import { buildModel } from './model'
import { timeAt, xOf } from './scene'

for (const [name, { instance, result }] of Object.entries(plans)) {
  const m = buildModel(instance, result.schedule!)

  describe(`hit testing of ${name}`, () => {
    const s = sceneOf(m)
    it('finds the bar that is drawn at a place', () => {
      let tried = 0
      for (let row = 0; row < m.gpus.length; row++) {
        const y = s.layout.gpus.top + s.layout.gpus.y[row]! + s.layout.gpus.rowHeight / 2
        if (y >= s.layout.gpus.top + s.layout.gpus.height) break
        for (let b = m.tasks.first[row]!; b < m.tasks.first[row + 1]!; b++) {
          const x = xOf(s, (m.tasks.from[b]! + m.tasks.to[b]!) / 2)
          expect(hit(s, x, y)).toEqual({
            area: 'bar',
            element: { kind: 'task', index: m.tasks.item[b] },
            row,
          })
          tried++
        }
      }
      expect(tried).toBeGreaterThan(20)
    })
    it('finds the sync of a stack that is under the pointer', () => {
      for (let row = 0; row < m.links.length; row++) {
        const top = s.layout.links.top + s.layout.links.y[row]!
        if (top + s.layout.links.rowHeight > s.layout.links.top + s.layout.links.height) break
        for (let b = m.syncs.first[row]!; b < m.syncs.first[row + 1]!; b++) {
          const y = top + (1 - (m.syncs.low[b]! + m.syncs.high[b]!) / 2) * s.layout.links.rowHeight
          const found = hit(s, xOf(s, (m.syncs.from[b]! + m.syncs.to[b]!) / 2), y)
          expect(found).toMatchObject({ area: 'bar', element: { kind: 'sync', index: m.syncs.item[b] } })
        }
      }
    })
    it('knows idle time, axis and overview', () => {
      expect(hit(s, 400, 5).area).toBe('axis')
      expect(hit(s, 400, s.layout.overviewTop + 3).area).toBe('overview')
      expect(hit(s, 5, AXIS_HEIGHT - 5).area).toBe('none')
      const { y, rowHeight } = s.layout.gpus
      expect(hit(s, 5, AXIS_HEIGHT + y[1]! + rowHeight / 2)).toEqual({ area: 'label', pane: 'gpus', row: 1 })
      expect(hit(s, 5, s.layout.links.top + 2)).toEqual({ area: 'label', pane: 'links', row: 0 })
      for (let row = 0; row < m.gpus.length; row++) {
        const y = s.layout.gpus.top + s.layout.gpus.y[row]! + 2
        if (y >= s.layout.gpus.top + s.layout.gpus.height) break
        for (let b = m.tasks.first[row]!; b + 1 < m.tasks.first[row + 1]!; b++) {
          const from = m.tasks.to[b]!
          const to = m.tasks.from[b + 1]!
          if (xOf(s, to) - xOf(s, from) < 10) continue
          expect(hit(s, xOf(s, (from + to) / 2), y)).toEqual({ area: 'gap', pane: 'gpus', row, from, to })
        }
      }
    })
    it('maps times to places and back', () => {
      for (const t of [0, 1, m.span / 3, m.span]) expect(timeAt(s, xOf(s, t))).toBeCloseTo(t)
    })
  })
}
