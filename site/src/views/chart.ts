// Scales and paths of the small charts.

import type { PlanPoint } from '../engine/api'

/** Maps values to positions; the domain may be descending. */
export function linear(
  domain: readonly [number, number],
  range: readonly [number, number],
): (v: number) => number {
  const length = domain[1] - domain[0] || 1
  return v => range[0] + ((v - domain[0]) * (range[1] - range[0])) / length
}

/** Round values within a domain, about n of them. */
export function niceMarks(lo: number, hi: number, n: number): number[] {
  if (!(hi > lo) || !Number.isFinite(hi - lo)) return [lo]
  const raw = (hi - lo) / Math.max(n, 1)
  const scale = 10 ** Math.floor(Math.log10(raw))
  const step = ([1, 2, 5].find(m => m * scale >= raw * (1 - 1e-9)) ?? 10) * scale
  const list: number[] = []
  for (let i = Math.ceil(lo / step - 1e-9); i * step <= hi * (1 + 1e-12) + 1e-300 && list.length < 50; i++)
    list.push(i * step + 0)
  return list
}

/** A step line that keeps each value until the next, from the first known value to the end; '' if there is none. */
export function steps(
  points: readonly { t: number; v: number | null }[],
  end: number,
  x: (t: number) => number,
  y: (v: number) => number,
): string {
  let path = ''
  let value: number | null = null
  for (const p of points) {
    if (p.v === null || p.v === value) continue
    const at = `${x(p.t).toFixed(1)} ${y(p.v).toFixed(1)}`
    path += value === null ? `M${at}` : `H${x(p.t).toFixed(1)}V${y(p.v).toFixed(1)}`
    value = p.v
  }
  return value === null ? '' : `${path}H${x(end).toFixed(1)}`
}

/** The series including the current plan: if the run found none as good, that is the plan before it. */
export function withEarlier(series: readonly PlanPoint[], primal: number | null): readonly PlanPoint[] {
  const found = series.findLast(p => p.primal !== null)?.primal ?? null
  const near = (a: number, b: number) => Math.abs(a - b) <= 1e-9 * Math.abs(b)
  if (primal === null || (found !== null && near(found, primal))) return series
  return [
    { elapsed_ms: 0, event: 'the plan before', primal, dual: null, columns: 0, nodes: 0 },
    ...series.map(p => ({ ...p, primal })),
  ]
}

/** The range of values worth showing: from the final bound to the first plan, with a margin; early weak bounds are outside. */
export function interesting(series: readonly PlanPoint[]): [number, number] | null {
  let first: number | null = null
  let primal: number | null = null
  let dual: number | null = null
  for (const p of series) {
    if (p.primal !== null) {
      first ??= p.primal
      primal = p.primal
    }
    if (p.dual !== null) dual = p.dual
  }
  const known = [first, primal, dual].filter(v => v !== null)
  if (known.length === 0) return null
  const lo = Math.min(...known)
  const hi = Math.max(...known)
  const air = Math.max((hi - lo) * 0.25, Math.abs(hi) * 0.01, 1e-12)
  return [lo - air, hi + air]
}
