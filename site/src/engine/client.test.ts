import { describe, expect, it } from 'vitest'
import { event, FakeEngine, planResult } from '../../test/fake'
import type { PlanResult } from './api'
import { plan, TwoSeats } from './client'
import { EngineError } from './error'
import type { CallOptions } from './seat'

const options = { text: '', seed: 5 }
/** Streams, and is then ended. */
const ended = (...points: [number | null, number | null, boolean][]) =>
  new FakeEngine({
    plan: (_, { onEvent }: CallOptions) => {
      for (const [primal, dual, schedule] of points) onEvent?.(event(primal, dual, schedule))
      throw new EngineError('cancelled', 'stopped')
    },
  })

describe('a plan that was ended', () => {
  it('is the best that was streamed', async () => {
    const result = await plan(ended([null, 50, false], [80, 60, true], [70, 60, true]), options, 'makespan')
    expect(result).toMatchObject({
      status: 'feasible',
      primal: 70,
      dual: 60,
      certified: false,
      stopped: true,
      seed: 5,
    })
    expect(result.gap).toBeCloseTo(1 / 7)
    expect(result.series).toHaveLength(3)
  })

  it('keeps what an earlier plan knew, and its bound where that is better', async () => {
    const earlier: PlanResult = planResult({
      dual: 65,
      certified: true,
      command: 'jigsaw plan x',
      usage: {} as never,
    })
    const makespan = await plan(ended([70, 60, true]), options, 'makespan', { earlier })
    expect(makespan).toMatchObject({ dual: 65, certified: true, command: 'jigsaw plan x', usage: null })
    const better = await plan(ended([70, 68, true]), options, 'makespan', { earlier })
    expect(better).toMatchObject({ dual: 68, certified: false })
    const rate = await plan(ended([1, 3, true]), options, 'throughput', { earlier: { ...earlier, dual: 2 } })
    expect(rate).toMatchObject({ dual: 2, certified: true })
  })

  it('is an error where nothing had come', async () => {
    await expect(plan(ended(), options, 'makespan')).rejects.toMatchObject({ code: 'cancelled' })
  })
})

it('gives long work to the planner and all else to the desk', async () => {
  const desk = new FakeEngine({ compile: () => 'desk' })
  const planner = new FakeEngine({ plan: () => 'planner' })
  const both = new TwoSeats(desk, planner)
  expect(await both.call('compile', { text: '' })).toBe('desk')
  expect(await both.call('plan', options)).toBe('planner')
})
