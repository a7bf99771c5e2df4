// Formats quantities, in one place, so that a time looks the same in every view. Typographically a
// thin space between number and unit would be best, but a no-break space works with screen readers
// and copied text.

import type { ObjectiveName } from '../engine/api'

const SPACE = '\u00a0'
const MINUS = '\u2212'
/** Shown for unknown values. */
export const UNKNOWN = '–'

/** Decimals with commas between the thousands and a true minus sign. */
export function decimal(value: number, digits = 0): string {
  if (!Number.isFinite(value)) return UNKNOWN
  const text = Math.abs(value).toFixed(digits)
  const [whole = '0', part] = text.split('.')
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',') + (part === undefined ? '' : `.${part}`)
  return value < 0 && Number(text) !== 0 ? MINUS + grouped : grouped
}

/** About four significant digits, but never rounds the integer part. Trailing zeros stay, so that columns of figures line up. */
export const significant = (value: number, digits = 4): string =>
  value === 0 ? '0' : decimal(value, placesOf(value, digits))

/** The digits after the point for a total number of digits. */
function placesOf(value: number, digits = 4): number {
  const whole = Math.floor(Math.log10(Math.abs(value))) + 1
  // 999.96 has three digits before the point, but rounds to four.
  const places = Math.min(Math.max(digits - whole, 0), digits + 2)
  const rounded = Number(value.toFixed(places))
  const grown = rounded !== 0 && Math.floor(Math.log10(Math.abs(rounded))) + 1 > whole
  return grown ? Math.max(places - 1, 0) : places
}

const TIME_UNITS = [
  { name: 'µs', us: 1 },
  { name: 'ms', us: 1e3 },
  { name: 's', us: 1e6 },
  { name: 'min', us: 60e6 },
  { name: 'h', us: 3600e6 },
] as const

/** The most readable unit for a time in microseconds: seconds from a thousandth to ten minutes, then minutes up to two hours. */
export function timeUnit(us: number): { name: string; us: number } {
  const size = Math.abs(us)
  if (size >= 7200e6) return TIME_UNITS[4]
  if (size >= 600e6) return TIME_UNITS[3]
  if (size >= 1e6) return TIME_UNITS[2]
  if (size >= 1e3) return TIME_UNITS[1]
  return TIME_UNITS[0]
}

/** A time in ticks, in a unit suitable for it, or for what it is compared with (`like`, ticks), and no finer than that. */
export function ticks(
  value: number | null | undefined,
  tickUs: number,
  like: number | null | undefined = value,
): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return UNKNOWN
  if (value === 0 && !like) return `0${SPACE}s`
  const other = like || value
  const unit = timeUnit(other * tickUs)
  const inUnit = (t: number) => (t * tickUs) / unit.us
  const places = Math.min(placesOf(inUnit(value)), placesOf(inUnit(other)))
  return decimal(inUnit(value), places) + SPACE + unit.name
}

/** A point in time, as precise as resolution (ticks) requires, in a unit suitable for `like` (ticks; by default itself). */
export function instant(value: number, tickUs: number, resolution: number, like = value): string {
  const unit = timeUnit(Math.max(Math.abs(like), 1) * tickUs)
  const step = (Math.max(resolution, 1e-9) * tickUs) / unit.us
  const digits = Math.min(Math.max(Math.ceil(-Math.log10(step)), 0), 6)
  return decimal((value * tickUs) / unit.us, digits) + SPACE + unit.name
}

/** A share as a percentage, one digit after the point. */
export function percent(share: number | null | undefined, digits = 1): string {
  if (share === null || share === undefined || !Number.isFinite(share)) return UNKNOWN
  return `${decimal(share * 100, digits)}${SPACE}%`
}

/** A change: always with its sign. */
export function change(share: number | null | undefined, digits = 1): string {
  if (share === null || share === undefined || !Number.isFinite(share)) return UNKNOWN
  const text = percent(share, digits)
  return share > 0 && Number((share * 100).toFixed(digits)) !== 0 ? `+${text}` : text
}

const BYTE_UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB']

export function bytes(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return UNKNOWN
  let n = value
  let unit = 0
  while (Math.abs(n) >= 1024 && unit < BYTE_UNITS.length - 1) {
    n /= 1024
    unit++
  }
  return (unit === 0 ? decimal(n) : significant(n, 3)) + SPACE + BYTE_UNITS[unit]
}

const RATE_UNITS = ['bit/s', 'kbit/s', 'Mbit/s', 'Gbit/s', 'Tbit/s']

export function bitRate(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return UNKNOWN
  let n = value
  let unit = 0
  while (Math.abs(n) >= 1000 && unit < RATE_UNITS.length - 1) {
    n /= 1000
    unit++
  }
  return (
    significant(n, 3)
      .replace(/(\.\d*?)0+$/, '$1')
      .replace(/\.$/, '') +
    SPACE +
    RATE_UNITS[unit]
  )
}

export function plural(n: number, noun: string, nouns = `${noun}s`): string {
  return `${decimal(n)}${SPACE}${n === 1 ? noun : nouns}`
}

/** A value of the objective with its unit; for times, a unit suitable for what it is compared with. */
export function objectiveValue(
  value: number | null | undefined,
  objective: ObjectiveName,
  tickUs: number,
  like: number | null | undefined = value,
): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return UNKNOWN
  switch (objective) {
    case 'makespan':
      return ticks(value, tickUs, like)
    case 'weighted_completion': {
      return `${ticks(value, tickUs, like)}${SPACE}×${SPACE}weight`
    }
    case 'throughput':
      return `${significant((value * 1e6) / tickUs)}${SPACE}it/s`
    case 'max_min_throughput':
      return percent(value)
  }
}

export const objectiveNames: Record<ObjectiveName, string> = {
  makespan: 'Makespan',
  weighted_completion: 'Weighted completion',
  throughput: 'Weighted throughput',
  max_min_throughput: 'Least normalised rate',
}

/** Whether less is better. */
export function minimised(objective: ObjectiveName): boolean {
  return objective === 'makespan' || objective === 'weighted_completion'
}

/** |pb - db| / max(|pb|, 1e-9), as everywhere in JigSaw; null if only pb is 0. */
export function gapOf(primal: number | null, dual: number | null): number | null {
  if (primal === null || dual === null || (primal === 0 && dual !== 0)) return null
  return Math.abs(primal - dual) / Math.max(Math.abs(primal), 1e-9)
}

/** Smaller positive gaps would be rounded to zero. */
export const LEAST_GAP = 0.001

/** A gap as a percentage: 0 only if plan and bound are equal. */
export const gapWords = (gap: number | null) =>
  gap !== null && gap > 1e-9 && gap < LEAST_GAP ? `<${SPACE}${percent(LEAST_GAP)}` : percent(gap)

/** Replaces control characters and characters that reorder text, in names. */
export function clean(name: string): string {
  return name.replace(/\p{Cc}|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu, '\ufffd')
}

/** With a capital first letter. */
export const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

const LONGEST = 40

/** A name that fits into a line: its beginning and its end, if it is too long. */
export function short(name: string): string {
  const text = clean(name)
  if (text.length <= LONGEST) return text
  // By code points, so that no character is split.
  const points = Array.from(text)
  return points.length <= LONGEST
    ? text
    : `${points.slice(0, LONGEST - 13).join('')}…${points.slice(-12).join('')}`
}
