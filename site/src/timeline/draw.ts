// The picture of a plan. drawBase draws everything except what follows the pointer, which
// drawOverlay draws on a canvas above it.

import { instant, ticks } from '../views/format'
import { drawGpus, drawLinks } from './drawRows'
import { drawOverview } from './overview'
import { jobColours, SHADES } from './palette'
import { type Pen, setFont, snap, textWidth } from './pen'
import { type Scene, timeAt, xOf } from './scene'
import { marks } from './viewport'

/** The parts that drawBase draws, each above the earlier ones. */
export const baseParts: readonly ((p: Pen, s: Scene) => void)[] = [
  (p, s) => {
    drawGround(p, s)
    drawAxis(p, s)
  },
  drawGpus,
  (p, s) => {
    drawLinks(p, s)
    drawMarks(p, s)
    drawLines(p, s)
    drawScrollbars(p, s)
    if (s.layout.overviewHeight > 0) drawOverview(p, s)
  },
]

export function drawBase(p: Pen, s: Scene): void {
  for (const part of baseParts) part(p, s)
}

function drawGround(p: Pen, s: Scene): void {
  const { ctx } = p
  ctx.setTransform(p.dpr, 0, 0, p.dpr, 0, 0)
  ctx.fillStyle = p.theme.page
  ctx.fillRect(0, 0, s.layout.width, s.layout.height)
}

/** Lower end of the area crossed by the grid and the lines. */
function bottom(s: Scene): number {
  return s.layout.links.top + s.layout.links.height
}

function drawAxis(p: Pen, s: Scene): void {
  const { ctx } = p
  const { plotLeft, plotWidth, gpus } = s.layout
  const tickUs = s.model.instance.tick_us
  const { step, at } = marks(s.range, plotWidth / 96, tickUs)
  ctx.fillStyle = p.theme.dim
  ctx.strokeStyle = p.theme.grid
  ctx.lineWidth = 1
  ctx.textAlign = 'center'
  ctx.textBaseline = 'middle'
  setFont(p, 10.5)
  ctx.beginPath()
  const tail = plotLeft + plotWidth + s.layout.shares
  let free = Number.NEGATIVE_INFINITY
  for (const t of at) {
    const x = xOf(s, t)
    ctx.moveTo(snap(p, x) + 0.5, 17)
    ctx.lineTo(snap(p, x) + 0.5, bottom(s))
    const text = t === 0 ? '0' : instant(t, tickUs, step, s.range.to)
    const half = textWidth(p, text) / 2
    const middle = Math.min(Math.max(x, plotLeft + half), tail - half)
    if (middle - half < free) continue
    free = middle + half + 8
    ctx.fillText(text, middle, 9)
  }
  ctx.stroke()
  ctx.fillStyle = p.theme.dim
  ctx.textAlign = 'left'
  setFont(p, 11, 600)
  ctx.fillText(s.model.period > 0 ? 'One period' : 'GPUs', s.layout.left, gpus.top - 10)
}

/** Flags of releases point right, flags of deadlines left, both in the colour of their job. */
function drawMarks(p: Pen, s: Scene): void {
  if (s.model.period > 0 || s.pattern) return
  const { ctx } = p
  const colours = jobColours(s.model.instance)
  s.model.instance.jobs.forEach((job, j) => {
    for (const [t, way] of [
      [job.release, 1],
      [job.deadline, -1],
    ] as const) {
      if (t <= 0 || t < s.range.from || t > s.range.to) continue
      const x = snap(p, xOf(s, t)) + 0.5
      ctx.globalAlpha = s.selection && s.selection.job !== j ? 0.25 : 1
      ctx.fillStyle = p.paints[colours[j]! * SHADES + SHADES - 1]!.fill
      ctx.beginPath()
      ctx.moveTo(x, s.layout.gpus.top - 12)
      ctx.lineTo(x + 7 * way, s.layout.gpus.top - 8)
      ctx.lineTo(x, s.layout.gpus.top - 4)
      ctx.fill()
      ctx.fillRect(x - 0.5, s.layout.gpus.top - 12, 1, 12)
    }
  })
  ctx.globalAlpha = 1
}

/** Makespan and bound, with their names in the strip below the axis. */
function drawLines(p: Pen, s: Scene): void {
  if (s.model.period > 0 || s.pattern) return
  const { plotLeft, plotWidth, shares } = s.layout
  const tickUs = s.model.instance.tick_us
  const { span } = s.model
  const boundName = s.certified ? 'certified bound' : 'bound'
  // An optimal plan ends where its bound is.
  const met = s.bound !== null && ticks(s.bound, tickUs, span) === ticks(span, tickUs)
  const lines = [{ t: span, name: met ? `makespan = ${boundName}` : 'makespan', dash: false }]
  if (s.bound !== null && !met) lines.push({ t: s.bound, name: boundName, dash: true })
  const seen = lines
    .map(line => ({ ...line, x: snap(p, xOf(s, line.t)) + 0.5 }))
    .filter(({ x }) => x >= plotLeft - 1 && x <= plotLeft + plotWidth + 1)
  const { ctx } = p
  for (const { x, ...line } of seen) {
    ctx.strokeStyle = line.dash ? p.theme.accent : p.theme.text
    ctx.lineWidth = 1.5
    ctx.setLineDash(line.dash ? [5, 4] : [])
    ctx.beginPath()
    ctx.moveTo(x, s.layout.gpus.top - 16)
    ctx.lineTo(x, bottom(s))
    ctx.stroke()
  }
  ctx.setLineDash([])
  // Names stand above all lines.
  ctx.textBaseline = 'middle'
  ctx.textAlign = 'left'
  setFont(p, 10.5, 600)
  const taken: [number, number][] = []
  for (const { x, ...line } of seen) {
    const text = `${line.name} ${ticks(line.t, tickUs, span)}`
    const width = textWidth(p, text)
    // Beside its line, or else before the name in the way.
    const places = [x - width - 5, x + 5, ...taken.map(([a]) => a - width - 4)]
    const left = places.find(
      l =>
        l >= plotLeft &&
        l + width <= plotLeft + plotWidth + shares &&
        taken.every(([a, b]) => l + width < a || l > b),
    )
    if (left === undefined) continue
    taken.push([left - 6, left + width + 6])
    ctx.fillStyle = p.theme.page
    ctx.fillRect(left - 2, s.layout.gpus.top - 17, width + 4, 13)
    ctx.fillStyle = line.dash ? p.theme.accent : p.theme.text
    ctx.fillText(text, left, s.layout.gpus.top - 10)
  }
}

function drawScrollbars(p: Pen, s: Scene): void {
  const { ctx } = p
  for (const [pane, scroll] of [
    [s.layout.gpus, s.scroll.gpus],
    [s.layout.links, s.scroll.links],
  ] as const) {
    if (pane.content <= pane.height) continue
    const length = Math.max((pane.height * pane.height) / pane.content, 18)
    const top = pane.top + ((pane.height - length) * scroll) / (pane.content - pane.height)
    ctx.fillStyle = p.theme.dim
    ctx.globalAlpha = 0.55
    ctx.beginPath()
    ctx.roundRect(s.layout.width - 5, top, 4, length, 2)
    ctx.fill()
    ctx.globalAlpha = 1
  }
}

/** The cursor line at x, with its time. */
export function drawCursor(p: Pen, s: Scene, x: number): void {
  const { ctx } = p
  const { plotLeft, plotWidth } = s.layout
  if (x < plotLeft || x > plotLeft + plotWidth) return
  const t = timeAt(s, x)
  const text = instant(t, s.model.instance.tick_us, (s.range.to - s.range.from) / plotWidth)
  setFont(p, 10.5, 600)
  const width = textWidth(p, text) + 10
  const left = Math.min(Math.max(x - width / 2, plotLeft), plotLeft + plotWidth - width)
  ctx.strokeStyle = p.theme.text
  ctx.globalAlpha = 0.35
  ctx.lineWidth = 1
  ctx.beginPath()
  ctx.moveTo(snap(p, x) + 0.5, 17)
  ctx.lineTo(snap(p, x) + 0.5, bottom(s))
  ctx.stroke()
  ctx.globalAlpha = 1
  ctx.fillStyle = p.theme.text
  ctx.beginPath()
  ctx.roundRect(left, 1, width, 16, 3)
  ctx.fill()
  ctx.fillStyle = p.theme.page
  ctx.textAlign = 'center'
  ctx.textBaseline = 'middle'
  ctx.fillText(text, left + width / 2, 9.5)
}
