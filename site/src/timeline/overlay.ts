// What follows the pointer and the selection: outlines, the cursor, and the critical chain as
// a line through its elements.

import type { Bars } from './bars'
import { drawCursor } from './draw'
import type { Pane } from './layout'
import { syncsOf, tasksOf } from './model'
import { placeOf } from './move'
import type { Pen } from './pen'
import { type Element, type Scene, xOf } from './scene'

export interface Pointer {
  x: number
  hover: Element | null
}

export function drawOverlay(p: Pen, s: Scene, pointer: Pointer | null): void {
  const { ctx } = p
  ctx.setTransform(p.dpr, 0, 0, p.dpr, 0, 0)
  ctx.clearRect(0, 0, s.layout.width, s.layout.height)
  if (s.chain.length > 0) drawChain(p, s)
  if (s.selection) {
    const { job, iteration, gpu } = s.selection
    for (const i of iteration > 0 ? tasksOf(s.model, job, iteration) : [])
      outline(p, s, { kind: 'task', index: i }, s.model.schedule.tasks.gpu[i] === gpu)
    for (const i of iteration > 0 ? syncsOf(s.model, job, iteration) : [])
      outline(p, s, { kind: 'sync', index: i }, gpu === null)
  }
  if (pointer?.hover) outline(p, s, pointer.hover, true)
  if (pointer) drawCursor(p, s, pointer.x)
}

/** A bar's box on the canvas. */
interface Box {
  x: number
  y: number
  w: number
  h: number
}

function boxOf(s: Scene, bars: Bars, pane: Pane, scroll: number, row: number, bar: number): Box {
  const height = pane.rowHeight - (pane.rowHeight >= 6 ? 1 : 0)
  const x = xOf(s, bars.from[bar]!)
  return {
    x,
    y: pane.top + pane.y[row]! - scroll + (1 - bars.high[bar]!) * height,
    w: Math.max(xOf(s, bars.to[bar]!) - x, 1),
    h: (bars.high[bar]! - bars.low[bar]!) * height,
  }
}

/** Outlines an element wherever it is: a sync is on many rows. */
function outline(p: Pen, s: Scene, e: Element, strong: boolean): void {
  const task = e.kind === 'task'
  const pane = task ? s.layout.gpus : s.layout.links
  const bars = task ? s.model.tasks : s.model.syncs
  const scroll = task ? s.scroll.gpus : s.scroll.links
  const rows = task
    ? [s.model.rowOf[s.model.schedule.tasks.gpu[e.index]!]!]
    : s.model.links.map((_, row) => row)
  const { ctx } = p
  ctx.save()
  ctx.beginPath()
  ctx.rect(s.layout.plotLeft - 2, pane.top - 1, s.layout.plotWidth + 4, pane.height + 2)
  ctx.clip()
  ctx.strokeStyle = p.theme.text
  ctx.lineWidth = strong ? 2 : 1
  for (const row of rows)
    for (let bar = bars.first[row]!; bar < bars.first[row + 1]!; bar++) {
      if (bars.item[bar] !== e.index) continue
      const b = boxOf(s, bars, pane, scroll, row, bar)
      ctx.strokeRect(b.x - 0.5, b.y - 0.5, b.w + 1, b.h + 1)
    }
  ctx.restore()
}

/** Least distance in pixels between dots of the chain, and between its lines across many rows: closer ones would hide the picture. */
const DOTS = 6
const JOINTS = 16
const FAR = 64

/** Draws the chain, from its beginning: along the bottom of each element, then to the element that it delayed. */
function drawChain(p: Pen, s: Scene): void {
  const { ctx } = p
  const { plotLeft, plotWidth, gpus, links } = s.layout
  const path = new Path2D()
  const joints = new Path2D()
  const dots = new Path2D()
  let from: { x: number; y: number } | null = null
  let lastDot = Number.NEGATIVE_INFINITY
  let lastJoint = Number.NEGATIVE_INFINITY
  for (let i = s.chain.length - 1; i >= 0; i--) {
    const place = placeOf(s.model, s.chain[i]!)
    if (!place) continue
    const pane = s.layout[place.pane]
    const bars = place.pane === 'gpus' ? s.model.tasks : s.model.syncs
    const b = boxOf(s, bars, pane, s.scroll[place.pane], place.row, place.bar)
    const foot = b.y + Math.max(b.h - 4, b.h / 2)
    const y = Math.min(Math.max(foot, pane.top), pane.top + pane.height)
    if (from) {
      joints.moveTo(from.x, from.y)
      joints.lineTo(b.x, from.y)
      const far = Math.abs(y - from.y) > FAR
      if (!far || b.x - lastJoint >= JOINTS) joints.lineTo(b.x, y)
      if (far && b.x - lastJoint >= JOINTS) lastJoint = b.x
    }
    from = { x: b.x + b.w, y }
    // Elements scrolled out of sight have no line.
    if (y !== foot) continue
    path.moveTo(b.x, y)
    path.lineTo(b.x + b.w, y)
    if (b.x - lastDot < DOTS) continue
    lastDot = b.x
    dots.moveTo(b.x + 2.5, y)
    dots.arc(b.x, y, 2.5, 0, 2 * Math.PI)
  }
  const colour = p.theme.dark ? '#ff8f86' : '#b3261e'
  ctx.save()
  ctx.beginPath()
  ctx.rect(plotLeft, gpus.top - 1, plotWidth, links.top + links.height - gpus.top + 2)
  ctx.clip()
  ctx.lineJoin = 'round'
  ctx.lineWidth = 4
  ctx.strokeStyle = p.theme.page
  ctx.stroke(path)
  ctx.strokeStyle = ctx.fillStyle = colour
  ctx.lineWidth = 1
  // Lines between distant rows cross many unrelated bars.
  ctx.globalAlpha = 0.6
  ctx.stroke(joints)
  ctx.globalAlpha = 1
  ctx.lineWidth = 2
  ctx.stroke(path)
  ctx.fill(dots)
  ctx.restore()
}
