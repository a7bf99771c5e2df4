import { describe, expect, it } from 'vitest'
import { plans } from '../../test/plans'
import { buildModel, syncsOf, tasksOf } from './model'
import { occupancy } from './overview'

for (const [name, { instance, result }] of Object.entries(plans)) {
  const schedule = result.schedule!
  const m = buildModel(instance, schedule)

  describe(`model of ${name}`, () => {
    it('has every task on the row of its GPU', () => {
      const time = new Float64Array(schedule.tasks.job.length)
      for (let row = 0; row < m.gpus.length; row++)
        for (let b = m.tasks.first[row]!; b < m.tasks.first[row + 1]!; b++) {
          const i = m.tasks.item[b]!
          expect(schedule.tasks.gpu[i]).toBe(m.gpus[row])
          time[i]! += m.tasks.to[b]! - m.tasks.from[b]!
          expect(m.tasks.to[b]!).toBeLessThanOrEqual(m.span)
        }
      schedule.tasks.job.forEach((_, i) => {
        expect(time[i]).toBeCloseTo(schedule.tasks.end[i]! - schedule.tasks.start[i]!)
      })
    })
    it('has every sync on a row for each of its links, as high as its share', () => {
      const rowOf = new Map<number, number>()
      m.links.forEach((row, r) => {
        for (const l of row.links) rowOf.set(l, r)
      })
      schedule.syncs.job.forEach((job, i) => {
        const span = schedule.spans[job]!
        for (const use of span.links) {
          const row = rowOf.get(use.link)
          expect(row).toBeDefined()
          let area = 0
          for (let b = m.syncs.first[row!]!; b < m.syncs.first[row! + 1]!; b++)
            if (m.syncs.item[b] === i)
              area += (m.syncs.to[b]! - m.syncs.from[b]!) * (m.syncs.high[b]! - m.syncs.low[b]!)
          const share =
            (span.slowest / schedule.syncs.rate[i]!) * (use.times / instance.links[use.link]!.capacity)
          expect(area).toBeCloseTo(share * (schedule.syncs.end[i]! - schedule.syncs.start[i]!), 3)
        }
      })
    })
    it('stacks syncs without overlap', () => {
      for (let row = 0; row < m.links.length; row++)
        for (let a = m.syncs.first[row]!; a < m.syncs.first[row + 1]!; a++)
          for (let b = a + 1; b < m.syncs.first[row + 1]! && m.syncs.from[b]! < m.syncs.to[a]!; b++) {
            const apart =
              m.syncs.low[b]! >= m.syncs.high[a]! - 1e-5 || m.syncs.high[b]! <= m.syncs.low[a]! + 1e-5
            expect(apart).toBe(true)
          }
    })
    it('finds iterations', () => {
      const { job, iteration } = schedule.tasks
      for (const i of [0, job.length >> 1, job.length - 1]) {
        const want = [...job.keys()].filter(k => job[k] === job[i] && iteration[k] === iteration[i])
        expect([...tasksOf(m, job[i]!, iteration[i]!)].sort((a, b) => a - b)).toEqual(want)
        expect(tasksOf(m, job[i]!, 0).length).toBe([...job].filter(j => j === job[i]).length)
      }
      expect(tasksOf(m, 0, 1e9)).toHaveLength(0)
      expect(syncsOf(m, 1e6, 0)).toHaveLength(0)
    })
    it('has an overview that adds up', () => {
      const busy = schedule.tasks.job.reduce(
        (sum, _, i) => sum + schedule.tasks.end[i]! - schedule.tasks.start[i]!,
        0,
      )
      const shares = occupancy(m, m.span, 700)
      expect(shares.reduce((a, b) => a + b, 0) / 700).toBeCloseTo(busy / m.span / m.gpus.length, 4)
      for (const share of shares) expect(share).toBeLessThanOrEqual(1 + 1e-6)
    })
  })
}
