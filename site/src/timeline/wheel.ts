// The wheel on the timeline: it zooms with Ctrl, makes rows higher with Alt, moves sideways with Shift,
// and otherwise scrolls the rows under the pointer.

import type { Point } from './drag'
import type { Moves } from './gestures'
import { clampScroll, LEAST_ROW, MOST_ROW, paneAt } from './layout'
import { timeAt } from './scene'
import { pan, zoom } from './viewport'

const WHEEL_ZOOM = 0.0022

export type Wheel = Pick<
  WheelEvent,
  'deltaX' | 'deltaY' | 'deltaMode' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'
>

/** Handles a turn of the wheel at a point; returns whether the timeline uses it, rather than the page. */
export function turn(moves: Moves, e: Wheel, at: Point): boolean {
  const s = moves.scene()
  const { plotWidth } = s.layout
  // Some devices count in lines or pages.
  const unit = e.deltaMode === 1 ? 16 : e.deltaMode === 2 ? 400 : 1
  const dx = e.deltaX * unit
  const dy = e.deltaY * unit
  if (e.ctrlKey || e.metaKey) {
    // The pinch of a touchpad comes as small steps with Ctrl.
    const by = Math.min(Math.max(dy, -240), 240) * (e.ctrlKey && Math.abs(dy) < 40 ? 5 : 1)
    moves.setRange(zoom(s.range, timeAt(s, at.x), Math.exp(by * WHEEL_ZOOM), s.horizon, plotWidth))
    return true
  }
  if (e.altKey) {
    const height = s.layout.gpus.rowHeight * Math.exp(-dy * WHEEL_ZOOM)
    moves.setRowHeight(Math.min(Math.max(height, LEAST_ROW), MOST_ROW))
    return true
  }
  const sideways = e.shiftKey ? dx || dy : Math.abs(dx) > Math.abs(dy) ? dx : 0
  if (sideways !== 0) {
    const perPx = (s.range.to - s.range.from) / plotWidth
    moves.setRange(pan(s.range, sideways * perPx, s.horizon, plotWidth))
    return true
  }
  const pane = paneAt(s.layout, at.y)
  if (!pane) return false
  const next = clampScroll(s.layout[pane], s.scroll[pane] + dy)
  // At its end, the page scrolls instead.
  if (next === s.scroll[pane]) return false
  moves.setScroll({ ...s.scroll, [pane]: next })
  return true
}
