import { Text } from '@codemirror/state'
import { expect, it } from 'vitest'
import { diagnostics } from './lint'

const doc = Text.of(['version: 1', 'jobs:', '  - {name: "a b", workers: none}'])
const marked = (line: number, column: number) => {
  const [found] = diagnostics([{ path: 'p', line, column, message: 'm' }], doc)
  return doc.sliceString(found!.from, found!.to)
}

it('marks the word at the place', () => {
  expect(marked(1, 10)).toBe('1')
  expect(marked(3, 12)).toBe('"a b"')
  expect(marked(3, 28)).toBe('none')
})

it('stays inside of the text, wherever the place is', () => {
  expect(marked(0, 0)).toBe('version')
  expect(marked(99, 99)).toBe('')
  expect(marked(2, 99)).toBe('')
})
