import { describe, expect, it } from 'vitest'
import { fixture, makespanOf } from '../../test/fixture'
import { completionOf, withSchedule } from './shown'
import { efficiencyOf } from './use'

const { instance, result } = fixture()

describe('a plan that is newer than the result', () => {
  it('brings what follows from it, and nothing of the old one', () => {
    expect(withSchedule(instance, result, result.schedule, result.primal)).toBe(result)
    const schedule = { ...result.schedule! }
    const shown = withSchedule(instance, result, schedule, 9000)
    expect(shown).toMatchObject({ primal: 9000, chain: [], usage: null })
    expect(shown.efficiency).toBeCloseTo(efficiencyOf(instance, schedule))
    expect(shown.gap).toBeCloseTo((9000 - result.dual!) / 9000)
    expect(Math.max(...shown.completion)).toBe(makespanOf(schedule))
  })
  it('counts iterations where it repeats', () => {
    const plan = fixture({ periodic: true, tasks: 120, seed: 5 })
    expect(completionOf(plan.instance, plan.result.schedule!)).toEqual(
      plan.instance.jobs.map(job => job.iterations),
    )
  })
})
