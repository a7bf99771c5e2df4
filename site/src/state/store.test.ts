import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { compiled, FakeEngine, planResult } from '../../test/fake'
import type { CompiledJob, Methods, PlanOptions, PlanResult } from '../engine/api'
import { EngineError } from '../engine/error'
import { blank } from '../keep/snapshot'
import { jobColours } from '../timeline/palette'
import { rest } from './planning'
import { debounce, Store, saidFor } from './store'

let store: Store
let engine: FakeEngine
let plan: (options: PlanOptions) => PlanResult
let compile: (text: string) => Methods['compile']['result'] | Promise<Methods['compile']['result']>
const snapshot = { ...blank, text: 'a', seed: 3, effort: 2 }
const plans = () =>
  engine.calls.filter(call => call.method === 'plan').map(call => call.params as PlanOptions)

beforeEach(() => {
  vi.useFakeTimers()
  // Digests ignore comments, as the core's do.
  compile = text => ({ instance: compiled(text.replace(/#.*/, '').trim()), spec: {}, problems: [] })
  plan = ({ seed }) => planResult({ seed })
  engine = new FakeEngine({
    compile: ({ text }: { text: string }) => compile(text),
    plan: (options: PlanOptions) => plan(options),
  })
  store = new Store()
})
afterEach(() => vi.useRealTimers())

const settle = () => vi.advanceTimersByTimeAsync(debounce + rest + 1)

it('reads nothing before something is open, and waits for the engine', async () => {
  store.attach(engine)
  await settle()
  expect(engine.calls).toEqual([])
})

it('plans what is open once the engine is there, quickly and then thoroughly', async () => {
  store.open(snapshot)
  await settle()
  expect(store.planning.view.value).toBeNull()
  store.attach(engine)
  await settle()
  expect(plans()).toMatchObject([
    { text: 'a', seed: 3, effort: 2, quick: true },
    { text: 'a', seed: 3, effort: 2, quick: false },
  ])
})

it('plans anew for each change that matters, and for none else', async () => {
  store.attach(engine)
  store.open(snapshot)
  await settle()
  store.text.edit('a # a comment')
  await settle()
  expect(plans()).toHaveLength(2)
  store.text.edit('b')
  await settle()
  expect(plans()).toHaveLength(4)
  store.seed.value = 9
  await settle()
  expect(plans().slice(4)).toMatchObject([
    { text: 'b', seed: 9 },
    { text: 'b', seed: 9 },
  ])
})

it('reads a scenario that is opened again anew, and knows its plan', async () => {
  store.attach(engine)
  store.open(snapshot)
  await settle()
  const made = plans().length
  store.open(snapshot)
  await settle()
  expect(store.sound.value?.instance.digest).toBe('a')
  expect(store.planning.phase.value).toBe('done')
  expect(plans()).toHaveLength(made)
})

it('takes the first of a flow of changes at once, and the last when it rests', async () => {
  store.attach(engine)
  store.open(snapshot)
  await settle()
  for (const text of ['b', 'c', 'd']) {
    store.text.edit(text)
    await vi.advanceTimersByTimeAsync(debounce / 2)
  }
  await settle()
  expect(plans().map(plan => plan.text)).toEqual(['a', 'a', 'b', 'd', 'd'])
})

it('keeps the last plan where the text has problems, and tells of them', async () => {
  store.attach(engine)
  store.open(snapshot)
  await settle()
  const problems = [{ path: 'jobs', line: 1, column: 1, message: 'missing' }]
  compile = () => ({ instance: null, spec: null, problems })
  store.text.edit('broken')
  await settle()
  expect(store.reading.value.problems).toEqual(problems)
  expect(store.status.value).toBe('1 problem in the scenario; the plan shown is for the earlier text')
  expect(store.planning.view.value?.text).toBe('a')
  // For colours and offers; another scenario has its own.
  expect(store.sound.value?.instance.digest).toBe('a')
  store.open({ ...snapshot, text: 'broken, too' })
  await settle()
  expect(store.sound.value).toBeNull()
})

it('says so where a run is stopped before it has a plan', async () => {
  store.attach(engine)
  store.open(snapshot)
  await settle()
  expect(store.status.value).toBe('')
  plan = () => planResult({ status: 'limit', primal: null, schedule: null, stopped: true })
  store.text.edit('b')
  await settle()
  expect(store.planning.view.value?.text).toBe('a')
  expect(store.status.value).toMatch(/Stopped before there was a plan; the one shown/)
})

it('drops the reading of a text that has changed since', async () => {
  store.attach(engine)
  let answer!: (result: Methods['compile']['result']) => void
  compile = () => new Promise(resolve => (answer = resolve))
  store.open(snapshot)
  await settle()
  const slow = answer
  store.text.edit('b')
  await settle()
  slow({ instance: compiled('a'), spec: {}, problems: [] })
  await settle()
  expect(store.reading.value.instance).toBeNull()
  answer({ instance: compiled('b'), spec: {}, problems: [] })
  await settle()
  expect(store.reading.value.instance?.digest).toBe('b')
  expect(plans().map(plan => plan.text)).toEqual(['b', 'b'])
})

it('plans a scenario anew that is opened again with another seed', async () => {
  store.attach(engine)
  store.open(snapshot)
  await settle()
  store.open({ ...snapshot, seed: 4 })
  await settle()
  expect(store.planning.view.value?.result?.seed).toBe(4)
})

it('pins what it was made from', async () => {
  store.attach(engine)
  store.open(snapshot)
  await settle()
  store.pin()
  expect(store.pinned.value?.of).toEqual({ label: 'test', text: 'a', seed: 3, effort: 2, quick: false })
  store.open(snapshot)
  expect(store.pinned.value).toBeNull()
})

it('says why nothing shows where the engine fails, until it does not', async () => {
  store.attach(engine)
  compile = () => {
    throw new EngineError('crashed', 'the worker ended')
  }
  store.open(snapshot)
  await settle()
  expect(store.broken.value).toBe('The scenario could not be read: the worker ended')
  compile = text => ({ instance: compiled(text), spec: {}, problems: [] })
  await store.plan()
  expect(store.broken.value).toBe('')
})

it('tells whoever asks that there is no engine', async () => {
  const asked = store.engine.call('profiles', {})
  store.fail(new Error('built without the planner'))
  await expect(asked).rejects.toThrow('built without')
  expect(store.broken.value).toBe('built without the planner')
})

it('says what it says for a while', async () => {
  store.status.value = 'done'
  await vi.advanceTimersByTimeAsync(saidFor - 1)
  store.status.value = 'done again'
  await vi.advanceTimersByTimeAsync(saidFor - 1)
  expect(store.status.value).toBe('done again')
  await vi.advanceTimersByTimeAsync(1)
  expect(store.status.value).toBe('')
})

it('keeps the job that is picked out, and its colour, where another comes before it', async () => {
  const jobs = (...names: string[]) => names.map(name => ({ name }) as CompiledJob)
  compile = text => ({
    instance: compiled(text, { jobs: jobs(...text.split(' ')) }),
    spec: {},
    problems: [],
  })
  store.attach(engine)
  store.open({ ...snapshot, text: 'a b' })
  await settle()
  store.selection.value = { job: 1, iteration: 2, gpu: 3 }
  store.inquiry.job.value = 0
  store.text.edit('rush a b')
  await settle()
  expect(store.selection.value).toEqual({ job: 2, iteration: 2, gpu: 3 })
  expect(store.inquiry.job.value).toBe(1)
  expect([...jobColours(store.sound.value!.instance)]).toEqual([2, 0, 1])
  store.text.edit('rush a')
  await settle()
  expect(store.selection.value).toBeNull()
})

it('plans the same jobs at full depth and back, at once the second time', async () => {
  const ladder = { depths: [{}, {}], rule: { fixed: [1, 1] } } as unknown as CompiledJob
  compile = text => {
    const full = text.includes('"full"')
    const instance = compiled(full ? 'full' : 'spb', full ? {} : { jobs: [ladder] })
    return { instance, spec: { jobs: [{ name: 'x', spb: { rule: 'free' } }] }, problems: [] }
  }
  store.attach(engine)
  store.open(snapshot)
  await settle()
  expect(store.counterpart(store.planning.view.value!.instance)).toBeNull()
  store.spb.value = false
  await settle()
  expect(plans().at(-1)!.text).toBe('{"jobs":[{"name":"x","spb":{"rule":"full"}}]}')
  const shown = store.planning.view.value!
  expect(shown.instance.digest).toBe('full')
  expect(store.isFullDepth(shown.instance)).toBe(true)
  expect(store.counterpart(shown.instance)?.instance.digest).toBe('spb')
  const made = plans().length
  store.spb.value = true
  await settle()
  expect(store.planning.view.value).toMatchObject({ text: 'a' })
  expect(store.counterpart(store.planning.view.value!.instance)?.instance.digest).toBe('full')
  expect(plans()).toHaveLength(made)
  // What a picture puts beside a plan is known by now.
  const beside = await store.beside(store.planning.view.value!, new AbortController().signal)
  expect(beside?.instance.digest).toBe('full')
  expect(plans()).toHaveLength(made)
  // Another scenario has no other way yet.
  store.open({ ...snapshot, text: 'b' })
  expect(store.spb.value).toBe(true)
})
