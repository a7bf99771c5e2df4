// Pointer, wheel and pinch gestures on the timeline, as changes of the view.

import type { TimeRange } from '../views/props'
import { type Drag, dragTo, type Point, startDrag } from './drag'
import type { Hit } from './hit'
import { hit } from './hit'
import { grip } from './overview'
import { type Scene, timeAt } from './scene'
import { pan, zoom } from './viewport'
import { turn } from './wheel'

/** The effects of gestures. */
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
  /** A task was dragged by px pixels; whole: with its whole iteration. */
  carry(task: number, px: number, whole: boolean, done: boolean): void
}

/** A pointer that moves less than this, in pixels, is a click. */
const SLACK = 4

/** Listens on an element and calls the current moves; returns a function that ends it. */
export function listen(element: HTMLElement, moves: () => Moves): () => void {
  const pointers = new Map<number, Point>()
  let drag: Drag | null = null
  const place = (e: MouseEvent): Point => {
    const box = element.getBoundingClientRect()
    return { x: e.clientX - box.left, y: e.clientY - box.top }
  }
  const under = (at: Point) => hit(moves().scene(), at.x, at.y)
  const pointerdown = (e: PointerEvent) => {
    if (e.button !== 0) return
    const at = place(e)
    pointers.set(e.pointerId, at)
    element.setPointerCapture(e.pointerId)
    if (pointers.size === 1) drag = startDrag(moves(), e.pointerId, at)
    else {
      if (drag?.moved && drag.task >= 0) moves().carry(drag.task, 0, false, true)
      drag = null
    }
    moves().hover(null)
  }
  const pointermove = (e: PointerEvent) => {
    const at = place(e)
    const before = pointers.get(e.pointerId)
    if (!before) {
      const found = under(at)
      element.dataset.over =
        found.area === 'overview' ? `overview-${grip(moves().scene(), at.x)}` : found.area
      moves().hover({ ...at, hit: found })
      return
    }
    pointers.set(e.pointerId, at)
    if (pointers.size === 2) {
      const other = [...pointers].find(([id]) => id !== e.pointerId)![1]
      return pinch(moves(), before, at, other)
    }
    if (drag?.id !== e.pointerId) return
    if (!drag.moved && Math.hypot(at.x - drag.x, at.y - drag.y) < SLACK) return
    drag.moved = true
    if (drag.task >= 0) return moves().carry(drag.task, at.x - drag.x, e.shiftKey, false)
    element.dataset.over = 'drag'
    dragTo(moves(), drag, at)
  }
  const pointerup = (e: PointerEvent) => {
    const at = place(e)
    pointers.delete(e.pointerId)
    if (drag?.id !== e.pointerId) return
    if (drag.moved && drag.task >= 0) moves().carry(drag.task, at.x - drag.x, e.shiftKey, true)
    if (!drag.moved && !drag.grip && e.type === 'pointerup') moves().click(under(at))
    drag = null
    element.dataset.over = ''
  }
  const pointerleave = () => moves().hover(null)
  const wheel = (e: WheelEvent) => {
    if (turn(moves(), e, place(e))) e.preventDefault()
  }
  const dblclick = (e: MouseEvent) => moves().doubleClick(under(place(e)))
  const ended = new AbortController()
  const { signal } = ended
  element.addEventListener('pointerdown', pointerdown, { signal })
  element.addEventListener('pointermove', pointermove, { signal })
  element.addEventListener('pointerup', pointerup, { signal })
  element.addEventListener('pointercancel', pointerup, { signal })
  element.addEventListener('pointerleave', pointerleave, { signal })
  element.addEventListener('wheel', wheel, { signal, passive: false })
  element.addEventListener('dblclick', dblclick, { signal })
  return () => ended.abort()
}

/** Two pointers, of which one has moved: what is between them keeps its place under them. */
function pinch(moves: Moves, before: Point, now: Point, other: Point): void {
  const s = moves.scene()
  const { plotWidth } = s.layout
  const was = Math.max(Math.abs(before.x - other.x), 12)
  const is = Math.max(Math.abs(now.x - other.x), 12)
  const middle = timeAt(s, (before.x + other.x) / 2)
  const zoomed = zoom(s.range, middle, was / is, s.horizon, plotWidth)
  const shift = ((before.x - now.x) / 2) * ((zoomed.to - zoomed.from) / plotWidth)
  moves.setRange(pan(zoomed, shift, s.horizon, plotWidth))
}
