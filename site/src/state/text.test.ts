import { expect, it, vi } from 'vitest'
import { ScenarioText } from './text'

it('edits, undoes and redoes without an editor on the page', () => {
  const text = new ScenarioText('one\ntwo\n')
  text.edit('one\n2\n')
  expect(text.text.value).toBe('one\n2\n')
  expect(text.undoable.value).toEqual({ undo: 1, redo: 0 })
  text.undo()
  expect(text.text.value).toBe('one\ntwo\n')
  expect(text.undoable.value).toEqual({ undo: 0, redo: 1 })
  text.redo()
  expect(text.text.value).toBe('one\n2\n')
})

it('takes a slider that moves as one step, two fields as two', () => {
  const text = new ScenarioText('nodes: 1\nmemory: 16GiB\n')
  for (const nodes of [2, 3, 4]) text.edit(`nodes: ${nodes}\nmemory: 16GiB\n`)
  text.edit('nodes: 4\nmemory: 32GiB\n')
  text.undo()
  expect(text.text.value).toBe('nodes: 4\nmemory: 16GiB\n')
  text.undo()
  expect(text.text.value).toBe('nodes: 1\nmemory: 16GiB\n')
})

it('begins a history of its own with another scenario', () => {
  const text = new ScenarioText('a')
  text.edit('b')
  text.open('c')
  text.undo()
  expect(text.text.value).toBe('c')
})

it('takes what follows at once in one place as one step, what was pasted alone', () => {
  vi.useFakeTimers()
  const text = new ScenarioText('')
  for (const typed of ['j', 'jo', 'job', 'jo']) text.typed(typed, false)
  text.typed('jo: 1', true)
  vi.advanceTimersByTime(1000)
  text.typed('jo: 12', false)
  vi.useRealTimers()
  const seen = []
  while (text.undoable.value.undo > 0) {
    text.undo()
    seen.push(text.text.value)
  }
  expect(seen).toEqual(['jo: 1', 'jo', ''])
  // Another change ends what can be redone.
  text.redo()
  text.edit('other')
  expect(text.undoable.value).toEqual({ undo: 2, redo: 0 })
})

it('tells an editor of what changes elsewhere, and where to go', () => {
  const text = new ScenarioText('one\r\ntwo\r\n')
  const told: unknown[] = []
  text.goTo(2, 2)
  const detach = text.attach({ replace: change => told.push(change), goTo: at => told.push(at) })
  text.typed('one\ntwo!\n', false)
  text.edit('one\n2\n', true)
  text.undo()
  text.goTo(9, 9)
  text.open('three')
  detach()
  text.edit('four')
  expect(told).toEqual([
    5,
    { from: 4, to: 8, insert: '2' },
    { from: 4, to: 5, insert: 'two!' },
    9,
    { from: 0, to: 9, insert: 'three' },
  ])
})

it('makes no step of nothing', () => {
  const text = new ScenarioText('a')
  text.edit('a')
  expect(text.undoable.value.undo).toBe(0)
})
