import { beforeAll, describe, expect, it } from 'vitest'
import { hasCore, startCore } from '../../../test/core'
import { parse } from '../yaml/patch'
import { gallery } from './gallery'

it('has at least twelve scenarios, each with a lesson and a change that changes something', () => {
  expect(gallery.length).toBeGreaterThanOrEqual(12)
  for (const { name, lesson, text, twist } of gallery) {
    expect(text, name).not.toBe('')
    expect(lesson, name).toMatch(/^[A-Z0-9][^\n]{20,130}\.$/)
    expect(JSON.stringify(parse(twist.apply(text))), name).not.toBe(JSON.stringify(parse(text)))
    expect(twist.label, name).not.toBe('')
  }
})

// Without the built core (make wasm) there is nothing to ask.
describe.skipIf(!hasCore)('the core', () => {
  let call: Awaited<ReturnType<typeof startCore>>
  beforeAll(async () => {
    call = await startCore()
  })

  for (const { name, text, twist } of gallery)
    it(`plans ${name}, whole and changed`, { timeout: 60_000 }, async () => {
      for (const version of [text, twist.apply(text)]) {
        const { problems, instance, special } = await call('compile', { text: version })
        expect(problems).toEqual([])
        if (special === 'plan_bursts') {
          expect((await call(special, { text: version })).status).toMatch(/^(optimal|feasible)$/)
          continue
        }
        if (special === 'mold') {
          const { tried, bound } = await call(special, { text: version, seed: 0, quick: true })
          expect(tried[0]?.value).toBeGreaterThanOrEqual(bound ?? Number.POSITIVE_INFINITY)
          continue
        }
        expect(instance?.name).toBe(name)
      }
      if (name === 'burst' || name === 'moldable') return
      // In the browser and on the command line its plans are made as well: 200 jobs, as much work as all others.
      if (name === 'night') return
      const result = await call('plan', { text, seed: 0, quick: true })
      expect(result.status).toMatch(name === 'infeasible' ? /^infeasible$/ : /^(optimal|feasible)$/)
    })
})
