import { expect, it } from 'vitest'
import type { MoldAnswer } from '../engine/api'
import { boundOfMold, gainOfMold, triedOf, workersOf } from './molds'

const answer = (of: Partial<MoldAnswer> = {}): MoldAnswer => ({
  jobs: ['a', 'b'],
  tried: [
    { workers: [4, 2], value: 80 },
    { workers: [4, 1], value: 90 },
    { workers: [8, 2], value: 100 },
    { workers: [8, 1], value: 110 },
    { workers: [2, 2], value: 120 },
    { workers: [2, 1], value: 160 },
  ],
  choices: 6,
  spec: {},
  tick_us: 1e5,
  bound: 60,
  ...of,
})
const plain = (text: string) => text.replace(/\u00a0/g, ' ')

it('compares what was chosen with the most workers and with the fewest', () => {
  expect(plain(gainOfMold(answer()))).toBe(
    'The plan ends after 8.000 s: 20.0 % sooner than with the most workers for each job (10.00 s), and 50.0 % sooner than with the fewest workers for each job (16.00 s).',
  )
})

it('says nothing of numbers that were not tried, have no plan, or are as good', () => {
  expect(gainOfMold(answer({ tried: [{ workers: [4, 2], value: 80 }] }))).toBe('')
  expect(gainOfMold(answer({ tried: [{ workers: [4, 2], value: null }] }))).toBe('')
  const most = { workers: [8, 2], value: null }
  const fewest = { workers: [2, 1], value: 80 }
  expect(gainOfMold(answer({ tried: [{ workers: [4, 1], value: 80 }, fewest, most] }))).toBe('')
})

it('tells what no numbers can do', () => {
  expect(plain(boundOfMold(answer()))).toBe(
    'With any numbers of workers no plan ends before 6.000 s, by exact arithmetic: at most 25.0 % sooner.',
  )
  expect(boundOfMold(answer({ bound: 80 }))).toContain(': no plan is better.')
  expect(boundOfMold(answer({ bound: null }))).toBe('')
})

it('counts what was tried', () => {
  expect(plain(triedOf(answer()))).toBe('all 6 combinations')
  expect(plain(triedOf(answer({ choices: 65 })))).toBe('6 of 65 combinations')
  expect(triedOf(answer({ choices: 1, tried: [{ workers: [1, 1], value: 1 }] }))).toBe('the only combination')
  expect(workersOf(answer(), [4, 2])).toBe('a 4, b 2')
})
