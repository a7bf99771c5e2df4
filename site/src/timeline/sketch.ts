// A small picture of a plan: its rows over time, without names, axis and links.

import type { Compiled, LongPlan, Schedule } from '../engine/api'
import { bandsOf } from '../horizon/bands'
import { extentOf } from '../views/shown'
import { drawGpus } from './drawRows'
import { comfortable, type Pane } from './layout'
import { buildModel } from './model'
import { jobColours, SHADES } from './palette'
import type { Pen } from './pen'

/** A plan task by task, or in blocks. */
export interface Sketched {
  instance: Compiled
  schedule: Schedule | null
  long: LongPlan | null
}

/** Rows are no higher than on the page. */
export function heightOf({ instance }: Sketched, most: number): number {
  const gpus = instance.nodes.reduce((sum, node) => sum + node.gpus, 0)
  return Math.min(most, gpus * comfortable(gpus))
}

/** Draws the plan into a box whose upper left corner is the origin, with a time axis of horizon ticks. */
export function sketch(p: Pen, plan: Sketched, width: number, height: number, horizon: number): void {
  const { instance, schedule, long } = plan
  const { ctx } = p
  if (!schedule) {
    ctx.fillStyle = p.theme.track
    ctx.fillRect(0, 0, (width * extentOf(plan)) / horizon, height)
    if (!long) return
    const bands = bandsOf(instance, long)
    const colours = jobColours(instance)
    for (const { job, y, height: h } of bands.bars) {
      const x = (width * long.admitted[job]!) / horizon
      ctx.fillStyle = p.paints[colours[job]! * SHADES + SHADES - 1]!.fill
      ctx.fillRect(
        x,
        (y * height) / bands.height,
        (width * long.end[job]!) / horizon - x,
        (h * height) / bands.height,
      )
    }
    return
  }
  const model = buildModel(instance, schedule)
  const rowHeight = height / model.gpus.length
  const gpus: Pane = {
    top: 0,
    height,
    content: height,
    y: Float64Array.from(model.gpus, (_, row) => row * rowHeight),
    rowHeight,
  }
  const none: Pane = { top: height, height: 0, content: 0, y: new Float64Array(0), rowHeight: 0 }
  drawGpus(p, {
    model,
    layout: {
      width,
      height,
      left: 0,
      plotLeft: 0,
      plotWidth: width,
      shares: 0,
      gpus,
      headings: [],
      links: none,
      linksHead: height,
      overviewTop: height,
      overviewHeight: 0,
    },
    range: { from: 0, to: horizon },
    horizon,
    scroll: { gpus: 0, links: 0 },
    theme: p.theme,
    usage: null,
    bound: null,
    certified: false,
    chain: [],
    pattern: false,
    selection: null,
  })
}
