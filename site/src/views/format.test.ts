import { describe, expect, it } from 'vitest'
import {
  bitRate,
  bytes,
  change,
  clean,
  decimal,
  gapOf,
  gapWords,
  instant,
  objectiveValue,
  percent,
  plural,
  short,
  significant,
  ticks,
  UNKNOWN,
} from './format'

/** With plain spaces, to be legible here. */
const plain = (text: string) => text.replaceAll('\u00a0', ' ')

describe('times', () => {
  it.each([
    [0, 1000, '0 s'],
    [1, 1, '1.000 µs'],
    [999, 1, '999.0 µs'],
    [1500, 1, '1.500 ms'],
    [9304, 1000, '9.304 s'],
    [15230, 1000, '15.23 s'],
    [999960, 1, '1,000 ms'],
    [599_000, 1000, '599.0 s'],
    [600_000, 1000, '10.00 min'],
    [3_600_000 * 12, 1000, '12.00 h'],
  ])('%d ticks of %d us are %s', (value, tickUs, want) => {
    expect(plain(ticks(value, tickUs))).toBe(want)
  })
  it('says that it does not know', () => {
    for (const v of [null, undefined, Number.NaN, Number.POSITIVE_INFINITY])
      expect(ticks(v, 1000)).toBe(UNKNOWN)
  })
  it('takes the unit of what it is compared with', () => {
    expect(plain(ticks(590_000, 1000, 610_000))).toBe('9.83 min')
    expect(plain(ticks(0, 1000, 610_000))).toBe('0.00 min')
    expect(plain(ticks(1832, 1000, 40_356_000))).toBe('0.00 h')
    expect(plain(ticks(15_230, 1000, 9258))).toBe('15.23 s')
    expect(plain(ticks(590_000, 1000, null))).toBe('590.0 s')
    expect(plain(objectiveValue(590_000, 'weighted_completion', 1000, 610_000))).toBe('9.83 min × weight')
  })
  it('is as exact as asked, in one unit', () => {
    expect(plain(instant(1234, 1000, 1))).toBe('1.234 s')
    expect(plain(instant(1200, 1000, 200))).toBe('1.2 s')
    expect(plain(instant(500, 1000, 500, 2000))).toBe('0.5 s')
    expect(plain(instant(2000, 1000, 1000))).toBe('2 s')
  })
})

describe('numbers', () => {
  it.each([
    [0, 0, '0'],
    [1234567, 0, '1,234,567'],
    [-1234.5, 1, '−1,234.5'],
    [-0.001, 1, '0.0'],
    [Number.NaN, 0, UNKNOWN],
  ])('decimal(%d, %d) is %s', (v, digits, want) => {
    expect(decimal(v, digits)).toBe(want)
  })
  it.each([
    [0.00012345, '0.000123'],
    [0.5, '0.5000'],
    [9.9996, '10.00'],
    [12.345, '12.35'],
    [99.999, '100.0'],
    [123456.7, '123,457'],
  ])('significant(%d) is %s', (v, want) => {
    expect(significant(v)).toBe(want)
  })
  it('gives changes their sign', () => {
    expect(plain(change(0.091))).toBe('+9.1 %')
    expect(plain(change(-0.091))).toBe('−9.1 %')
    expect(plain(change(0.00001))).toBe('0.0 %')
    expect(plain(percent(1.1617))).toBe('116.2 %')
  })
  it('knows binary bytes and decimal bits', () => {
    expect(plain(bytes(32 * 2 ** 30))).toBe('32.0 GiB')
    expect(plain(bytes(1023))).toBe('1,023 B')
    expect(plain(bitRate(25e9))).toBe('25 Gbit/s')
    expect(plain(bitRate(12.5e9))).toBe('12.5 Gbit/s')
    expect(plain(bitRate(1.2e12))).toBe('1.2 Tbit/s')
    expect(plain(bitRate(100e9))).toBe('100 Gbit/s')
    expect(plain(plural(1, 'GPU'))).toBe('1 GPU')
    expect(plain(plural(1024, 'GPU'))).toBe('1,024 GPUs')
  })
})

describe('objectives', () => {
  it('have their own units', () => {
    expect(plain(objectiveValue(9304, 'makespan', 1000))).toBe('9.304 s')
    expect(plain(objectiveValue(42610, 'weighted_completion', 1000))).toBe('42.61 s × weight')
    expect(plain(objectiveValue(24_010_507, 'weighted_completion', 1e6))).toBe('6,670 h × weight')
    expect(plain(objectiveValue(0.004, 'throughput', 1000))).toBe('4.000 it/s')
    expect(plain(objectiveValue(0.52, 'max_min_throughput', 1000))).toBe('52.0 %')
    expect(objectiveValue(null, 'makespan', 1000)).toBe(UNKNOWN)
  })
  it('have one gap', () => {
    expect(gapOf(20553, 18382)).toBeCloseTo(0.10563)
    expect(gapOf(null, 1)).toBeNull()
    expect(gapOf(0, 0)).toBe(0)
    expect(gapOf(0, 0.5)).toBeNull()
  })
})

describe('names', () => {
  it('are cut in the middle', () => {
    expect(short('short')).toBe('short')
    expect(short('a'.repeat(40))).toHaveLength(40)
    expect(short(`${'a'.repeat(99)}-the-end`)).toBe(`${'a'.repeat(27)}…aaaa-the-end`)
    expect(Array.from(short('🧩'.repeat(50)))).toHaveLength(40)
  })
  it('cannot reorder or break the line', () => {
    expect(clean('a\u202eb\nc\u0000d')).toBe('a\ufffdb\ufffdc\ufffdd')
    expect(clean('模型-é')).toBe('模型-é')
  })
})

it.each<[number | null, string]>([
  [null, UNKNOWN],
  [0, '0.0 %'],
  [0.0003, '< 0.1 %'],
  [0.0149, '1.5 %'],
])('a gap of %s is %s', (gap, expected) => expect(plain(gapWords(gap))).toBe(expected))
