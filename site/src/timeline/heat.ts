// Many nodes over time at a glance: a heat map of how busy they are, with a row for one node or for several.

import type { Compiled, Schedule } from '../engine/api'
import { instant } from '../views/format'
import { shares } from './overview'
import { type Pen, setFont, shorten, snap, textWidth } from './pen'
import { marks } from './viewport'

export interface Heat {
  /** Nodes of each row, by rack. */
  rows: number[][]
  rowHeight: number
  /** Ticks of the time axis. */
  horizon: number
}

export const HEAT_LEFT = 138
export const HEAT_TOP = 20
const RIGHT = 12
/** With more nodes a row stands for several; all rows together are about this high. */
const MOST_ROWS = 160
const ROOM = 420

export function heatOf(instance: Compiled, schedule: Schedule): Heat {
  const nodes = instance.racks.flatMap(rack => rack.nodes)
  const per = Math.ceil(nodes.length / MOST_ROWS)
  const rows: number[][] = []
  for (let i = 0; i < nodes.length; i += per) rows.push(nodes.slice(i, i + per))
  let horizon = Math.max(schedule.period, 1)
  if (schedule.period === 0)
    for (const list of [schedule.tasks.end, schedule.syncs.end])
      for (const end of list) horizon = Math.max(horizon, end)
  return { rows, rowHeight: Math.min(Math.max(Math.floor(ROOM / rows.length), 3), 14), horizon }
}

/** The share of busy GPUs, row by row and pixel by pixel. */
export function heatShares(instance: Compiled, schedule: Schedule, heat: Heat, width: number): Float32Array {
  const nodeOf = Int32Array.from(instance.nodes.flatMap((node, n) => new Array<number>(node.gpus).fill(n)))
  const rowOf = new Int32Array(instance.nodes.length).fill(-1)
  heat.rows.forEach((nodes, row) => {
    for (const node of nodes) rowOf[node] = row
  })
  const plan = { schedule, nodeOf, period: schedule.period }
  return shares(plan, heat.horizon, width, heat.rows.length, gpu => rowOf[nodeOf[gpu]!]!)
}

export const plotWidth = (width: number) => Math.max(Math.floor(width - HEAT_LEFT - RIGHT), 40)

/** The row at a height of the canvas, or -1. */
export function rowOfHeat(heat: Heat, y: number): number {
  const row = Math.floor((y - HEAT_TOP) / heat.rowHeight)
  return row >= 0 && row < heat.rows.length ? row : -1
}

/** lit: the marked rows. */
export function drawHeat(
  p: Pen,
  instance: Compiled,
  heat: Heat,
  busy: Float32Array,
  width: number,
  lit: ReadonlySet<number>,
): void {
  const { ctx } = p
  const plot = plotWidth(width)
  ctx.setTransform(p.dpr, 0, 0, p.dpr, 0, 0)
  ctx.fillStyle = p.theme.page
  ctx.fillRect(0, 0, width, HEAT_TOP + heat.rows.length * heat.rowHeight + 2)
  ctx.textBaseline = 'middle'
  setFont(p, 10.5)
  ctx.fillStyle = p.theme.dim
  ctx.textAlign = 'center'
  const tick = instance.tick_us
  const { step, at } = marks({ from: 0, to: heat.horizon }, plot / 96, tick)
  for (const t of at) {
    const text = t === 0 ? '0' : instant(t, tick, step, heat.horizon)
    const half = textWidth(p, text) / 2
    const x = HEAT_LEFT + (plot * t) / heat.horizon
    ctx.fillText(text, Math.min(Math.max(x, HEAT_LEFT + half), width - half - 2), 9)
  }
  const gap = heat.rowHeight >= 6 ? 1 : 0
  let last = Number.NEGATIVE_INFINITY
  heat.rows.forEach((nodes, row) => {
    const y = HEAT_TOP + row * heat.rowHeight
    ctx.globalAlpha = 1
    ctx.fillStyle = p.theme.track
    ctx.fillRect(HEAT_LEFT, y, plot, heat.rowHeight - gap)
    ctx.fillStyle = p.theme.accent
    for (let c = 0; c < plot; c++) {
      const share = busy[row * plot + c]!
      if (share <= 0) continue
      // In steps of a sixteenth: equal neighbours are one rectangle.
      const level = Math.ceil(share * 16)
      let end = c + 1
      while (end < plot && Math.ceil(busy[row * plot + end]! * 16) === level) end++
      ctx.globalAlpha = level / 16
      ctx.fillRect(HEAT_LEFT + c, y, end - c, heat.rowHeight - gap)
      c = end - 1
    }
    ctx.globalAlpha = 1
    if (lit.has(row)) {
      ctx.fillStyle = p.theme.text
      ctx.fillRect(HEAT_LEFT - 5, y, 3, heat.rowHeight)
    }
    if (y - last < 12) return
    last = y
    const first = instance.nodes[nodes[0]!]!.name
    const text = nodes.length > 1 ? `${first} and ${nodes.length - 1} more` : first
    ctx.fillStyle = lit.has(row) ? p.theme.text : p.theme.dim
    ctx.textAlign = 'left'
    ctx.fillText(shorten(p, text, HEAT_LEFT - 22), 12, snap(p, y + Math.min(heat.rowHeight / 2, 7)))
  })
}
