import { describe, expect, it } from 'vitest'
import { fixture } from '../../test/fixture'
import type { PlanResult } from '../engine/api'
import type { RunView } from './props'
import { comingWords, gainWords, harmOf, judge, limitsWords, type Pair, statusWords } from './words'

const plain = (text: string) => text.replaceAll('\u00a0', ' ')
const { result } = fixture()

function runOf(result: PlanResult | null, more: Partial<RunView> = {}): RunView {
  return {
    objective: 'makespan',
    tick_us: 1000,
    primal: result?.primal ?? null,
    dual: result?.dual ?? null,
    certified: result?.certified ?? false,
    result,
    usage: null,
    series: [],
    running: false,
    stale: '',
    ...more,
  }
}

it('says how far a plan is that has nothing to show yet', () => {
  const of = (primal: number | null, dual: number | null) =>
    plain(comingWords({ primal, dual }, 'makespan', 1e6))
  expect(of(null, null)).toBe('')
  expect(of(null, 90)).toBe('No plan can take less than 90.00 s; the search goes on.')
  expect(of(100, null)).toBe('Its best so far: 100.0 s; the search goes on.')
  expect(of(100, 90)).toBe('Its best so far: 100.0 s, at most 10.0 % from the optimum; the search goes on.')
  expect(plain(comingWords({ primal: null, dual: 2 }, 'throughput', 1e6))).toContain(
    'No plan can have more than 2',
  )
})

describe('status', () => {
  it.each<[string, RunView, string, string]>([
    ['nothing', runOf(null), 'No plan', 'Nothing has been planned yet.'],
    ['planning', runOf(null, { running: true }), 'Planning', 'There is no plan yet.'],
    [
      'planning, with a plan',
      runOf(null, { running: true, primal: 100, dual: 90 }),
      'Planning',
      'So far, no plan can be more than 10.0 % better.',
    ],
    [
      'planning, while the plan of another scenario shows',
      runOf(result, { running: true, stale: 'unplanned' }),
      'Planning',
      'The previous plan is shown until the new one is ready.',
    ],
    [
      'a plan of the scenario before',
      runOf(result, { stale: 'unplanned' }),
      'Earlier plan',
      'It is for an earlier version of the scenario; “Plan” makes a new one.',
    ],
    [
      'a plan of the scenario before it had problems',
      runOf(result, { running: true, stale: 'problems' }),
      'Earlier plan',
      'It is for an earlier version of the scenario; fix the problems to get a new one.',
    ],
    [
      'a plan whose run ended before its first result',
      runOf(null, { primal: 100, dual: 90 }),
      'Feasible',
      'Stopped early: a valid plan; no plan can be more than 10.0 % better.',
    ],
    [
      'feasible',
      runOf({ ...result, primal: 100, dual: 97 }),
      'Feasible',
      'A valid plan; no plan can be more than 3.0 % better (certified).',
    ],
    [
      'feasible, all but optimal',
      runOf({ ...result, primal: 100, dual: 99.99 }),
      'Feasible',
      'A valid plan; no plan can be as much as 0.1 % better (certified).',
    ],
    [
      'stopped',
      runOf({ ...result, primal: 100, dual: null, stopped: true, certified: false }),
      'Feasible',
      'Stopped early: a valid plan; no bound is known.',
    ],
    [
      'optimal',
      runOf({ ...result, status: 'optimal' }),
      'Optimal',
      'It is certified that no plan is better.',
    ],
    [
      'infeasible',
      runOf({ ...result, status: 'infeasible', certified: false, reasons: ['x'] }),
      'Infeasible',
      'It is proven that no plan exists:',
    ],
  ])('of %s', (_, run, head, text) => {
    const words = statusWords(run)
    expect(words.head).toBe(head)
    expect(plain(words.text)).toBe(text)
  })
})

describe('judging a change', () => {
  it.each([
    [100, 90, 'less', false, '−10.0 %', '▼', 'better'],
    [100, 110, 'less', false, '+10.0 %', '▲', 'worse'],
    [100, 110, 'more', false, '+10.0 %', '▲', 'better'],
    [0.5, 0.6, 'neither', true, '+10.0 points', '▲', 'changed'],
    [0.5, 0.50001, 'more', true, '0.0 points', '=', 'same'],
    [0, 5, 'less', false, 'from zero', '▲', 'worse'],
    [0, 0, 'less', false, '0.0 %', '=', 'same'],
  ] as const)('%d to %d, %s is better', (a, b, good, share, text, glyph, verdict) => {
    const v = judge(a, b, good, share)!
    expect([plain(v.text), v.glyph, v.verdict]).toEqual([text, glyph, verdict])
  })
  it('says nothing of what is unknown', () => {
    expect(judge(null, 1, 'less')).toBeNull()
    expect(judge(1, undefined, 'less')).toBeNull()
  })
})

it('takes no failure for a gain', () => {
  const verdicts = (value: number) =>
    (['makespan', 'throughput'] as const).map(objective => harmOf(100, value, objective)?.verdict)
  expect(verdicts(96)).toEqual(['changed', 'worse'])
  expect(verdicts(104)).toEqual(['worse', 'changed'])
  expect(verdicts(100)).toEqual(['same', 'same'])
})

describe('limits', () => {
  const words = (dual: number | null, value?: number) =>
    plain(
      limitsWords(
        {
          primal: null,
          dual,
          binding_bound: value === undefined ? null : { kind: 'fluid', value, certified: true },
        },
        'makespan',
        1000,
      ),
    )
  it('are of the bound that shows, or of a weaker one', () => {
    expect(words(9022, 9022)).toBe('The bound of 9.022 s follows from these.')
    expect(words(9401, 9022)).toBe(
      'A bound of 9.022 s follows from these. The search proved a stronger one, 9.401 s, which has no such limits to show.',
    )
  })
  it('have no bound where none tells', () => {
    expect(words(9022)).toBe('')
    expect(words(null)).toBe('')
  })
})

describe('gain', () => {
  const gain = (value: number | null, base: number | null, more: Partial<Pair> = {}) =>
    gainWords({ objective: 'makespan', tick_us: 1000, partial: true, value, base, ...more })
  it.each<[string, string, string]>([
    [
      'makespan',
      gain(9258, 12290),
      'Partial backpropagation (SPB) ends sooner than full depth by 24.7 %: 12.29 s → 9.258 s.',
    ],
    [
      'throughput',
      gain(3, 2, { objective: 'throughput' }),
      'Partial backpropagation (SPB) trains faster than full depth by 50.0 %: 2,000 it/s → 3,000 it/s.',
    ],
    ['nothing', gain(200, 200), 'Partial backpropagation (SPB) gains nothing over full depth here.'],
    [
      'another change, nothing',
      gain(200, 200, { names: ['The plan', 'the one before'] }),
      'The plan is as good as the one before.',
    ],
    [
      'full depth alone',
      gain(200, 300, { partial: false }),
      'Interleaving ends sooner than whole jobs on GPUs of their own by 33.3 %: 300.0 ms → 200.0 ms.',
    ],
    [
      'across the ten minutes from which times are told in minutes',
      gain(590_000, 610_000),
      'Partial backpropagation (SPB) ends sooner than full depth by 3.3 %: 610.0 s → 590.0 s.',
    ],
    ['unknown', gain(200, null), ''],
    ['no plan', gain(null, 200), ''],
  ])('%s', (_, words, expected) => expect(plain(words)).toBe(expected))
})
