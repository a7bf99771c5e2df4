import { afterEach, expect, it, vi } from 'vitest'
import { keepDraft, readDraft } from './draft'

afterEach(() => vi.unstubAllGlobals())

it('brings back nothing older where the tab has no room for what is newer', () => {
  const items = new Map<string, string>()
  vi.stubGlobal('sessionStorage', {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => {
      if (value.length > 200) throw new DOMException('full', 'QuotaExceededError')
      items.set(key, value)
    },
    removeItem: (key: string) => items.delete(key),
  })
  const open = { id: '', revision: 0, text: '', view: '' }
  keepDraft({ open, text: 'old', view: '{}' })
  expect(readDraft()?.text).toBe('old')
  keepDraft({ open, text: 'new '.repeat(100), view: '{}' })
  expect(readDraft()).toBeNull()
})
