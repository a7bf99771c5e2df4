// What is at a position of the picture.

import { type Bars, visible } from './bars'
import { rowAt } from './layout'
import { type Element, type Scene, timeAt } from './scene'

export type Hit =
  | { area: 'bar'; element: Element; row: number }
  | { area: 'gap'; pane: 'gpus' | 'links'; row: number; from: number; to: number }
  /** The name of a row, or of its node. */
  | { area: 'label'; pane: 'gpus' | 'links'; row: number }
  | { area: 'axis' | 'overview' | 'none' }

/** How far from a bar, in pixels, still counts as a hit: thin bars are hard to touch. */
const REACH = 3

export function hit(s: Scene, x: number, y: number): Hit {
  const { layout, model } = s
  if (layout.overviewHeight > 0 && y >= layout.overviewTop) return { area: 'overview' }
  const inPlot = x >= layout.plotLeft && x < layout.plotLeft + layout.plotWidth
  if (y < layout.gpus.top) return { area: inPlot ? 'axis' : 'none' }
  const pane = y < layout.gpus.top + layout.gpus.height ? 'gpus' : y >= layout.links.top ? 'links' : null
  if (!pane) return { area: 'none' }
  const p = layout[pane]
  if (y >= p.top + p.height) return { area: 'none' }
  const content = y - p.top + s.scroll[pane]
  const row = rowAt(p, content)
  if (row < 0) return { area: 'none' }
  if (x < layout.plotLeft) return { area: 'label', pane, row }
  if (!inPlot) return { area: 'none' }
  const bars = pane === 'gpus' ? model.tasks : model.syncs
  const height = 1 - (content - p.y[row]!) / p.rowHeight
  const t = timeAt(s, x)
  const reach = (REACH * (s.range.to - s.range.from)) / layout.plotWidth
  const bar = barAt(bars, row, t, pane === 'links' ? height : null, reach)
  if (bar >= 0)
    return { area: 'bar', element: { kind: pane === 'gpus' ? 'task' : 'sync', index: bars.item[bar]! }, row }
  return { area: 'gap', pane, row, ...gapAt(bars, row, t, s.horizon) }
}

/** The bar of a row at a time, and at a height (0..1 from below) if bars are stacked; else the nearest within reach, or -1. */
function barAt(bars: Bars, row: number, t: number, height: number | null, reach: number): number {
  const [lo, hi] = visible(bars, row, t - reach, t + reach)
  let best = -1
  let distance = Number.POSITIVE_INFINITY
  for (let i = lo; i < hi; i++) {
    const dt = Math.max(bars.from[i]! - t, t - bars.to[i]!, 0)
    if (dt > reach) continue
    // Within a tenth of the row's height counts as a hit: low bands are thin.
    const dh = height === null ? 0 : Math.max(bars.low[i]! - height, height - bars.high[i]!, 0)
    if (height !== null && dh > 0.1 && dt > 0) continue
    const d = dt / Math.max(reach, 1e-12) + (dh > 0.1 ? 10 * dh : 0)
    if (d < distance) {
      best = i
      distance = d
    }
  }
  // Beside the stack of a link's row there is nothing.
  if (best >= 0 && height !== null && height > bars.high[best]! + 0.35) return -1
  return best
}

/** The idle time around t. */
function gapAt(bars: Bars, row: number, t: number, horizon: number): { from: number; to: number } {
  let from = 0
  let to = horizon
  for (let i = bars.first[row]!; i < bars.first[row + 1]!; i++) {
    if (bars.to[i]! <= t) from = Math.max(from, bars.to[i]!)
    if (bars.from[i]! > t) {
      to = bars.from[i]!
      break
    }
  }
  return { from, to }
}
