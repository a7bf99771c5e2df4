import { describe, expect, it } from 'vitest'
import { event, FakeEngine, longPlan, planResult } from '../../test/fake'
import type { PlanResult } from './api'
import { Growing, plan, TwoSeats } from './client'
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

  it('is the plan in blocks that was streamed, at its own value, where there is no earlier one', async () => {
    const long = longPlan()
    const engine = new FakeEngine({
      plan: (_, { onEvent }: CallOptions) => {
        onEvent?.({ ...event(80, 60), long })
        onEvent?.(event(70, 60))
        throw new EngineError('cancelled', 'stopped')
      },
    })
    const result = await plan(engine, options, 'makespan')
    expect(result).toMatchObject({ status: 'feasible', primal: 80, dual: 60, schedule: null })
    expect(result.long).toBe(long)
    const earlier = planResult({ primal: 75, quick: true, schedule: null, long: longPlan() })
    const kept = await plan(engine, options, 'makespan', { earlier })
    expect(kept.primal).toBe(75)
    expect(kept.long).toBe(earlier.long)
    expect([result.quick, kept.quick]).toEqual([false, true])
  })

  it('keeps what an earlier plan knew, and its bound where that is better', async () => {
    const earlier: PlanResult = planResult({
      dual: 65,
      certified: true,
      bounds: [{ kind: 'area', value: 65, certified: true }],
      usage: {} as never,
    })
    const makespan = await plan(ended([70, 60, true]), options, 'makespan', { earlier })
    expect(makespan).toMatchObject({ dual: 65, certified: true, bounds: earlier.bounds, usage: null })
    const better = await plan(ended([70, 68, true]), options, 'makespan', { earlier })
    expect(better).toMatchObject({ dual: 68, certified: false })
    const rate = await plan(ended([1, 3, true]), options, 'throughput', { earlier: { ...earlier, dual: 2 } })
    expect(rate).toMatchObject({ dual: 2, certified: true })
  })

  it('has the baselines that it did not come to, or stopped short of, from an earlier plan', async () => {
    const told = (value: number | null) => ({
      value,
      efficiency: null,
      reason: value === null ? 'stopped' : '',
    })
    const { baselines } = planResult()
    const stopped = new FakeEngine({
      plan: () =>
        planResult({
          stopped: true,
          baselines: { ...baselines, exclusive: told(90), interleaved_full: told(null), queue: told(99) },
        }),
    })
    const earlier = planResult({
      baselines: { ...baselines, exclusive: told(95), interleaved_full: told(85), queue: told(80) },
    })
    const result = await plan(stopped, options, 'makespan', { earlier })
    expect(result.baselines.exclusive).toEqual(told(90))
    expect(result.baselines.interleaved_full).toEqual(told(85))
    expect(result.baselines.queue).toEqual(told(80))
    const rate = await plan(stopped, options, 'throughput', { earlier })
    expect(rate.baselines).toMatchObject({ exclusive: told(95), interleaved_full: told(85), queue: told(99) })
  })

  it('does not compare with baselines that were stopped with it, where no earlier plan has any', async () => {
    const { baselines } = planResult()
    const queue = { value: 99, efficiency: null, reason: '' }
    const stopped = new FakeEngine({
      plan: () => planResult({ stopped: true, baselines: { ...baselines, exclusive: queue, queue } }),
    })
    const result = await plan(stopped, options, 'makespan')
    expect(result.baselines.exclusive.value).toBeNull()
    expect(result.baselines.interleaved_full.value).toBeNull()
    expect(result.baselines.queue).toEqual(queue)
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

describe('an engine that grows', () => {
  const quick = { ...options, quick: true }
  const failing = (code: 'unknown_method' | 'invalid') =>
    new FakeEngine({
      plan: () => {
        throw new EngineError(code, 'no')
      },
    })
  const whole = new FakeEngine({ plan: () => 'whole', compile: () => 'whole', profiles: () => 'whole' })
  const never = new Promise<never>(() => {})

  it('asks the first core until the whole one is there', async () => {
    let arrive!: (engine: FakeEngine) => void
    const later = new Promise<FakeEngine>(resolve => {
      arrive = resolve
    })
    const first = new FakeEngine({ plan: () => 'first', compile: () => 'first' })
    const engine = new Growing(Promise.resolve(first), later)
    expect(await engine.call('plan', quick)).toBe('first')
    const profiles = engine.call('profiles', {})
    arrive(whole)
    expect(await profiles).toBe('whole')
    expect(await engine.call('compile', { text: '' })).toBe('whole')
  })

  it('leaves to the whole core what the first one lacks, or where there is none', async () => {
    const lacking = new Growing(Promise.resolve(failing('unknown_method')), Promise.resolve(whole))
    expect(await lacking.call('plan', quick)).toBe('whole')
    const missing = new Growing(Promise.reject(new Error('no network')), Promise.resolve(whole))
    expect(await missing.call('plan', quick)).toBe('whole')
  })

  it('tells of mistakes', async () => {
    const engine = new Growing(Promise.resolve(failing('invalid')), never)
    await expect(engine.call('plan', quick)).rejects.toMatchObject({ code: 'invalid' })
  })

  it('heeds who stops waiting', async () => {
    const engine = new Growing(Promise.resolve(failing('unknown_method')), never)
    const abort = new AbortController()
    const waiting = engine.call('plan', quick, { signal: abort.signal })
    setTimeout(() => abort.abort())
    await expect(waiting).rejects.toMatchObject({ code: 'stopped' })
  })

  it('tells where there will be no whole core', async () => {
    const engine = new Growing(
      Promise.resolve(failing('unknown_method')),
      Promise.reject(new Error('no network')),
    )
    await expect(engine.call('profiles', {})).rejects.toThrow('no network')
  })
})
