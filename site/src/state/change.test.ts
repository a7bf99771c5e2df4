import { expect, it } from 'vitest'
import { change } from './change'

it.each([
  ['', 'abc'],
  ['abc', ''],
  ['abc', 'axc'],
  ['aaa', 'aa'],
  ['aa', 'aaaa'],
  ['nodes: 2, gpus: 4', 'nodes: 12, gpus: 4'],
  ['x', 'y'],
])('turns %j into %j', (from, to) => {
  const { from: start, to: end, insert } = change(from, to)!
  expect(from.slice(0, start) + insert + from.slice(end)).toBe(to)
})

it('finds the least range, and none where there is none', () => {
  expect(change('nodes: 2, gpus: 4', 'nodes: 8, gpus: 4')).toEqual({ from: 7, to: 8, insert: '8' })
  expect(change('a', 'a')).toBeNull()
})
