import { describe, expect, it } from 'vitest'
import { plans } from '../../test/plans'
import { buildModel } from './model'
import type { Element } from './scene'
import { whyStarts } from './why'

for (const [name, { instance, result }] of Object.entries(plans)) {
  const schedule = result.schedule!
  const m = buildModel(instance, schedule)

  describe(`why in ${name}`, () => {
    it('names a cause that ends when the effect starts', () => {
      const kinds = new Set<string>()
      const all: Element[] = [
        ...[...schedule.tasks.job.keys()].map(index => ({ kind: 'task' as const, index })),
        ...[...schedule.syncs.job.keys()].map(index => ({ kind: 'sync' as const, index })),
      ]
      for (const e of all.slice(0, 400)) {
        const why = whyStarts(m, e)
        kinds.add(why.kind)
        if (!why.cause) continue
        const list = (x: Element) => (x.kind === 'task' ? schedule.tasks : schedule.syncs)
        const gap = list(e).start[e.index]! - list(why.cause).end[why.cause.index]!
        expect(m.period > 0 ? ((gap % m.period) + m.period) % m.period : gap).toBe(0)
      }
      for (const kind of ['gpu', 'sync', 'tasks']) expect(kinds).toContain(kind)
    })
  })
}
