import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { compiled, event, FakeEngine, longPlan, planResult, schedule } from '../../test/fake'
import type { PlanOptions, PlanResult } from '../engine/api'
import { EngineError } from '../engine/error'
import type { CallOptions } from '../engine/seat'
import { Planning, rest } from './planning'

interface Run {
  params: PlanOptions
  options: CallOptions
  resolve: (result: PlanResult) => void
  reject: (error: Error) => void
}

let runs: Run[]
let planning: Planning
const settle = () => vi.advanceTimersByTimeAsync(0)

beforeEach(() => {
  vi.useFakeTimers()
  runs = []
  const engine = new FakeEngine({
    plan: (params: PlanOptions, options) =>
      new Promise((resolve, reject) => runs.push({ params, options, resolve, reject })),
  })
  planning = new Planning(engine, () => ({ seed: 7, effort: 1 }))
})
afterEach(() => vi.useRealTimers())

describe('Planning', () => {
  it('plans quickly, rests, then plans with full effort', async () => {
    void planning.start('a', compiled('a'))
    expect(runs[0]!.params).toMatchObject({ text: 'a', seed: 7, quick: true })
    expect(planning.phase.value).toBe('quick')
    runs[0]!.resolve(planResult({ primal: 120 }))
    await settle()
    expect(planning.view.value?.value).toBe(120)
    await vi.advanceTimersByTimeAsync(rest)
    expect(runs[1]!.params.quick).toBe(false)
    runs[1]!.resolve(planResult({ primal: 110 }))
    await settle()
    expect(planning.view.value?.value).toBe(110)
    expect(planning.phase.value).toBe('done')
  })

  it('tells how far a run is of which nothing shows yet', async () => {
    void planning.start('a', compiled('a'))
    expect(planning.coming.value).toBeNull()
    runs[0]!.options.onEvent?.(event(200, 50))
    expect(planning.view.value).toBeNull()
    expect(planning.coming.value).toMatchObject({ instance: { digest: 'a' }, point: { primal: 200 } })
    runs[0]!.resolve(planResult({ primal: 120 }))
    await settle()
    expect(planning.coming.value).toBeNull()
  })

  it('shows plans in blocks on the way to the first result, and the best result from then on', async () => {
    void planning.start('a', compiled('a'))
    const [first, quick, later] = [longPlan(), longPlan(), longPlan()]
    runs[0]!.options.onEvent?.({ ...event(200, 50), long: first })
    expect(planning.view.value).toMatchObject({ value: 200, result: null })
    expect(planning.view.value?.long).toBe(first)
    expect(planning.coming.value).toBeNull()
    runs[0]!.resolve(planResult({ primal: 120, schedule: null, long: quick }))
    await settle()
    await vi.advanceTimersByTimeAsync(rest)
    runs[1]!.options.onEvent?.({ ...event(110, 50), long: later })
    expect(planning.view.value?.value).toBe(120)
    expect(planning.view.value?.long).toBe(quick)
    const job = { iterations: 3, on: [{ time: [5, 20], persistent: 0, ephemeral: [0, 0] }] }
    const node = { name: 'n', rack: 0, type: 0, first_gpu: 0, gpus: 2 }
    void planning.start('b', compiled('b', { jobs: [job as never, job as never], nodes: [node] }))
    const streamed = { ...longPlan(), residency: [[0], [0, 1]], end: new Float64Array([80, 90]) }
    runs[2]!.options.onEvent?.({ ...event(90, 50), long: streamed })
    runs[2]!.reject(new EngineError('cancelled', 'ended'))
    await settle()
    expect(planning.view.value).toMatchObject({
      value: 90,
      // What the page knows by itself.
      result: { completion: [80, 90], efficiency: (3 * 3 * 20) / (2 * 90), stopped: true },
    })
  })

  it('shows a finished plan at once when its instance comes back', async () => {
    for (const digest of ['a', 'b']) {
      void planning.start(digest, compiled(digest))
      runs.at(-1)!.resolve(planResult({ primal: digest.charCodeAt(0), status: 'optimal' }))
      await settle()
    }
    void planning.start('a again', compiled('a'))
    expect(planning.view.value).toMatchObject({ text: 'a again', value: 97 })
    expect(planning.phase.value).toBe('done')
    expect(runs).toHaveLength(2)
    void planning.start('a again', compiled('a'), true)
    expect(runs).toHaveLength(3)
  })

  it('knows a plan that was not finished, and finishes it when its instance comes back', async () => {
    void planning.start('a', compiled('a'))
    runs[0]!.options.onEvent?.(event(60, 50, true))
    void planning.start('b', compiled('b'))
    expect(planning.recall(compiled('a'))?.value).toBe(60)
    expect(planning.recall(compiled('b'))).toBeNull()
    void planning.start('a', compiled('a'))
    expect(runs).toHaveLength(3)
  })

  it('is done after a quick plan that is optimal or proven impossible', async () => {
    void planning.start('a', compiled('a'))
    runs[0]!.resolve(planResult({ status: 'infeasible', primal: null, schedule: null }))
    await vi.advanceTimersByTimeAsync(rest * 2)
    expect(runs).toHaveLength(1)
    expect(planning.phase.value).toBe('done')
  })

  it('drops what an older text still sends', async () => {
    void planning.start('a', compiled('a'))
    void planning.start('b', compiled('b'))
    expect(runs[0]!.options.signal?.aborted).toBe(true)
    runs[0]!.options.onEvent?.(event(1, 1, true))
    runs[0]!.resolve(planResult({ primal: 1 }))
    await settle()
    expect(planning.view.value).toBeNull()
    runs[1]!.resolve(planResult({ primal: 2 }))
    await settle()
    expect(planning.view.value).toMatchObject({ text: 'b', value: 2 })
  })

  it('shows the former plan until the next has something to show', async () => {
    void planning.start('a', compiled('a'))
    runs[0]!.resolve(planResult())
    await settle()
    void planning.start('b', compiled('b'))
    runs[1]!.options.onEvent?.(event(null, 50))
    expect(planning.view.value?.text).toBe('a')
    runs[1]!.options.onEvent?.(event(60, 50, true))
    expect(planning.view.value).toMatchObject({ text: 'b', value: 60 })
    expect(planning.view.value?.points).toHaveLength(2)
  })

  it('does not fall back to a worse incumbent of the full run', async () => {
    void planning.start('a', compiled('a'))
    runs[0]!.resolve(planResult({ primal: 100 }))
    await vi.advanceTimersByTimeAsync(rest)
    runs[1]!.options.onEvent?.(event(130, 90, true))
    expect(planning.view.value?.value).toBe(100)
    runs[1]!.options.onEvent?.(event(95, 90, true))
    expect(planning.view.value?.value).toBe(95)
  })

  it('prefers more where more is better', async () => {
    const instance = compiled('a', { objective: 'throughput', periodic: true })
    void planning.start('a', instance)
    runs[0]!.options.onEvent?.(event(1, 3, true))
    runs[0]!.options.onEvent?.(event(2, 3, true))
    expect(planning.view.value?.value).toBe(2)
  })

  it('keeps the best plan when it is stopped, though the worker had to be ended', async () => {
    const job = { depths: [{ layers: 1, share: 1 }], on: [{ time: [40], persistent: 0, ephemeral: [0] }] }
    const node = { name: 'n', rack: 0, type: 0, first_gpu: 0, gpus: 1 }
    void planning.start('a', compiled('a', { jobs: [job as never], nodes: [node] }), true)
    const best = schedule()
    best.tasks = {
      job: new Int32Array([0]),
      iteration: new Int32Array([1]),
      gpu: new Int32Array([0]),
      depth: new Int32Array([0]),
      start: new Float64Array([40]),
      end: new Float64Array([80]),
    }
    runs[0]!.options.onEvent?.({ ...event(80, 70), schedule: best })
    planning.stop()
    runs[0]!.reject(new EngineError('cancelled', 'stopped'))
    await settle()
    expect(planning.phase.value).toBe('stopped')
    expect(planning.view.value?.schedule).toBe(best)
    expect(planning.view.value?.result).toMatchObject({
      stopped: true,
      primal: 80,
      dual: 70,
      status: 'feasible',
      // What the page knows by itself.
      efficiency: 0.5,
      completion: [80],
    })
  })

  it('takes the result of a stopped run that is as good as what it had streamed', async () => {
    void planning.start('a', compiled('a'))
    runs[0]!.resolve(planResult({ primal: 100, efficiency: 1 }))
    await vi.advanceTimersByTimeAsync(rest)
    runs[1]!.options.onEvent?.(event(90, 80, true))
    runs[1]!.resolve(planResult({ primal: 90, efficiency: 2, stopped: true }))
    await settle()
    expect(planning.view.value).toMatchObject({ value: 90, result: { efficiency: 2 } })
  })

  it('keeps the earlier result and its course where a stopped run knew less', async () => {
    const course = (primal: number) => [
      { elapsed_ms: 1, event: 'greedy', primal, dual: null, columns: 0, nodes: 0 },
    ]
    void planning.start('a', compiled('a'))
    runs[0]!.resolve(planResult({ primal: 100, series: course(100) }))
    await vi.advanceTimersByTimeAsync(rest)
    runs[1]!.resolve(planResult({ primal: 120, series: course(120), stopped: true }))
    await settle()
    expect(planning.view.value).toMatchObject({ value: 100, result: { primal: 100 }, points: course(100) })
    expect(planning.phase.value).toBe('stopped')
  })

  it('makes a plan beside the one that shows, and remembers it once it is finished', async () => {
    const { signal } = new AbortController()
    void planning.start('a', compiled('a'))
    runs[0]!.resolve(planResult({ primal: 100 }))
    await settle()
    const first = planning.beside('b', compiled('b'), signal)
    expect(runs.at(-1)!.params).toEqual({ text: 'b', seed: 7, effort: 1 })
    runs.at(-1)!.resolve(planResult({ primal: 130, stopped: true }))
    expect((await first).value).toBe(130)
    const second = planning.beside('b', compiled('b'), signal)
    runs.at(-1)!.resolve(planResult({ primal: 120 }))
    await second
    const made = runs.length
    expect((await planning.beside('b', compiled('b'), signal)).value).toBe(120)
    expect(runs).toHaveLength(made)
    expect(planning.view.value).toMatchObject({ text: 'a', value: 100 })
  })

  it('keeps the former plan where a run is stopped before it has one', async () => {
    void planning.start('a', compiled('a'))
    runs[0]!.resolve(planResult({ primal: 100 }))
    await settle()
    for (const next of [compiled('a'), compiled('b')]) {
      void planning.start('b', next)
      planning.stop()
      runs.at(-1)!.resolve(planResult({ status: 'limit', primal: null, schedule: null, stopped: true }))
      await settle()
      expect(planning.phase.value).toBe('stopped')
      expect(planning.view.value).toMatchObject({ text: 'a', value: 100, result: { primal: 100 } })
      expect(planning.view.value?.schedule).not.toBeNull()
    }
  })

  it('shows what was learned of a first plan that was stopped before there was one', async () => {
    void planning.start('a', compiled('a'))
    runs[0]!.resolve(planResult({ status: 'limit', primal: null, schedule: null, stopped: true }))
    await settle()
    expect(planning.view.value).toMatchObject({ schedule: null, result: { status: 'limit', stopped: true } })
  })

  it('tells why a plan failed, and can plan again', async () => {
    void planning.start('a', compiled('a'))
    runs[0]!.reject(new EngineError('internal', 'a fault'))
    await settle()
    expect(planning.phase.value).toBe('failed')
    expect(planning.failure.value).toBe('a fault')
    void planning.start('a', compiled('a'))
    expect(planning.phase.value).toBe('quick')
    expect(planning.failure.value).toBe('')
  })
})
