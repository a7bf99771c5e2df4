import { describe, expect, it } from 'vitest'
import { plans } from '../../test/plans'
import { buildModel } from './model'
import { elementOf, firstSeen, neighbour, placeOf } from './move'
import { type Element, selectionOf } from './scene'

for (const [name, { instance, result }] of Object.entries(plans)) {
  const schedule = result.schedule!
  const m = buildModel(instance, schedule)

  describe(`selection in ${name}`, () => {
    it('selects and finds again every element', () => {
      const step = Math.max(schedule.tasks.job.length >> 6, 1)
      for (let i = 0; i < schedule.tasks.job.length; i += step)
        expect(elementOf(m, selectionOf(m, { kind: 'task', index: i }))).toEqual({ kind: 'task', index: i })
      for (let i = 0; i < schedule.syncs.job.length; i += step)
        expect(elementOf(m, selectionOf(m, { kind: 'sync', index: i }))).toEqual({ kind: 'sync', index: i })
    })
  })

  describe(`keyboard steps in ${name}`, () => {
    it('visit every task of a row, one after the other', () => {
      const row = 0
      const items = [...m.tasks.item.subarray(m.tasks.first[row]!, m.tasks.first[row + 1]!)]
      const distinct = [...new Set(items)]
      let at: Element | null = firstSeen(m, { from: 0, to: m.span }, [0, 1])
      expect(at?.index).toBe(items[0])
      const seen = new Set<number>()
      while (at && !seen.has(at.index)) {
        seen.add(at.index)
        at = neighbour(m, at, 'right', row)?.element ?? null
      }
      // A task that crosses the boundary is at both ends of a period.
      expect(seen.size).toBe(distinct.length)
    })
    it('come from the first GPU to the last link and back', () => {
      let at = { element: firstSeen(m, { from: 0, to: m.span }, [0, m.gpus.length])!, row: 0 }
      let steps = 0
      for (let next: typeof at | null = at; next; next = neighbour(m, at.element, 'down', at.row)) {
        at = next
        if (steps++ > 500) throw new Error('no end')
      }
      expect(at.element.kind).toBe('sync')
      expect(at.row).toBe(m.links.length - 1)
      for (let next: typeof at | null = at; next; next = neighbour(m, at.element, 'up', at.row)) {
        at = next
        if (steps++ > 1000) throw new Error('no end')
      }
      expect(placeOf(m, at.element)).toMatchObject({ pane: 'gpus', row: 0 })
    })
  })
}
