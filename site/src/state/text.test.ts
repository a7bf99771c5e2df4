import { expect, it } from 'vitest'
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

it('makes no step of nothing', () => {
  const text = new ScenarioText('a')
  text.edit('a')
  expect(text.undoable.value.undo).toBe(0)
})
