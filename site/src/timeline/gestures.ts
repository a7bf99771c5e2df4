// Pointer, wheel and pinch on the timeline, as moves of what is seen.

import type { TimeRange } from '../views/props'
import type { Hit } from './hit'
import { hit } from './hit'
import { clampScroll, LEAST_ROW, MOST_ROW } from './layout'
import { type Grip, grip } from './overview'
import { type Scene, timeAt } from './scene'
import { clamp, pan, zoom } from './viewport'

/** What gestures do. */
export interface Moves {
  scene(): Scene
  setRange(range: TimeRange): void
  setScroll(scroll: Scene['scroll']): void
  setRowHeight(height: number): void
  hover(at: { x: number; y: number; hit: Hit } | null): void
  click(hit: Hit): void
  doubleClick(hit: Hit): void
  /** Whether a drag moves the task under it. */
  movable: boolean
  /** A task was dragged by so many pixels; whole: with all of its iteration. */
  carry(task: number, px: number, whole: boolean, done: boolean): void
}

/** A pointer that moves less than this is a click. */
const SLACK = 4
const WHEEL_ZOOM = 0.0022

interface Drag {
  id: number
  x: number
  y: number
  moved: boolean
  /** What it was like when the drag began. */
  range: TimeRange
  scroll: Scene['scroll']
  grip: Grip | null
  /** The task that goes with it, or -1. */
  task: number
}

/** Listens on an element, for what moves does by then; returns what ends it. */
export function listen(element: HTMLElement, moves: () => Moves): () => void {
  const pointers = new Map<number, { x: number; y: number }>()
  let drag: Drag | null = null
  const place = (e: MouseEvent) => {
    const box = element.getBoundingClientRect()
    return { x: e.clientX - box.left, y: e.clientY - box.top }
  }
  const startDrag = (id: number, at: { x: number; y: number }) => {
    const s = moves().scene()
    const under = hit(s, at.x, at.y)
    const inOverview = under.area === 'overview'
    drag = {
      id,
      ...at,
      moved: false,
      range: s.range,
      scroll: s.scroll,
      grip: inOverview ? grip(s, at.x) : null,
      task:
        moves().movable && under.area === 'bar' && under.element.kind === 'task' ? under.element.index : -1,
    }
    if (drag.grip === 'outside') {
      // A click beside the window brings it there.
      const length = s.range.to - s.range.from
      const middle = (s.horizon * (at.x - s.layout.plotLeft)) / s.layout.plotWidth
      drag.range = clamp(
        { from: middle - length / 2, to: middle + length / 2 },
        s.horizon,
        s.layout.plotWidth,
      )
      drag.grip = 'window'
      moves().setRange(drag.range)
    }
  }
  const down = (e: PointerEvent) => {
    if (e.button !== 0) return
    const at = place(e)
    pointers.set(e.pointerId, at)
    element.setPointerCapture(e.pointerId)
    if (pointers.size === 1) startDrag(e.pointerId, at)
    else {
      if (drag?.moved && drag.task >= 0) moves().carry(drag.task, 0, false, true)
      drag = null
    }
    moves().hover(null)
  }
  const move = (e: PointerEvent) => {
    const at = place(e)
    const s = moves().scene()
    const before = pointers.get(e.pointerId)
    if (!before) {
      const under = hit(s, at.x, at.y)
      element.dataset.over = under.area === 'overview' ? `overview-${grip(s, at.x)}` : under.area
      moves().hover({ ...at, hit: under })
      return
    }
    if (pointers.size === 2) {
      const other = [...pointers].find(([id]) => id !== e.pointerId)![1]
      pinch(s, before, at, other)
      pointers.set(e.pointerId, at)
      return
    }
    pointers.set(e.pointerId, at)
    if (drag?.id !== e.pointerId) return
    if (drag.task < 0) dragTo(s, drag, at)
    else if (drag.moved || Math.hypot(at.x - drag.x, at.y - drag.y) >= SLACK) {
      drag.moved = true
      moves().carry(drag.task, at.x - drag.x, e.shiftKey, false)
    }
  }
  const dragTo = (s: Scene, d: Drag, at: { x: number; y: number }) => {
    if (!d.moved && Math.hypot(at.x - d.x, at.y - d.y) < SLACK) return
    d.moved = true
    element.dataset.over = 'drag'
    const { plotWidth } = s.layout
    if (d.grip) {
      const by = ((at.x - d.x) * s.horizon) / plotWidth
      if (d.grip === 'window') moves().setRange(pan(d.range, by, s.horizon, plotWidth))
      else if (d.grip === 'left')
        moves().setRange(
          clamp({ from: Math.min(d.range.from + by, d.range.to), to: d.range.to }, s.horizon, plotWidth),
        )
      else
        moves().setRange(
          clamp({ from: d.range.from, to: Math.max(d.range.to + by, d.range.from) }, s.horizon, plotWidth),
        )
      return
    }
    const perPx = (d.range.to - d.range.from) / plotWidth
    moves().setRange(pan(d.range, (d.x - at.x) * perPx, s.horizon, plotWidth))
    const pane = paneAt(s, d.y)
    if (pane)
      moves().setScroll({ ...d.scroll, [pane]: clampScroll(s.layout[pane], d.scroll[pane] + d.y - at.y) })
  }
  const pinch = (
    s: Scene,
    before: { x: number; y: number },
    now: { x: number; y: number },
    other: { x: number; y: number },
  ) => {
    const was = Math.max(Math.abs(before.x - other.x), 12)
    const is = Math.max(Math.abs(now.x - other.x), 12)
    const middle = timeAt(s, (before.x + other.x) / 2)
    const zoomed = zoom(s.range, middle, was / is, s.horizon, s.layout.plotWidth)
    const shift = ((before.x - now.x) / 2) * ((zoomed.to - zoomed.from) / s.layout.plotWidth)
    moves().setRange(pan(zoomed, shift, s.horizon, s.layout.plotWidth))
  }
  const up = (e: PointerEvent) => {
    const at = place(e)
    pointers.delete(e.pointerId)
    if (drag?.id === e.pointerId) {
      if (drag.moved && drag.task >= 0) moves().carry(drag.task, at.x - drag.x, e.shiftKey, true)
      if (!drag.moved && !drag.grip && e.type === 'pointerup') moves().click(hit(moves().scene(), at.x, at.y))
      drag = null
      element.dataset.over = ''
    }
  }
  const leave = () => moves().hover(null)
  const wheel = (e: WheelEvent) => {
    const s = moves().scene()
    const at = place(e)
    // Lines and pages, where a device counts so.
    const unit = e.deltaMode === 1 ? 16 : e.deltaMode === 2 ? 400 : 1
    const dx = e.deltaX * unit
    const dy = e.deltaY * unit
    if (e.ctrlKey || e.metaKey) {
      e.preventDefault()
      const factor = Math.exp(
        Math.min(Math.max(dy, -240), 240) * (e.ctrlKey && Math.abs(dy) < 40 ? 5 : 1) * WHEEL_ZOOM,
      )
      moves().setRange(zoom(s.range, timeAt(s, at.x), factor, s.horizon, s.layout.plotWidth))
      return
    }
    if (e.altKey) {
      e.preventDefault()
      moves().setRowHeight(
        Math.min(Math.max(s.layout.gpus.rowHeight * Math.exp(-dy * WHEEL_ZOOM), LEAST_ROW), MOST_ROW),
      )
      return
    }
    const sideways = e.shiftKey ? dx || dy : Math.abs(dx) > Math.abs(dy) ? dx : 0
    if (sideways !== 0) {
      e.preventDefault()
      moves().setRange(
        pan(
          s.range,
          (sideways * (s.range.to - s.range.from)) / s.layout.plotWidth,
          s.horizon,
          s.layout.plotWidth,
        ),
      )
      return
    }
    const pane = paneAt(s, at.y)
    if (!pane) return
    const next = clampScroll(s.layout[pane], s.scroll[pane] + dy)
    // At its end, the page scrolls on.
    if (next === s.scroll[pane]) return
    e.preventDefault()
    moves().setScroll({ ...s.scroll, [pane]: next })
  }
  const double = (e: MouseEvent) => {
    const at = place(e)
    moves().doubleClick(hit(moves().scene(), at.x, at.y))
  }
  element.addEventListener('pointerdown', down)
  element.addEventListener('pointermove', move)
  element.addEventListener('pointerup', up)
  element.addEventListener('pointercancel', up)
  element.addEventListener('pointerleave', leave)
  element.addEventListener('wheel', wheel, { passive: false })
  element.addEventListener('dblclick', double)
  return () => {
    element.removeEventListener('pointerdown', down)
    element.removeEventListener('pointermove', move)
    element.removeEventListener('pointerup', up)
    element.removeEventListener('pointercancel', up)
    element.removeEventListener('pointerleave', leave)
    element.removeEventListener('wheel', wheel)
    element.removeEventListener('dblclick', double)
  }
}

function paneAt(s: Scene, y: number): 'gpus' | 'links' | null {
  for (const pane of ['gpus', 'links'] as const) {
    const p = s.layout[pane]
    if (y >= p.top && y < p.top + p.height) return pane
  }
  return null
}
