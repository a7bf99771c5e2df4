import { describe, expect, it } from 'vitest'
import { actionOf, KEYS } from './keys'

const none = { shiftKey: false, ctrlKey: false, metaKey: false, altKey: false }
const act = (key: string, selected: boolean, more: Partial<typeof none> = {}) =>
  actionOf({ key, ...none, ...more }, selected)

describe('keys', () => {
  it('move what is seen without a selection, and the selection with one', () => {
    expect(act('ArrowRight', false)).toEqual({ do: 'pan', by: 0.15 })
    expect(act('ArrowRight', true)).toEqual({ do: 'step', step: 'right' })
    expect(act('ArrowRight', true, { shiftKey: true })).toEqual({ do: 'pan', by: 0.15 })
    expect(act('ArrowDown', true)).toEqual({ do: 'step', step: 'down' })
    expect(act('ArrowDown', false)).toMatchObject({ do: 'scroll' })
  })
  it('move a task where that may be moved', () => {
    const key = { key: 'ArrowLeft', ...none }
    expect(actionOf(key, true, true)).toEqual({ do: 'carry', by: -0.005, whole: false })
    expect(actionOf({ ...key, shiftKey: true }, true, true)).toMatchObject({ do: 'carry', whole: true })
    expect(actionOf({ ...key, key: 'ArrowUp' }, true, true)).toMatchObject({ do: 'step' })
  })
  it('zoom in and out by the same', () => {
    const inwards = act('w', false)
    const outwards = act('s', false)
    if (inwards?.do !== 'zoom' || outwards?.do !== 'zoom') throw new Error('no zoom')
    expect(inwards.factor * outwards.factor).toBeCloseTo(1)
    expect(act('+', false)).toEqual(inwards)
  })
  it('leave to the page what is not theirs', () => {
    for (const key of ['Tab', 'x', '?', 'F5']) expect(act(key, true)).toBeNull()
    expect(act('Escape', false)).toBeNull()
    expect(act('s', false, { ctrlKey: true })).toBeNull()
    expect(act('ArrowLeft', false, { altKey: true })).toBeNull()
  })
  it('have a page of help', () => {
    expect(KEYS.every(([keys, text]) => keys && text)).toBe(true)
  })
})
