import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { FakeWorker, planResult } from '../../test/fake'
import { EngineError } from './error'
import { grace, Seat } from './seat'

let workers: FakeWorker[]
const spawn = () => {
  const worker = new FakeWorker()
  workers.push(worker)
  return worker
}
const worker = () => workers.at(-1)!

beforeEach(() => {
  workers = []
  vi.useFakeTimers()
})
afterEach(() => vi.useRealTimers())

describe('Seat', () => {
  it('holds requests until the worker is ready, and matches replies by id', async () => {
    const seat = new Seat(spawn)
    const a = seat.call('profiles', {})
    const b = seat.call('profiles', {})
    expect(worker().sent).toHaveLength(0)
    worker().ready()
    expect(worker().sent.map(m => m.method)).toEqual(['profiles', 'profiles'])
    const [first, second] = worker().sent
    worker().say({ id: second!.id, data: ['b'] })
    worker().say({ id: first!.id, data: ['a'] })
    expect(await a).toEqual(['a'])
    expect(await b).toEqual(['b'])
  })

  it('brings errors with their problems', async () => {
    const seat = new Seat(spawn)
    worker().ready()
    const call = seat.call('compile', { text: '' })
    const problems = [{ path: 'jobs', line: 1, column: 1, message: 'missing' }]
    worker().say({ id: worker().sent[0]!.id, error: { code: 'invalid', message: 'no', problems } })
    await expect(call).rejects.toMatchObject({ code: 'invalid', message: 'no', problems })
  })

  it('lets a worker that heeds a cancellation live', async () => {
    const seat = new Seat(spawn)
    worker().ready()
    const abort = new AbortController()
    const call = seat.call('plan', { text: '', seed: 0 }, { signal: abort.signal })
    abort.abort()
    const id = worker().sent[0]!.id
    expect(worker().sent[1]).toEqual({ id, cancel: true })
    const result = planResult({ stopped: true })
    worker().say({ id, data: result })
    expect(await call).toBe(result)
    vi.advanceTimersByTime(grace * 2)
    expect(workers).toHaveLength(1)
  })

  it('waits longer for an answer that is worth it', async () => {
    const seat = new Seat(spawn)
    worker().ready()
    const abort = new AbortController()
    const call = seat.call('plan', { text: '', seed: 0 }, { signal: abort.signal, grace: 10 * grace })
    abort.abort()
    vi.advanceTimersByTime(9 * grace)
    const result = planResult({ stopped: true })
    worker().say({ id: worker().sent[0]!.id, data: result })
    expect(await call).toBe(result)
    expect(workers).toHaveLength(1)
  })

  it('ends a worker that does not, and has a new one do what else waited', async () => {
    const seat = new Seat(spawn)
    worker().ready()
    const abort = new AbortController()
    const stuck = seat.call('plan', { text: '', seed: 0 }, { signal: abort.signal })
    const other = seat.call('what_if', { text: '', seed: 0, change: { kind: 'add_gpu', subject: 'n' } })
    abort.abort()
    vi.advanceTimersByTime(grace)
    await expect(stuck).rejects.toMatchObject({ code: 'cancelled' })
    expect(workers[0]!.terminated).toBe(true)
    expect(workers).toHaveLength(2)
    worker().ready()
    expect(worker().sent.map(m => m.method)).toEqual(['what_if'])
    worker().say({ id: worker().sent[0]!.id, data: 'done' })
    expect(await other).toBe('done')
  })

  it('does not send what was aborted before', async () => {
    const seat = new Seat(spawn)
    const abort = new AbortController()
    const call = seat.call('plan', { text: '', seed: 0 }, { signal: abort.signal })
    abort.abort()
    await expect(call).rejects.toMatchObject({ code: 'stopped' })
    worker().ready()
    expect(worker().sent).toHaveLength(0)
  })

  it('tells of a crash, and survives it', async () => {
    const onCrash = vi.fn()
    const seat = new Seat(spawn, { onCrash })
    worker().ready()
    const call = seat.call('profiles', {})
    worker().crash('out of memory')
    await expect(call).rejects.toBeInstanceOf(EngineError)
    expect(onCrash).toHaveBeenCalledWith('out of memory')
    const again = seat.call('profiles', {})
    worker().ready()
    worker().say({ id: worker().sent[0]!.id, data: [] })
    expect(await again).toEqual([])
  })

  it('gives up on workers that never start, until asked again', async () => {
    const seat = new Seat(spawn)
    const call = seat.call('profiles', {})
    for (let i = 0; i < 3; i++) worker().crash('bad module')
    await expect(call).rejects.toMatchObject({ code: 'crashed', message: 'bad module' })
    expect(workers).toHaveLength(3)
    void seat.call('profiles', {}).catch(() => {})
    expect(workers).toHaveLength(4)
  })

  it('drops what comes from a worker that was ended', async () => {
    const seat = new Seat(spawn)
    worker().ready()
    const abort = new AbortController()
    const onEvent = vi.fn()
    const call = seat.call('plan', { text: '', seed: 0 }, { signal: abort.signal, onEvent })
    const id = worker().sent[0]!.id
    abort.abort()
    vi.advanceTimersByTime(grace)
    await expect(call).rejects.toMatchObject({ code: 'cancelled' })
    workers[0]!.say({ id, event: {} })
    expect(onEvent).not.toHaveBeenCalled()
  })

  it('retires once nothing waits', async () => {
    const seat = new Seat(spawn)
    worker().ready()
    const call = seat.call('profiles', {})
    seat.retire()
    expect(worker().terminated).toBe(false)
    worker().say({ id: worker().sent[0]!.id, data: [] })
    expect(await call).toEqual([])
    expect(worker().terminated).toBe(true)
  })
})
