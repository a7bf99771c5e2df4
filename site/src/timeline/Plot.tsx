// The rows of a timeline on two canvases, and what the pointer and the keyboard do there, with the menu of
// a row and the description of the element under the pointer.

import type { RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { TimelineProps } from '../views/props'
import { act, type Picked } from './act'
import type { Row } from './changes'
import { summary } from './describe'
import { listen, type Moves } from './gestures'
import type { Hit } from './hit'
import { actionOf } from './keys'
import type { Model } from './model'
import { RowMenu } from './RowMenu'
import { selectionOf } from './scene'
import { Tooltip } from './Tooltip'
import { useDrawing } from './useDrawing'
import type { View } from './useView'

/** How close, in pixels, a dragged task has to come to another to snap to it. */
const SNAP = 6

interface PlotProps {
  timeline: TimelineProps
  box: RefObject<HTMLDivElement | null>
  /** Of the box; 0 before it is known. */
  width: number
  /** Id of the element that describes its use. */
  help: string
  printing: boolean
  view: View
  picked: Picked
}

export function Plot({ timeline, box, width, help, printing, view, picked }: PlotProps) {
  const { scene } = view
  const { model, layout: geometry } = scene
  const base = useRef<HTMLCanvasElement>(null)
  const overlay = useRef<HTMLCanvasElement>(null)
  const [pointed, setPointed] = useState<{ x: number; y: number; hit: Hit; model: Model } | null>(null)
  // A hit in another schedule is not valid in this one.
  const pointer = pointed?.model === model ? pointed : null
  const [menu, setMenu] = useState<(Row & { model: Model; opened: number }) | null>(null)
  const openMenu = ({ pane, row }: Row) => setMenu({ pane, row, model, opened: performance.now() })
  const onMenu = timeline.onChange ? openMenu : null
  const hover = (at: { x: number; y: number; hit: Hit } | null) => setPointed(at && { ...at, model })
  const moves = movesOf(timeline, view, picked, { hover, onMenu })
  const latest = useRef(moves)
  latest.current = moves
  useEffect(() => {
    if (overlay.current) return listen(overlay.current, () => latest.current)
  }, [])
  const over = pointer?.hit.area === 'bar' ? pointer.hit.element : null
  useDrawing({ base, overlay }, view.latest, pointer && { x: pointer.x, hover: over }, {
    width,
    still: timeline.compact ?? false,
    now: printing,
  })

  const keyDown = (e: KeyboardEvent) => {
    const movable = !!timeline.onMove && picked.element?.kind === 'task'
    const action = actionOf(e, scene.selection !== null, movable)
    if (!action) return
    e.preventDefault()
    e.stopPropagation()
    act(action, view, picked, { ...timeline, onMenu })
  }
  /** Below the name of a row. */
  const placeInWindow = ({ pane, row }: Row) => {
    const { left, top } = box.current!.getBoundingClientRect()
    const { top: paneTop, y, rowHeight } = geometry[pane]
    return { x: left + geometry.left, y: top + paneTop + y[row]! - scene.scroll[pane] + rowHeight }
  }
  const scrolls =
    geometry.gpus.content > geometry.gpus.height || geometry.links.content > geometry.links.height
  return (
    <div
      class={scrolls ? 'timeline-box scrolls' : 'timeline-box'}
      ref={box}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: an application takes the keyboard
      tabIndex={0}
      role="application"
      aria-roledescription="timeline"
      aria-label={summary(model, timeline.label)}
      aria-describedby={help}
      onKeyDown={keyDown}
    >
      <canvas class="timeline-base" ref={base} />
      <canvas class="timeline-overlay" ref={overlay} />
      {menu?.model === model && (
        <RowMenu
          key={menu.opened}
          model={model}
          row={menu}
          at={placeInWindow(menu)}
          onChoose={choice => timeline.onChange?.(choice.changes, choice.words)}
          // The browser reports this late: another menu may be open by then.
          onClose={() => setMenu(now => (now === menu ? null : now))}
        />
      )}
      {pointer && (
        <Tooltip
          model={model}
          chain={timeline.chain}
          pointer={pointer}
          change={timeline.onChange !== undefined}
          width={geometry.width}
          height={geometry.height}
        />
      )}
    </div>
  )
}

/** What gestures do to what is seen, to the selection and, by hand, to tasks. */
function movesOf(
  { onSelect, onRange, onMove }: TimelineProps,
  view: View,
  picked: Picked,
  { hover, onMenu }: Pick<Moves, 'hover'> & { onMenu: ((row: Row) => void) | null },
): Moves {
  const { model, layout: geometry, range } = view.scene
  return {
    scene: () => view.latest.current,
    setRange: view.setRange,
    setScroll: view.setScroll,
    setRowHeight: view.setRowHeight,
    hover,
    click: h => {
      if (h.area === 'label') onMenu?.(h)
      else if (h.area === 'bar') picked.show(h.element, h.row)
      else {
        picked.show(null)
        if (h.area === 'gap' || h.area === 'none') onSelect(null)
      }
    },
    doubleClick: h => {
      if (h.area === 'bar') view.focus(selectionOf(model, h.element))
      else if (h.area !== 'overview' && h.area !== 'label') onRange(null)
    },
    movable: onMove !== undefined,
    carry: (task, px, whole, done) => {
      hover(null)
      const perPx = (range.to - range.from) / geometry.plotWidth
      onMove?.(task, { by: px * perPx, reach: SNAP * perPx, whole, done })
    },
  }
}
