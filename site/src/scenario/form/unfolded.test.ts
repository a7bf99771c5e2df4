import { expect, it } from 'vitest'
import { placeAfter } from './unfolded'

it.each<[string, string[], string[], number, number | null]>([
  ['nothing changes', ['a', 'b', 'c'], ['a', 'b', 'c'], 1, 1],
  ['it gets another name', ['a', 'b', 'c'], ['a', 'bb', 'c'], 1, 1],
  ['it gets the name of another', ['a', 'b', 'c'], ['a', 'c', 'c'], 1, 1],
  ['one before it goes', ['a', 'b', 'c'], ['b', 'c'], 1, 0],
  ['one before it comes', ['a', 'b'], ['new', 'a', 'b'], 1, 2],
  ['others change places', ['a', 'b', 'c'], ['c', 'b', 'a'], 0, 2],
  ['it goes', ['a', 'b', 'c'], ['a', 'c'], 1, null],
  ['another scenario is opened', ['a', 'b'], ['x', 'y'], 1, null],
  ['which of two it is cannot be told', ['a', 'b'], ['b', 'b', 'a'], 1, null],
])('an open form stays with its job when %s', (_, before, after, place, expected) => {
  expect(placeAfter(before, after, place)).toBe(expected)
})
