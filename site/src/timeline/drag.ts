// A drag on the timeline: of the overview's window or one of its sides, of a task, or of what is seen.

import type { TimeRange } from '../views/props'
import type { Moves } from './gestures'
import { hit } from './hit'
import { clampScroll, paneAt } from './layout'
import { type Grip, grip } from './overview'
import type { Scene } from './scene'
import { clamp, pan } from './viewport'

export interface Point {
  x: number
  y: number
}

export interface Drag extends Point {
  /** Of the pointer. */
  id: number
  moved: boolean
  /** The state when the drag began. */
  range: TimeRange
  scroll: Scene['scroll']
  grip: Grip | null
  /** The dragged task, or -1. */
  task: number
}

/** A drag that begins at a point. */
export function startDrag(moves: Moves, id: number, at: Point): Drag {
  const s = moves.scene()
  const under = hit(s, at.x, at.y)
  const drag: Drag = {
    id,
    ...at,
    moved: false,
    range: s.range,
    scroll: s.scroll,
    grip: under.area === 'overview' ? grip(s, at.x) : null,
    task: moves.movable && under.area === 'bar' && under.element.kind === 'task' ? under.element.index : -1,
  }
  if (drag.grip === 'outside') {
    // A click beside the window moves it there.
    const length = s.range.to - s.range.from
    const middle = (s.horizon * (at.x - s.layout.plotLeft)) / s.layout.plotWidth
    drag.range = clamp({ from: middle - length / 2, to: middle + length / 2 }, s.horizon, s.layout.plotWidth)
    drag.grip = 'window'
    moves.setRange(drag.range)
  }
  return drag
}

/** Moves the overview's window, or what is seen, as far as the pointer has gone. */
export function dragTo(moves: Moves, d: Drag, at: Point): void {
  const s = moves.scene()
  const { plotWidth } = s.layout
  if (d.grip) {
    const by = ((at.x - d.x) * s.horizon) / plotWidth
    const { from, to } = d.range
    if (d.grip === 'window') moves.setRange(pan(d.range, by, s.horizon, plotWidth))
    else if (d.grip === 'left')
      moves.setRange(clamp({ from: Math.min(from + by, to), to }, s.horizon, plotWidth))
    else moves.setRange(clamp({ from, to: Math.max(to + by, from) }, s.horizon, plotWidth))
    return
  }
  const perPx = (d.range.to - d.range.from) / plotWidth
  moves.setRange(pan(d.range, (d.x - at.x) * perPx, s.horizon, plotWidth))
  const pane = paneAt(s.layout, d.y)
  if (pane) moves.setScroll({ ...d.scroll, [pane]: clampScroll(s.layout[pane], d.scroll[pane] + d.y - at.y) })
}
