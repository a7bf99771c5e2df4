// The timeline of a plan: rows of GPUs and links on a canvas, with an inspector, a legend
// and a table of the same.

import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { TimelineProps } from '../views/props'
import { act, type Picked } from './act'
import type { Row } from './changes'
import { describe, describeJob, summary } from './describe'
import { listen, type Moves } from './gestures'
import type { Hit } from './hit'
import { hintOf, Inspector } from './Inspector'
import { actionOf } from './keys'
import { Legend } from './Legend'
import type { Model } from './model'
import { elementOf } from './move'
import { RowMenu } from './RowMenu'
import { type Element, selectionOf } from './scene'
import { Table } from './Table'
import { Toolbar } from './Toolbar'
import { Tooltip } from './Tooltip'
import './timeline.css'
import { usePrinting, useTheme, useWidth } from './useCanvas'
import { useDrawing } from './useDrawing'
import { useView, type View } from './useView'

/** How near, in pixels, a task that is dragged comes to another before it stops there. */
const SNAP = 6

/** What is picked out, by whomever. */
function usePicked(view: View, { selection, onSelect }: TimelineProps): Picked {
  const { model, selection: valid } = view.scene
  const row = useRef<number | undefined>(undefined)
  const show = (element: Element | null, onRow?: number) => {
    row.current = onRow
    if (element) onSelect(selectionOf(model, element))
  }
  // It is brought into sight; but not when the page opens.
  const shown = useRef(selection)
  useLayoutEffect(() => {
    if (valid === shown.current) return
    shown.current = valid
    const element = valid && valid.iteration > 0 ? elementOf(model, valid) : null
    if (element) view.reveal(element, row.current)
  }, [selection])
  return {
    element: valid && elementOf(model, valid),
    row: () => row.current,
    show,
    step: by => {
      if (valid) show(elementOf(model, { ...valid, iteration: Math.max(valid.iteration + by, 1) }))
    },
  }
}

export function Timeline(props: TimelineProps) {
  const { instance, schedule, selection, onSelect, onRange } = props
  const box = useRef<HTMLDivElement>(null)
  const base = useRef<HTMLCanvasElement>(null)
  const overlay = useRef<HTMLCanvasElement>(null)
  const width = useWidth(box)
  const theme = useTheme()
  const help = useId()
  const printing = usePrinting()
  const view = useView(props, width, theme, printing)
  const { scene } = view
  const { model, layout: geometry, range } = scene
  const picked = usePicked(view, props)
  const [showTable, setShowTable] = useState(false)
  const [pointed, setPointed] = useState<{ x: number; y: number; hit: Hit; model: Model } | null>(null)
  // What was under the pointer in another schedule is not here.
  const pointer = pointed?.model === model ? pointed : null
  const [menu, setMenu] = useState<(Row & { model: Model; opened: number }) | null>(null)
  const openMenu = ({ pane, row }: Row) => setMenu({ pane, row, model, opened: performance.now() })
  const onMenu = props.onChange ? openMenu : null

  const moves: Moves = {
    scene: () => view.latest.current,
    setRange: view.setRange,
    setScroll: view.setScroll,
    setRowHeight: view.setRowHeight,
    hover: at => setPointed(at && { ...at, model }),
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
    movable: props.onMove !== undefined,
    carry: (task, px, whole, done) => {
      setPointed(null)
      const perPx = (range.to - range.from) / geometry.plotWidth
      props.onMove?.(task, { by: px * perPx, reach: SNAP * perPx, whole, done })
    },
  }
  const current = useRef(moves)
  current.current = moves
  useEffect(() => {
    if (overlay.current) return listen(overlay.current, () => current.current)
  }, [])

  const hover = pointer?.hit.area === 'bar' ? pointer.hit.element : null
  const still = props.compact ?? false
  useDrawing({ base, overlay }, view.latest, pointer && { x: pointer.x, hover }, {
    width,
    still,
    now: printing,
  })

  const keyDown = (e: KeyboardEvent) => {
    const movable = !!props.onMove && picked.element?.kind === 'task'
    const action = actionOf(e, scene.selection !== null, movable)
    if (!action) return
    e.preventDefault()
    e.stopPropagation()
    act(action, view, picked, { ...props, onMenu })
  }

  /** Below the name of a row. */
  const placeInWindow = ({ pane, row }: Row) => {
    const { left, top } = box.current!.getBoundingClientRect()
    const { top: paneTop, y, rowHeight } = geometry[pane]
    return { x: left + geometry.left, y: top + paneTop + y[row]! - scene.scroll[pane] + rowHeight }
  }
  const scrolls =
    geometry.gpus.content > geometry.gpus.height || geometry.links.content > geometry.links.height
  const element = scene.selection && scene.selection.iteration > 0 ? picked.element : null
  const description = useMemo(
    () =>
      element
        ? describe(model, element, props.chain)
        : scene.selection
          ? describeJob(model, scene.selection.job)
          : null,
    [model, props.chain, element?.kind, element?.index, scene.selection?.job],
  )
  const hint = hintOf(props.onChange !== undefined)
  const inspector = (
    <Inspector
      compact={props.compact ?? false}
      hint={hint}
      description={description}
      onCause={description?.cause ? () => picked.show(description.cause) : null}
      onStep={scene.selection && scene.selection.iteration > 0 ? picked.step : null}
      onFocus={scene.selection ? () => scene.selection && view.focus(scene.selection) : null}
      onClear={() => onSelect(null)}
    />
  )
  return (
    <section class="timeline" aria-label={props.label}>
      <div class="timeline-head">
        {props.heading && <h2>{props.heading}</h2>}
        <Toolbar
          label={props.label}
          compact={props.compact ?? false}
          whole={props.range === null}
          chain={props.chain.length > 0 ? view.showChain : null}
          table={showTable}
          onZoom={view.zoomBy}
          onWhole={() => onRange(null)}
          onRows={view.taller}
          onChain={() => view.setShowChain(!view.showChain)}
          onTable={() => setShowTable(!showTable)}
          tools={props.tools}
        />
        {props.compact && inspector}
      </div>
      <p class="hidden-visually" id={help}>
        {hint}
      </p>
      <div
        class={scrolls ? 'timeline-box scrolls' : 'timeline-box'}
        ref={box}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: an application takes the keyboard
        tabIndex={0}
        role="application"
        aria-roledescription="timeline"
        aria-label={summary(model, props.label)}
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
            onChoose={choice => props.onChange?.(choice.changes, choice.words)}
            // The browser tells late: another may be open by then.
            onClose={() => setMenu(now => (now === menu ? null : now))}
          />
        )}
        {pointer && (
          <Tooltip
            model={model}
            chain={props.chain}
            pointer={pointer}
            change={props.onChange !== undefined}
            width={geometry.width}
            height={geometry.height}
          />
        )}
      </div>
      {!props.compact && (
        <>
          <Legend
            instance={instance}
            schedule={schedule}
            theme={theme}
            selection={selection}
            onSelect={onSelect}
          />
          {inspector}
        </>
      )}
      {showTable && (
        <Table
          model={model}
          label={props.label}
          selection={scene.selection}
          onSelect={s => picked.show(elementOf(model, s))}
        />
      )}
    </section>
  )
}
