// The view of a plan: rows, time range and scroll positions, and the functions that change them.

import { useMemo, useRef, useState } from 'preact/hooks'
import type { Selection, TimelineProps, TimeRange } from '../views/props'
import { valid } from './describe'
import { clampScroll, comfortable, LEAST_ROW, layout, MOST_ROW, scrollTo } from './layout'
import { buildModel, syncsOf, tasksOf } from './model'
import { placeOf } from './move'
import type { Theme } from './palette'
import { type Element, horizonOf, type Scene } from './scene'
import { clamp, isWhole, reveal, zoom } from './viewport'

/** Space for the GPU rows before they scroll: a share of the window's height. */
const GPU_ROOM = 0.5
const LINK_ROOM = 0.2

export interface View {
  scene: Scene
  /** The scene of the last rendering, for later callbacks. */
  latest: { readonly current: Scene }
  setRange(range: TimeRange): void
  setScroll(scroll: Scene['scroll']): void
  setRowHeight(height: number): void
  /** Scales the visible time range by a factor, around a moment; default: the middle. */
  zoomBy(factor: number, around?: number): void
  /** Scales the height of rows by a factor. */
  taller(factor: number): void
  /** Scrolls an element into sight, on one of its rows. */
  reveal(element: Element, row?: number): void
  /** Zooms to an iteration, or to a job. */
  focus(selection: Selection): void
  showChain: boolean
  setShowChain(show: boolean): void
}

/** all: show all rows at once. */
export function useView(props: TimelineProps, width: number, theme: Theme, all: boolean): View {
  const { instance, schedule, selection, onRange, compact } = props
  const model = useMemo(() => buildModel(instance, schedule, props.nodes), [instance, schedule, props.nodes])
  const [scroll, setScroll] = useState({ gpus: 0, links: 0 })
  const [rowHeight, setRowHeight] = useState(0)
  const [showChain, setShowChain] = useState(!props.large)
  const bound = instance.objective === 'makespan' ? props.bound : null
  const horizon = useMemo(() => horizonOf(model, bound, props.horizon ?? 0), [props.horizon, model, bound])
  const geometry = useMemo(
    () =>
      layout(model, {
        width: Math.max(width, 240),
        rowHeight,
        overview: !compact,
        maxGpus: all ? Number.POSITIVE_INFINITY : Math.max(window.innerHeight * GPU_ROOM, 200),
        maxLinks: all ? Number.POSITIVE_INFINITY : Math.max(window.innerHeight * LINK_ROOM, 100),
      }),
    [model, width, rowHeight, compact, all],
  )
  const { plotWidth } = geometry
  const range = props.range ? clamp(props.range, horizon, plotWidth) : { from: 0, to: horizon }
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
  return {
    scene,
    latest,
    setRange,
    setScroll,
    setRowHeight,
    zoomBy: (factor, around = (range.from + range.to) / 2) =>
      setRange(zoom(range, around, factor, horizon, plotWidth)),
    taller: factor => {
      const height = (rowHeight || comfortable(model.gpus.length)) * factor
      setRowHeight(Math.min(Math.max(height, LEAST_ROW), MOST_ROW))
    },
    reveal: (element, onRow) => {
      const place = placeOf(model, element)
      if (!place) return
      const s = latest.current
      const bars = place.pane === 'gpus' ? model.tasks : model.syncs
      const next = reveal(s.range, bars.from[place.bar]!, bars.to[place.bar]!, horizon, plotWidth)
      if (next !== s.range) setRange(next)
      const row = onRow ?? place.row
      setScroll({ ...s.scroll, [place.pane]: scrollTo(geometry[place.pane], s.scroll[place.pane], row) })
    },
    focus: ({ job, iteration }) => {
      let from = horizon
      let to = 0
      for (const [rows, list] of [
        [tasksOf(model, job, iteration), schedule.tasks],
        [syncsOf(model, job, iteration), schedule.syncs],
      ] as const)
        for (const i of rows) {
          from = Math.min(from, list.start[i]!)
          to = Math.max(to, list.end[i]!)
        }
      if (model.period > 0) to = Math.min(to, horizon)
      const air = (to - from) * 0.25
      if (to > from) setRange(clamp({ from: from - air, to: to + air }, horizon, plotWidth))
    },
    showChain,
    setShowChain,
  }
}
