import { signal } from '@preact/signals'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { FakeEngine } from '../../test/fake'
import type { Scenario } from '../engine/api'
import { type Channel, type Content, Library, recheckAfter, saveAfter } from './library'

// A store that keeps revisions as the contract says, shared by the tabs of a test.
class FakeStore {
  readonly scenarios = new Map<string, Scenario>()
  fail = ''
  persistent = true
  /** How long lists take, ms. */
  listing = 0
  engine = () =>
    new FakeEngine({
      store_list: async () => {
        const list = { persistent: this.persistent, reason: '', scenarios: [...this.scenarios.values()] }
        if (this.listing > 0) await new Promise(resolve => setTimeout(resolve, this.listing))
        return list
      },
      store_get: ({ id }: { id: string }) => (this.persistent && this.scenarios.get(id)) || null,
      store_remove: ({ id }: { id: string }) => this.scenarios.delete(id),
      store_put: ({ base, now_ms, ...put }: Content & { id: string; base: number; now_ms: number }) => {
        if (this.fail) throw new Error(this.fail)
        const latest = this.scenarios.get(put.id)
        const revision = latest?.revision ?? 0
        const conflict = revision !== base
        const kept = conflict
          ? { ...put, id: `${put.id}-copy`, name: 'n (copy)', revision: 1, saved_ms: now_ms }
          : { ...put, name: 'n', revision: revision + Number(put.text !== latest?.text), saved_ms: now_ms }
        this.scenarios.set(kept.id, kept)
        return { scenario: kept, conflict }
      },
    })
}

/** Channels that reach each other at once. */
const wire = () => {
  const channels: Channel[] = []
  return (): Channel => {
    const channel: Channel = {
      onmessage: null,
      postMessage: data => {
        for (const other of channels) if (other !== channel) other.onmessage?.({ data } as MessageEvent)
      },
    }
    channels.push(channel)
    return channel
  }
}

let store: FakeStore
let connect: () => Channel
let ids: number
function tab() {
  const content = signal<Content>({ text: 'one', view: '' })
  const tell = vi.fn()
  const adopt = vi.fn((text: string) => {
    content.value = { ...content.value, text }
  })
  const library: Library = new Library(store.engine(), connect(), { tell, adopt }, () => `id${++ids}`)
  library.begin('one', '')
  library.watch(() => content.value)
  const type = async (text: string) => {
    content.value = { ...content.value, text }
    await vi.advanceTimersByTimeAsync(saveAfter)
  }
  return { library, content, tell, adopt, type }
}

beforeEach(() => {
  vi.useFakeTimers()
  store = new FakeStore()
  connect = wire()
  ids = 0
})
afterEach(() => vi.useRealTimers())

it('keeps a scenario from its first change on', async () => {
  const { library, type } = tab()
  await vi.advanceTimersByTimeAsync(saveAfter * 2)
  expect(store.scenarios.size).toBe(0)
  await type('two')
  expect(store.scenarios.get('id1')).toMatchObject({ text: 'two', revision: 1 })
  await type('three')
  expect(store.scenarios.get('id1')).toMatchObject({ text: 'three', revision: 2 })
  expect(library.saving.value).toBe('saved')
})

it('puts once where changes follow quickly', async () => {
  const { content, type } = tab()
  for (const text of ['a', 'ab', 'abc']) {
    content.value = { ...content.value, text }
    await vi.advanceTimersByTimeAsync(saveAfter / 4)
  }
  await type('abcd')
  expect(store.scenarios.get('id1')).toMatchObject({ text: 'abcd', revision: 1 })
})

it('lets another tab follow where it has no changes of its own', async () => {
  const a = tab()
  await a.type('two')
  const b = tab()
  b.library.opened(store.scenarios.get('id1')!)
  b.content.value = { ...b.content.value, text: 'two' }
  await a.type('three')
  await vi.advanceTimersByTimeAsync(0)
  expect(b.adopt).toHaveBeenCalledOnce()
  expect(b.content.value.text).toBe('three')
  await b.type('four')
  expect(a.content.value.text).toBe('four')
  expect(store.scenarios.size).toBe(1)
})

it('puts no view for that alone that another tab has another', async () => {
  const a = tab()
  await a.type('two')
  const b = tab()
  b.library.opened(store.scenarios.get('id1')!)
  b.content.value = { text: 'two', view: 'zoomed' }
  await vi.advanceTimersByTimeAsync(saveAfter)
  expect(store.scenarios.get('id1')).toMatchObject({ view: 'zoomed', revision: 1 })
  await a.type('three')
  await vi.advanceTimersByTimeAsync(20 * saveAfter)
  expect(b.content.value).toEqual({ text: 'three', view: 'zoomed' })
  expect(store.scenarios.get('id1')).toMatchObject({ view: '', revision: 2 })
  await b.type('four')
  expect(store.scenarios.get('id1')).toMatchObject({ text: 'four', view: 'zoomed', revision: 3 })
})

it('loses nothing where two tabs change the same', async () => {
  const a = tab()
  await a.type('two')
  const b = tab()
  b.library.opened(store.scenarios.get('id1')!)
  a.content.value = { ...a.content.value, text: 'two, by a' }
  b.content.value = { ...b.content.value, text: 'two, by b' }
  await vi.advanceTimersByTimeAsync(saveAfter)
  expect([...store.scenarios.values()].map(s => s.text).sort()).toEqual(['two, by a', 'two, by b'])
  expect(b.library.open.value.id).toBe('id1-copy')
  expect(b.tell).toHaveBeenCalledWith(expect.stringContaining('Both are kept'))
})

it('tells of a failure and tries again with the next change', async () => {
  const { library, tell, type } = tab()
  store.fail = 'quota exceeded'
  await type('two')
  expect(library.saving.value).toBe('failed')
  expect(tell).toHaveBeenCalledWith(expect.stringContaining('quota exceeded'))
  store.fail = ''
  await type('three')
  expect(library.saving.value).toBe('saved')
  expect(store.scenarios.get('id1')?.text).toBe('three')
})

it('keeps what is open on the page when it is removed', async () => {
  const { library, content, type } = tab()
  await type('two')
  await library.remove('id1')
  expect(content.value.text).toBe('two')
  expect(library.open.value.id).toBe('')
  await type('three')
  expect(store.scenarios.get('id2')?.text).toBe('three')
})

it('keeps a change that had not been put when something else was opened', async () => {
  const { library, content, type } = tab()
  await type('two')
  content.value = { ...content.value, text: 'three' }
  void library.flush()
  library.begin('another', '')
  content.value = { ...content.value, text: 'another' }
  await vi.advanceTimersByTimeAsync(saveAfter)
  expect([...store.scenarios.values()].map(s => s.text)).toEqual(['three'])
  expect(library.open.value.id).toBe('')
  await type('another, changed')
  expect([...store.scenarios.values()].map(s => s.text)).toEqual(['three', 'another, changed'])
})

it('keeps a scenario without a change on request', async () => {
  const { library } = tab()
  await library.flush()
  expect(store.scenarios.size).toBe(0)
  await library.flush(true)
  expect(store.scenarios.get('id1')?.text).toBe('one')
})

it('makes no copies of its own changes that overlap', async () => {
  const { library, content } = tab()
  content.value = { ...content.value, text: 'two' }
  const first = library.flush()
  content.value = { ...content.value, text: 'three' }
  await Promise.all([first, library.flush()])
  expect([...store.scenarios.values()].map(s => [s.id, s.text, s.revision])).toEqual([['id1', 'three', 2]])
})

it('does not take a list that was asked for before the last', async () => {
  const { library, type } = tab()
  store.listing = 10 * saveAfter
  const early = library.refresh()
  store.listing = 0
  await type('two')
  expect(library.heads.value.map(head => head.revision)).toEqual([1])
  await vi.advanceTimersByTimeAsync(10 * saveAfter)
  await early
  expect(library.heads.value.map(head => head.revision)).toEqual([1])
})

it('waits for storage that does not answer', async () => {
  const one = tab()
  await one.type('two')
  const [id] = store.scenarios.keys()
  store.persistent = false
  const two = tab()
  const arrive = vi.fn()
  void two.library.eventually(id!).then(arrive)
  await vi.advanceTimersByTimeAsync(5 * recheckAfter)
  expect(two.library.persistent.value).toBe(false)
  expect(arrive).not.toHaveBeenCalled()
  store.persistent = true
  await vi.advanceTimersByTimeAsync(recheckAfter)
  expect(two.library.persistent.value).toBe(true)
  expect(arrive).toHaveBeenCalledWith(expect.objectContaining({ id, text: 'two' }))
  expect(await two.library.eventually('nobody')).toBeNull()
})
