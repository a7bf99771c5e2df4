import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { compiled, FakeEngine, planResult } from '../../test/fake'
import type { PlanOptions, PlanResult, Scenario } from '../engine/api'
import { saveAfter } from '../keep/library'
import { encodeLink } from '../keep/link'
import { blank } from '../keep/snapshot'
import { Session } from './session'
import { Store } from './store'

// The page around a session, with a store that keeps what it is given.
let kept: Map<string, Scenario>
let plan: (options: PlanOptions, signal?: AbortSignal) => PlanResult | Promise<PlanResult>
let hear: Record<string, (event: unknown) => void>
const storage = () => {
  const items = new Map<string, string>()
  return {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
    removeItem: (key: string) => void items.delete(key),
  }
}

beforeEach(() => {
  vi.useFakeTimers()
  kept = new Map()
  plan = ({ seed }) => planResult({ seed })
  hear = {}
  const listen = { addEventListener: (name: string, on: (event: unknown) => void) => void (hear[name] = on) }
  vi.stubGlobal('window', listen)
  vi.stubGlobal('document', listen)
  vi.stubGlobal('location', { hash: '', pathname: '/', search: '', href: '' })
  vi.stubGlobal('history', {
    replaceState: (_: unknown, __: string, to: string) => {
      location.hash = to.startsWith('#') ? to : ''
    },
  })
  vi.stubGlobal('localStorage', storage())
  vi.stubGlobal('sessionStorage', storage())
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const engine = () =>
  new FakeEngine({
    compile: ({ text }: { text: string }) => ({ instance: compiled(text), spec: {}, problems: [] }),
    plan: (options: PlanOptions, { signal }) => plan(options, signal),
    store_list: () => ({ persistent: true, reason: '', scenarios: [...kept.values()] }),
    store_get: ({ id }: { id: string }) => kept.get(id) ?? null,
    store_put: ({ base, now_ms, ...put }: { id: string; base: number; now_ms: number } & Content) => {
      const scenario = { ...put, name: put.text, revision: base + 1, saved_ms: now_ms }
      kept.set(put.id, scenario)
      return { scenario, conflict: false, persistent: true }
    },
  })
type Content = Pick<Scenario, 'text' | 'view'>

/** A visit of the page, up to where its first plan is there. */
async function visit(): Promise<{ session: Session; store: Store }> {
  const store = new Store()
  store.attach(engine())
  store.ready.value = { ready: true, version: 'new', engine: '', engine_missing: '' }
  const session = new Session(store, { postMessage: () => {}, onmessage: null }, 'first')
  await session.start()
  await settle()
  return { session, store }
}
const settle = () => vi.advanceTimersByTimeAsync(2 * saveAfter)
const compared = (text: string) => ({ label: 'A', text, seed: 0, effort: 1, quick: false })
const link = (text: string, planner = 'new') => encodeLink({ text, ...blank }, planner)
const texts = () => [...kept.values()].map(scenario => scenario.text)
/** Unpacking does not follow the clock of the test. */
async function follow(fragment: string, store: Store, text: string): Promise<void> {
  location.hash = fragment
  hear.hashchange?.({ oldURL: 'http://x/' })
  await vi.waitFor(() => expect(store.text.text.value).toBe(text))
}

it('keeps scenarios where the page comes by plain http', async () => {
  vi.stubGlobal('crypto', { getRandomValues: (bytes: Uint8Array) => bytes.fill(7) })
  const { session, store } = await visit()
  store.text.edit('changed')
  await settle()
  expect(session.library.saving.value).toBe('saved')
  expect(texts()).toEqual(['changed'])
})

it('says on a first visit that its link does not work, beside the first scenario', async () => {
  location.hash = '#1.cut'
  const { store } = await visit()
  expect(store.text.text.value).toBe('first')
  expect(store.alert.value).toMatch(/^The share link does not work: it is truncated/)
})

it('does not show a link again once something else shows', async () => {
  location.hash = await link('linked')
  const { session, store } = await visit()
  expect(store.text.text.value).toBe('linked')
  expect(location.hash).not.toBe('')
  store.text.edit('linked, changed')
  await settle()
  expect(location.hash).toBe('')
  // As by a reload.
  expect((await visit()).store.text.text.value).toBe('linked, changed')
  expect(texts()).toEqual(['linked, changed'])
  await session.share()
  expect(location.hash).not.toBe('')
})

it('opens a link again', async () => {
  const { session, store } = await visit()
  const fragment = await link('linked')
  await follow(fragment, store, 'linked')
  expect(location.hash).toBe(fragment)
  session.openNew('another')
  expect(location.hash).toBe('')
  await follow(fragment, store, 'linked')
})

it('goes on with what is kept where the link is to that', async () => {
  const { session, store } = await visit()
  store.text.edit('mine')
  await settle()
  await session.share()
  const again = await visit()
  again.store.text.edit('mine, changed')
  await settle()
  expect(texts()).toEqual(['mine, changed'])
})

it('keeps what a tab had not kept when a link is opened in it', async () => {
  const draft = { open: { id: 'x', revision: 1, text: 'one', view: '' }, text: 'two', view: '{}' }
  sessionStorage.setItem('jigsaw.draft', JSON.stringify(draft))
  location.hash = await link('linked')
  const { store } = await visit()
  expect(store.text.text.value).toBe('linked')
  expect(kept.get('x')).toMatchObject({ text: 'two', revision: 2 })
})

it('keeps what is changed while another scenario is on its way', async () => {
  const { session, store } = await visit()
  kept.set('x', { id: 'x', name: 'x', revision: 1, saved_ms: 0, text: 'of x', view: JSON.stringify(blank) })
  const coming = session.open('x')
  await Promise.resolve()
  store.text.edit('changed')
  await coming
  expect(store.text.text.value).toBe('of x')
  await settle()
  expect(texts()).toEqual(['of x', 'changed'])
})

it('tells of the other version of a link as soon as it knows its own', async () => {
  location.hash = await link('linked', 'old')
  const store = new Store()
  const session = new Session(store, { postMessage: () => {}, onmessage: null }, 'first')
  await session.start()
  expect(store.status.value).toBe('')
  store.ready.value = { ready: true, version: 'new', engine: '', engine_missing: '' }
  await settle()
  expect(store.status.value).toContain('JigSaw old; this is new')
})

it('asks before it leaves with what could not be saved', async () => {
  const { session, store } = await visit()
  const leave = () => {
    const preventDefault = vi.fn()
    hear.beforeunload?.({ preventDefault })
    return preventDefault.mock.calls.length > 0
  }
  expect(leave()).toBe(false)
  kept.set = () => {
    throw new Error('full')
  }
  store.text.edit('changed')
  await settle()
  expect(session.library.saving.value).toBe('failed')
  expect(leave()).toBe(true)
})

it('compares with the plan of what is open, not of what was', async () => {
  const { session, store } = await visit()
  let finish = () => {}
  let stopped: AbortSignal | undefined
  plan = ({ text, seed }, signal) => {
    if (text !== 'slow') return planResult({ seed })
    stopped = signal
    return new Promise(resolve => (finish = () => resolve(planResult())))
  }
  for (const [id, of] of Object.entries({ x: 'slow', y: 'other', z: '' }))
    kept.set(id, {
      id,
      name: id,
      revision: 1,
      saved_ms: 0,
      text: `of ${id}`,
      view: JSON.stringify({ ...blank, compared: of ? compared(of) : null }),
    })
  await session.open('x')
  await settle()
  expect(store.pinned.value).toBeNull()
  // What is being made is part of the view already: of the link, and of what is kept.
  expect(session.snapshot().compared).toEqual(compared('slow'))
  expect(session.library.saving.value).toBe('saved')
  await session.open('z')
  expect(stopped?.aborted).toBe(true)
  finish()
  await settle()
  expect(store.pinned.value).toBeNull()
  expect(session.snapshot().compared).toBeNull()
  await session.open('y')
  await settle()
  expect(store.pinned.value?.of.text).toBe('other')
  expect(store.pinning.value).toBeNull()
  // Nothing of all this is a change.
  expect([...kept.values()].map(scenario => scenario.revision)).toEqual([1, 1, 1])
})

it('compares with a plan that is known, and with the quick plan where that was pinned', async () => {
  const made: PlanOptions[] = []
  plan = options => {
    made.push(options)
    return planResult({ ...options, quick: options.quick ?? false })
  }
  const { session, store } = await visit()
  made.length = 0
  session.openNew({ ...blank, text: 'another', compared: compared('first') })
  await settle()
  expect(store.pinned.value?.of.text).toBe('first')
  expect(made.map(({ text }) => text)).toEqual(['another', 'another'])
  made.length = 0
  session.openNew({ ...blank, text: 'another', compared: { ...compared('first'), quick: true } })
  await settle()
  expect(store.pinned.value?.result.quick).toBe(true)
  expect(made).toEqual([{ text: 'first', seed: 0, effort: 1, quick: true }])
  // It does not stand for the whole plan from then on.
  session.openNew('first')
  await settle()
  expect(store.planning.view.value?.result?.quick).toBe(false)
})

it('shows what was opened and not changed again after a reload, and keeps it only once it is changed', async () => {
  const { session } = await visit()
  session.openNew('a file')
  await settle()
  const { store } = await visit()
  expect(store.text.text.value).toBe('a file')
  expect(texts()).toEqual([])
  store.text.edit('a file, changed')
  await settle()
  expect(texts()).toEqual(['a file, changed'])
})
