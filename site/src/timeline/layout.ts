// The geometry of the picture for a given size, in CSS pixels.

import { short } from '../views/format'
import { upper } from './bars'
import type { Model } from './model'

/** Rows that scroll in their own window. */
export interface Pane {
  /** The window on the canvas. */
  top: number
  height: number
  /** Height of the content. */
  content: number
  /** Upper edge and height of each row, from the top of the content. */
  y: Float64Array
  rowHeight: number
}

export interface Heading {
  text: string
  sub: string
  /** Node headings are as high as the node's rows, rack headings a line. */
  y: number
  height: number
  rack: boolean
}

export interface Layout {
  width: number
  height: number
  /** Left edge of the names of rows. */
  left: number
  /** Left edge and width of the time range. */
  plotLeft: number
  plotWidth: number
  /** Width of the column of shares at the right; 0: none. */
  shares: number
  gpus: Pane
  headings: Heading[]
  links: Pane
  /** Upper edge of the heading above the links pane. */
  linksHead: number
  /** Overview strip; height 0: none. */
  overviewTop: number
  overviewHeight: number
}

export interface LayoutOptions {
  width: number
  /** Space for the rows of GPUs, and of links, before they scroll. */
  maxGpus: number
  maxLinks: number
  /** 0: chosen by the number of rows. */
  rowHeight: number
  overview: boolean
}

export const AXIS_HEIGHT = 40
export const LEAST_ROW = 3
export const MOST_ROW = 44
const RACK_LINE = 18
const LINK_GAP = 3
const SCROLL_END = 8

/** The default height of a row: generous if there are few. */
export function comfortable(rows: number): number {
  if (rows <= 8) return 26
  if (rows <= 16) return 20
  if (rows <= 32) return 15
  return 12
}

export function layout(m: Model, o: LayoutOptions): Layout {
  const narrow = o.width < 560
  // Aligned with the text above and below.
  const left = narrow ? 8 : 12
  const plotLeft = narrow ? 74 : 138
  const shares = narrow ? 0 : 52
  const rowHeight = o.rowHeight || comfortable(m.gpus.length)
  const { y, headings, content } = gpuRows(m, rowHeight)
  const gpus: Pane = { top: AXIS_HEIGHT, height: Math.min(content, o.maxGpus), content, y, rowHeight }

  const linkHeight = m.links.length > 24 ? 14 : m.links.length > 10 ? 17 : 22
  const linkY = Float64Array.from(m.links, (_, i) => i * (linkHeight + LINK_GAP))
  const linkContent = m.links.length * (linkHeight + LINK_GAP)
  const linksHead = gpus.top + gpus.height + SCROLL_END
  const linksTop = linksHead + (m.links.length > 0 ? 20 : 0)
  const links: Pane = {
    top: linksTop,
    height: Math.min(linkContent, o.maxLinks),
    content: linkContent,
    y: linkY,
    rowHeight: linkHeight,
  }

  const overviewTop = links.top + links.height + (o.overview ? 10 : 2)
  const overviewHeight = o.overview ? 34 : 0
  return {
    width: o.width,
    height: Math.ceil(overviewTop + overviewHeight + 2),
    left,
    plotLeft,
    plotWidth: Math.max(o.width - plotLeft - shares - left, 40),
    shares,
    gpus,
    headings,
    links,
    linksHead,
    overviewTop,
    overviewHeight,
  }
}

function gpuRows(m: Model, rowHeight: number): { y: Float64Array; headings: Heading[]; content: number } {
  const { instance } = m
  const y = new Float64Array(m.gpus.length)
  const headings: Heading[] = []
  const gap = rowHeight >= 8 ? 6 : rowHeight >= 5 ? 3 : 1
  let at = 0
  let rack = -1
  for (let row = 0; row < m.gpus.length; ) {
    const node = instance.nodes[m.nodeOf[m.gpus[row]!]!]!
    if (instance.racks.length > 1 && node.rack !== rack) {
      rack = node.rack
      headings.push({
        text: short(instance.racks[rack]?.name ?? 'no rack'),
        sub: '',
        y: at,
        height: RACK_LINE,
        rack: true,
      })
      at += RACK_LINE
    }
    headings.push({
      text: short(node.name),
      sub: `${node.gpus} × ${short(instance.types[node.type]?.name ?? '')}`,
      y: at,
      height: node.gpus * rowHeight,
      rack: false,
    })
    for (let g = 0; g < node.gpus; g++) {
      y[row++] = at
      at += rowHeight
    }
    at += gap
  }
  return { y, headings, content: Math.max(at - gap, 0) }
}

/** The row of a pane at a height of its content, or -1 between rows. */
export function rowAt(pane: Pane, y: number): number {
  const row = upper(pane.y, 0, pane.y.length, y) - 1
  return row >= 0 && y < pane.y[row]! + pane.rowHeight ? row : -1
}

/** The visible rows of a pane: first and one past the last. */
export function rowsSeen(pane: Pane, scroll: number): [number, number] {
  const first = Math.max(upper(pane.y, 0, pane.y.length, scroll - pane.rowHeight), 0)
  return [first, upper(pane.y, 0, pane.y.length, scroll + pane.height)]
}

/** Clamps a scroll position to its range. */
export function clampScroll(pane: Pane, scroll: number): number {
  return Math.min(Math.max(scroll, 0), Math.max(pane.content - pane.height, 0))
}

/** The least scroll that brings a row into sight. */
export function scrollTo(pane: Pane, scroll: number, row: number): number {
  const y = pane.y[row]
  if (y === undefined) return scroll
  if (y < scroll) return clampScroll(pane, y - pane.rowHeight)
  if (y + pane.rowHeight > scroll + pane.height)
    return clampScroll(pane, y + 2 * pane.rowHeight - pane.height)
  return scroll
}

/** The pane at a height of the canvas. */
export function paneAt(l: Layout, y: number): 'gpus' | 'links' | null {
  const within = ({ top, height }: Pane) => y >= top && y < top + height
  return within(l.gpus) ? 'gpus' : within(l.links) ? 'links' : null
}
