// The timeline of a plan: rows of GPUs and links on a canvas, with an inspector, a legend
// and a table of the same.

import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Selection, TimelineProps, TimeRange } from '../views/props'
import type { Row } from './changes'
import { describe, describeJob, summary, valid } from './describe'
import { baseParts, drawBase } from './draw'
import { listen, type Moves } from './gestures'
import type { Hit } from './hit'
import { hintOf, Inspector } from './Inspector'
import { actionOf } from './keys'
import { Legend } from './Legend'
import { clampScroll, comfortable, LEAST_ROW, layout, MOST_ROW, rowsSeen, scrollTo } from './layout'
import { buildModel, type Model, syncsOf, tasksOf } from './model'
import { type Boxes, carry, MORPH_MS } from './morph'
import { elementOf, firstSeen, neighbour, placeOf } from './move'
import { drawOverlay } from './overlay'
import { forgetWidths, newPen } from './pen'
import { RowMenu } from './RowMenu'
import { type Element, horizonOf, type Scene, sameBase, selectionOf } from './scene'
import { Table } from './Table'
import { Toolbar } from './Toolbar'
import { Tooltip } from './Tooltip'
import './timeline.css'
import { sizeCanvas, useFonts, useFrame, usePixelRatio, useTheme, useWidth } from './useCanvas'
import { clamp, isWhole, pan, reveal, zoom } from './viewport'

/** Room of the GPU rows before they scroll: a part of the window's height. */
const GPU_ROOM = 0.5
const LINK_ROOM = 0.2
/** How near, in pixels, a task that is dragged comes to another before it stops there. */
const SNAP = 6

/** Whether the visitor wants nothing to move. */
const calm = () => window.matchMedia('(prefers-reduced-motion: reduce)').matches

export function Timeline(props: TimelineProps) {
  const { instance, schedule, selection, onSelect, onRange } = props
  const model = useMemo(() => buildModel(instance, schedule, props.nodes), [instance, schedule, props.nodes])
  const box = useRef<HTMLDivElement>(null)
  const base = useRef<HTMLCanvasElement>(null)
  const overlay = useRef<HTMLCanvasElement>(null)
  const width = useWidth(box)
  const dpr = usePixelRatio()
  const theme = useTheme()
  const help = useId()
  const [scroll, setScroll] = useState({ gpus: 0, links: 0 })
  const [rowHeight, setRowHeight] = useState(0)
  const [showChain, setShowChain] = useState(!props.large)
  const [showTable, setShowTable] = useState(false)
  const [pointed, setPointed] = useState<{ x: number; y: number; hit: Hit; model: Model } | null>(null)
  // What was under the pointer in another schedule is not here.
  const pointer = pointed?.model === model ? pointed : null
  const [menu, setMenu] = useState<(Row & { model: Model; opened: number }) | null>(null)
  const openMenu = ({ pane, row }: Row) => setMenu({ pane, row, model, opened: performance.now() })
  /** The row that the selection was reached on: a sync is on several. */
  const row = useRef<number | undefined>(undefined)

  const makespan = instance.objective === 'makespan'
  const bound = makespan && props.bound !== null ? props.bound : null
  const horizon = useMemo(() => horizonOf(model, bound, props.horizon ?? 0), [props.horizon, model, bound])
  const geometry = useMemo(
    () =>
      layout(model, {
        width: Math.max(width, 240),
        rowHeight,
        overview: !props.compact,
        maxGpus: Math.max(window.innerHeight * GPU_ROOM, 200),
        maxLinks: Math.max(window.innerHeight * LINK_ROOM, 100),
      }),
    [model, width, rowHeight, props.compact],
  )
  const range = props.range ? clamp(props.range, horizon, geometry.plotWidth) : { from: 0, to: horizon }
  const scene: Scene = {
    model,
    layout: geometry,
    range,
    horizon,
    theme,
    bound,
    certified: props.certified,
    usage: props.usage,
    scroll: {
      gpus: clampScroll(geometry.gpus, scroll.gpus),
      links: clampScroll(geometry.links, scroll.links),
    },
    chain: showChain ? props.chain : [],
    pattern: props.pattern ?? false,
    selection: selection && valid(model, selection) ? selection : null,
  }
  const latest = useRef(scene)
  latest.current = scene

  const setRange = (r: TimeRange) => onRange(isWhole(r, horizon) ? null : r)
  const show = (element: Element | null, onRow?: number) => {
    row.current = onRow
    if (element) onSelect(selectionOf(model, element))
  }
  const revealElement = (element: Element, onRow?: number) => {
    const place = placeOf(model, element)
    if (!place) return
    const s = latest.current
    const bars = place.pane === 'gpus' ? model.tasks : model.syncs
    const next = reveal(s.range, bars.from[place.bar]!, bars.to[place.bar]!, horizon, geometry.plotWidth)
    if (next !== s.range) setRange(next)
    setScroll({
      ...s.scroll,
      [place.pane]: scrollTo(geometry[place.pane], s.scroll[place.pane], onRow ?? place.row),
    })
  }
  // Wherever the selection came from, it is brought into sight; but not when the page opens.
  const shown = useRef(selection)
  useLayoutEffect(() => {
    const next = latest.current.selection
    if (next === shown.current) return
    shown.current = next
    const element = next && next.iteration > 0 ? elementOf(model, next) : null
    if (element) revealElement(element, row.current)
  }, [selection])
  /** Zooms to an iteration, or to a job. */
  const focus = (s: Selection) => {
    let from = horizon
    let to = 0
    for (const [rows, list] of [
      [tasksOf(model, s.job, s.iteration), schedule.tasks],
      [syncsOf(model, s.job, s.iteration), schedule.syncs],
    ] as const)
      for (const i of rows) {
        from = Math.min(from, list.start[i]!)
        to = Math.max(to, list.end[i]!)
      }
    if (model.period > 0) to = Math.min(to, horizon)
    const air = (to - from) * 0.25
    if (to > from) setRange(clamp({ from: from - air, to: to + air }, horizon, geometry.plotWidth))
  }

  const moves: Moves = {
    scene: () => latest.current,
    setRange,
    setScroll,
    setRowHeight,
    hover: at => setPointed(at && { ...at, model }),
    click: h => {
      if (h.area === 'label') return props.onChange && openMenu(h)
      row.current = h.area === 'bar' ? h.row : undefined
      if (h.area === 'bar') onSelect(selectionOf(model, h.element))
      else if (h.area === 'gap' || h.area === 'none') onSelect(null)
    },
    doubleClick: h => {
      if (h.area === 'bar') focus(selectionOf(model, h.element))
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
    if (!overlay.current) return
    // Through the ref: listeners stay, what they do is that of the last rendering.
    return listen(overlay.current, {
      scene: () => current.current.scene(),
      setRange: r => current.current.setRange(r),
      setScroll: s => current.current.setScroll(s),
      setRowHeight: h => current.current.setRowHeight(h),
      hover: at => current.current.hover(at),
      click: h => current.current.click(h),
      doubleClick: h => current.current.doubleClick(h),
      get movable() {
        return current.current.movable
      },
      carry: (...how) => current.current.carry(...how),
    })
  }, [])

  const hovered = pointer?.hit.area === 'bar' ? pointer.hit.element : null
  const drawnBase = useRef<Scene | null>(null)
  /** What the first drawing has still to do; null before it. */
  const unfinished = useRef<(typeof baseParts)[number][] | null>(null)
  // Another instance's plan, as after a change of the scenario: its tasks move to their new places.
  const morph = useRef<{ origin: Scene; from: Boxes; since: number } | null>(null)
  const last = useRef<Scene | null>(null)
  const onItsWay = (s: Scene): Scene => {
    const former = last.current
    last.current = s
    const now = performance.now()
    if (former && former.model !== s.model) {
      // A better plan of the same instance changes where they go, but does not set them off.
      const same = former.model.instance.digest === s.model.instance.digest
      const { origin, since } = same && morph.current ? morph.current : { origin: former, since: now }
      const moves = (!same || morph.current) && !props.compact && !calm()
      const from = moves ? carry(origin, s.model) : null
      morph.current = from && { origin, from, since }
    }
    const at = morph.current ? (now - morph.current.since) / MORPH_MS : 1
    if (at >= 1) morph.current = null
    return morph.current ? { ...s, moving: { from: morph.current.from, at } } : s
  }
  const draw = useFrame(() => {
    const s = onItsWay(latest.current)
    const below = base.current?.getContext('2d', { alpha: false })
    const above = overlay.current?.getContext('2d')
    if (!base.current || !overlay.current || !below || !above || width === 0) return
    const font = getComputedStyle(base.current).fontFamily
    if (drawnBase.current === null || !sameBase(drawnBase.current, s)) {
      sizeCanvas(base.current, s.layout.width, s.layout.height, dpr)
      drawnBase.current = s
      if (unfinished.current) {
        drawBase(newPen(below, dpr, s.theme, font), s)
        unfinished.current = []
      } else unfinished.current = [...baseParts]
    }
    // What draws is compiled on the way: the first time each part has a frame of its own.
    const part = unfinished.current?.shift()
    if (part) {
      part(newPen(below, dpr, s.theme, font), s)
      return draw()
    }
    sizeCanvas(overlay.current, s.layout.width, s.layout.height, dpr)
    // Chain and outlines are of where tasks will be.
    const over = s.moving ? { ...s, chain: [], selection: null } : s
    drawOverlay(newPen(above, dpr, s.theme, font), over, pointer && { x: pointer.x, hover: hovered })
    if (s.moving) draw()
  })
  useLayoutEffect(() => {
    drawnBase.current = null
  }, [dpr])
  useLayoutEffect(draw)
  useFonts(() => {
    forgetWidths()
    drawnBase.current = null
    draw()
  })

  const step = (by: number) => {
    if (!scene.selection) return
    const next = { ...scene.selection, iteration: Math.max(scene.selection.iteration + by, 1) }
    const element = elementOf(model, next)
    if (element) show(element)
  }

  const keyDown = (e: KeyboardEvent) => {
    const selected = scene.selection && elementOf(model, scene.selection)
    const action = actionOf(e, scene.selection !== null, !!props.onMove && selected?.kind === 'task')
    if (!action) return
    e.preventDefault()
    e.stopPropagation()
    switch (action.do) {
      case 'zoom': {
        // Around the selection, where it is in sight.
        const list = selected?.kind === 'sync' ? schedule.syncs : schedule.tasks
        const at = selected && model.period === 0 ? list.start[selected.index]! : Number.NaN
        const middle = at >= range.from && at <= range.to ? at : (range.from + range.to) / 2
        return setRange(zoom(range, middle, action.factor, horizon, geometry.plotWidth))
      }
      case 'pan':
        return setRange(pan(range, action.by * (range.to - range.from), horizon, geometry.plotWidth))
      case 'carry': {
        const step = Math.max(Math.abs(action.by) * (range.to - range.from), 1)
        // Within half a step of its neighbour it stops there.
        const how = { by: Math.sign(action.by) * step, reach: step / 2, whole: action.whole, done: true }
        return selected ? props.onMove?.(selected.index, how) : undefined
      }
      case 'scroll':
        return setScroll({
          ...scene.scroll,
          gpus: clampScroll(geometry.gpus, scene.scroll.gpus + action.rows * geometry.gpus.rowHeight),
        })
      case 'step': {
        const next = selected && neighbour(model, selected, action.step, row.current)
        return next ? show(next.element, next.row) : undefined
      }
      case 'iteration':
        return step(action.by)
      case 'whole':
        return onRange(null)
      case 'clear':
        return onSelect(null)
      case 'chain':
        return setShowChain(!showChain)
      case 'menu': {
        const place = selected && placeOf(model, selected)
        const { pane, row: of } = place ?? {
          pane: 'gpus',
          row: rowsSeen(geometry.gpus, scene.scroll.gpus)[0],
        }
        return props.onChange && openMenu({ pane, row: row.current ?? of })
      }
      case 'focus':
        return scene.selection ? focus(scene.selection) : undefined
      case 'enter':
        return show(selected ?? firstSeen(model, range, rowsSeen(geometry.gpus, scene.scroll.gpus)))
    }
  }

  /** Below the name of a row. */
  const placeInWindow = ({ pane, row }: Row) => {
    const { left, top } = box.current!.getBoundingClientRect()
    const { top: paneTop, y, rowHeight } = geometry[pane]
    return { x: left + geometry.left, y: top + paneTop + y[row]! - scene.scroll[pane] + rowHeight }
  }
  const middle = (range.from + range.to) / 2
  const zoomBy = (factor: number) => setRange(zoom(range, middle, factor, horizon, geometry.plotWidth))
  const taller = (factor: number) =>
    setRowHeight(
      Math.min(Math.max((rowHeight || comfortable(model.gpus.length)) * factor, LEAST_ROW), MOST_ROW),
    )
  const scrolls =
    geometry.gpus.content > geometry.gpus.height || geometry.links.content > geometry.links.height
  const element = scene.selection && scene.selection.iteration > 0 ? elementOf(model, scene.selection) : null
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
      onCause={description?.cause ? () => show(description.cause) : null}
      onStep={scene.selection && scene.selection.iteration > 0 ? step : null}
      onFocus={scene.selection ? () => scene.selection && focus(scene.selection) : null}
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
          chain={props.chain.length > 0 ? showChain : null}
          table={showTable}
          onZoom={zoomBy}
          onWhole={() => onRange(null)}
          onRows={taller}
          onChain={() => setShowChain(!showChain)}
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
          onSelect={s => show(elementOf(model, s))}
        />
      )}
    </section>
  )
}
