// The rows of GPUs with their tasks, and of links with their synchronisations.

import { bitRate, percent } from '../views/format'
import { placeOf } from '../views/gpus'
import { type Bars, GOES_ON_AFTER, GOES_ON_BEFORE } from './bars'
import { type Pane, rowsSeen } from './layout'
import { Columns, wide } from './level'
import { between, type Moving } from './morph'
import { SHADES } from './palette'
import { depthPattern, idlePattern, type Pen, setFont, shorten, snap, textWidth } from './pen'
import { type Scene, scale, xOf } from './scene'

/** Rows lower than this have no labels; lower than PATTERN, no patterns; lower than GAUGE, no depth bars. */
const LABEL = 11
const PATTERN = 8
const GAUGE = 8
/** Bars narrower than this have no pattern. */
const PATTERN_WIDTH = 5
/** Bars narrower than this have no depth bar. */
const GAUGE_WIDTH = 16
/** Opacity of what is not selected. */
const DIMMED = 0.22

/** What distinguishes the two panes for drawing. */
interface Kind {
  bars: Bars
  pane: Pane
  scroll: number
  jobs: Int32Array
  iterations: Int32Array
  paint: Uint8Array
  /** Index and share of depth; null for synchronisations. */
  depth: { of: Int32Array; share: number[][] } | null
}

export function drawGpus(p: Pen, s: Scene): void {
  const { model, layout } = s
  const { tasks } = model.schedule
  const share = model.instance.jobs.map(job => job.depths.map(depth => depth.share))
  const kind: Kind = {
    bars: model.tasks,
    pane: layout.gpus,
    scroll: s.scroll.gpus,
    jobs: tasks.job,
    iterations: tasks.iteration,
    paint: model.taskPaint,
    depth: { of: tasks.depth, share },
  }
  inWindow(p, s, layout.gpus, () => {
    drawTracks(p, s, kind, model.span)
    if (s.moving) drawMoving(p, s, s.moving)
    else drawBars(p, s, kind)
  })
  drawHeadings(p, s)
  drawShares(p, s, kind, row => s.usage?.gpu_share[model.gpus[row]!] ?? null)
}

export function drawLinks(p: Pen, s: Scene): void {
  const { model, layout } = s
  if (model.links.length === 0) return
  const { syncs } = model.schedule
  const kind: Kind = {
    bars: model.syncs,
    pane: layout.links,
    scroll: s.scroll.links,
    jobs: syncs.job,
    iterations: syncs.iteration,
    paint: model.syncPaint,
    depth: null,
  }
  const { ctx } = p
  ctx.textBaseline = 'middle'
  ctx.textAlign = 'left'
  ctx.fillStyle = p.theme.dim
  setFont(p, 11, 600)
  ctx.fillText('Links', layout.left, layout.linksHead + 11)
  if (layout.plotLeft >= 100) {
    const width = textWidth(p, 'Links ')
    setFont(p, 10)
    ctx.fillText('share in use', layout.left + width, layout.linksHead + 11)
  }
  inWindow(p, s, layout.links, () => {
    drawTracks(p, s, kind, model.span)
    drawBars(p, s, kind)
  })
  drawLinkNames(p, s, kind)
  drawShares(p, s, kind, row => {
    const { links } = model.links[row]!
    return s.usage ? links.reduce((sum, l) => sum + (s.usage?.link_share[l] ?? 0), 0) / links.length : null
  })
}

/** Draws clipped to the plot area of a pane. */
function inWindow(p: Pen, s: Scene, pane: Pane, draw: () => void): void {
  const { ctx } = p
  ctx.save()
  ctx.beginPath()
  ctx.rect(s.layout.plotLeft, pane.top, s.layout.plotWidth, pane.height)
  ctx.clip()
  draw()
  ctx.restore()
}

/** The background of each row: hatched up to the span, so that idle time is visible as a gap; plain beyond. */
function drawTracks(p: Pen, s: Scene, k: Kind, span: number): void {
  const { ctx } = p
  const [first, end] = rowsSeen(k.pane, k.scroll)
  const left = snap(p, Math.max(xOf(s, 0), s.layout.plotLeft))
  const right = snap(p, Math.min(xOf(s, span), s.layout.plotLeft + s.layout.plotWidth))
  if (right <= left) return
  const gap = k.pane.rowHeight >= 6 ? 1 : 0
  const rows = new Path2D()
  for (let row = first; row < end; row++)
    rows.rect(left, snap(p, k.pane.top + k.pane.y[row]! - k.scroll), right - left, k.pane.rowHeight - gap)
  ctx.fillStyle = p.theme.track
  ctx.fill(rows)
  const idle = k.depth && k.pane.rowHeight >= 5 ? idlePattern(p, xOf(s, 0), k.pane.top - k.scroll) : null
  if (idle) {
    ctx.fillStyle = idle
    ctx.fill(rows)
  }
}

let columns = new Columns(0)

function drawBars(p: Pen, s: Scene, k: Kind): void {
  const { ctx } = p
  const { bars, pane } = k
  const sc = scale(s)
  if (columns.cover.length < Math.ceil(sc.width) + 1) columns = new Columns(sc.width)
  const left = s.layout.plotLeft
  const [first, end] = rowsSeen(pane, k.scroll)
  const gap = pane.rowHeight >= 6 ? 1 : 0
  const height = pane.rowHeight - gap
  const patterned = k.depth !== null && height >= PATTERN
  const labelled = height >= LABEL
  const patterns = new Map<number, CanvasPattern | null>()
  // Bars of a link occupy only a part of the row's height.
  setFont(p, k.depth ? Math.min(Math.max(height - 6, 9), 11.5) : 9.5)
  ctx.textBaseline = 'middle'
  ctx.textAlign = 'center'
  const one = 1 / p.dpr
  const chosen = s.selection
  for (const lit of chosen ? [false, true] : [true]) {
    ctx.globalAlpha = lit ? 1 : DIMMED
    for (let row = first; row < end; row++) {
      const top = snap(p, pane.top + pane.y[row]! - k.scroll)
      const mine = (bar: number) => {
        if (!chosen) return true
        const i = bars.item[bar]!
        return (
          (k.jobs[i] === chosen.job && (chosen.iteration === 0 || k.iterations[i] === chosen.iteration)) ===
          lit
        )
      }
      wide(bars, row, sc, columns, (bar, from, to) => {
        if (!mine(bar)) return
        const i = bars.item[bar]!
        const paint = k.paint[i]!
        const x0 = snap(p, left + Math.max(from, -2))
        const x1 = snap(p, left + Math.min(to, sc.width + 2))
        // A seam separates neighbours if there is space for it.
        const w = Math.max(x1 - x0 - (x1 - x0 >= 4 ? one : 0), one)
        const h = Math.max((bars.high[bar]! - bars.low[bar]!) * height, one)
        const y = top + (1 - bars.high[bar]!) * height
        ctx.fillStyle = p.paints[paint]!.fill
        ctx.fillRect(x0, y, w, h)
        if (to - from < PATTERN_WIDTH) return
        const { ink } = p.paints[paint]!
        if (patterned) {
          const shade = paint % SHADES
          const key = shade * 2 + (ink === '#ffffff' ? 1 : 0)
          if (!patterns.has(key))
            patterns.set(key, depthPattern(p, shade, ink, xOf(s, 0), pane.top - k.scroll))
          const pattern = patterns.get(key)
          if (pattern) {
            ctx.fillStyle = pattern
            ctx.fillRect(x0, y, w, h)
          }
        }
        if (k.depth && height >= GAUGE && to - from >= GAUGE_WIDTH && from >= -3) {
          const share = k.depth.share[k.jobs[i]!]![k.depth.of[i]!] ?? 1
          ctx.fillStyle = ink
          ctx.globalAlpha = lit ? 0.5 : DIMMED
          ctx.fillRect(x0 + 1, y + h * (1 - share), 2, h * share)
          ctx.globalAlpha = lit ? 1 : DIMMED
        }
        if (lit && labelled && h >= LABEL - 1)
          drawLabel(
            p,
            s,
            k,
            bar,
            Math.max(from, 0) + (k.depth ? 4 : 1),
            Math.min(to, sc.width),
            y + h / 2,
            ink,
          )
        if (bars.flags[bar]) drawArrows(p, bars.flags[bar]!, x0, x0 + w, y + h / 2, Math.min(h, 8), ink)
      })
      columns.flush((column, cover, bar) => {
        if (!mine(bar)) return
        const h = Math.max(Math.ceil(cover * height * p.dpr) / p.dpr, one)
        ctx.fillStyle = p.paints[k.paint[bars.item[bar]!]!]!.fill
        ctx.fillRect(left + column, top + height - h, 1, h)
      })
    }
  }
  ctx.globalAlpha = 1
}

/** Tasks during an animation, without names. */
function drawMoving(p: Pen, s: Scene, moving: Moving): void {
  const { ctx } = p
  const { x, y, w } = between(s, moving)
  const { rowHeight } = s.layout.gpus
  const height = rowHeight - (rowHeight >= 6 ? 1 : 0)
  for (let i = 0; i < x.length; i++) {
    if (Number.isNaN(x[i]!)) continue
    const paint = s.model.taskPaint[i]!
    const { fill, ink } = p.paints[paint]!
    ctx.globalAlpha = Number.isNaN(moving.from.x[i]!) ? moving.at : 1
    const box = [x[i]!, y[i]!, Math.max(w[i]! - (w[i]! >= 4 ? 1 : 0), 1), height] as const
    ctx.fillStyle = fill
    ctx.fillRect(...box)
    const pattern =
      height >= PATTERN && w[i]! >= PATTERN_WIDTH && depthPattern(p, paint % SHADES, ink, x[i]!, y[i]!)
    if (!pattern) continue
    ctx.fillStyle = pattern
    ctx.fillRect(...box)
  }
  ctx.globalAlpha = 1
}

/** Job and iteration, or only the iteration, where they fit. */
function drawLabel(
  p: Pen,
  s: Scene,
  k: Kind,
  bar: number,
  x0: number,
  x1: number,
  y: number,
  ink: string,
): void {
  const room = x1 - x0 - 4
  if (room < 10) return
  const i = k.bars.item[bar]!
  const iteration = String(k.iterations[i])
  const name = s.model.names[k.jobs[i]!]!
  const number = textWidth(p, iteration)
  if (number > room) return
  const text =
    textWidth(p, name) + number + textWidth(p, ' · ') <= room ? `${name} · ${iteration}` : iteration
  p.ctx.fillStyle = ink
  p.ctx.fillText(text, s.layout.plotLeft + (x0 + x1) / 2, y + 0.5)
}

/** Arrow tips on bars that continue in the previous or next period. */
function drawArrows(
  p: Pen,
  flags: number,
  x0: number,
  x1: number,
  y: number,
  size: number,
  ink: string,
): void {
  if (x1 - x0 < 6 || size < 4) return
  const { ctx } = p
  const half = size / 2
  ctx.fillStyle = ink
  ctx.beginPath()
  if (flags & GOES_ON_BEFORE) {
    ctx.moveTo(x0 + 1, y)
    ctx.lineTo(x0 + 1 + half, y - half)
    ctx.lineTo(x0 + 1 + half, y + half)
  }
  if (flags & GOES_ON_AFTER) {
    ctx.moveTo(x1 - 1, y)
    ctx.lineTo(x1 - 1 - half, y - half)
    ctx.lineTo(x1 - 1 - half, y + half)
  }
  ctx.fill()
}

function drawHeadings(p: Pen, s: Scene): void {
  const { ctx } = p
  const { gpus, left, plotLeft, headings } = s.layout
  ctx.save()
  ctx.beginPath()
  ctx.rect(0, gpus.top, plotLeft, gpus.height)
  ctx.clip()
  ctx.textAlign = 'left'
  ctx.textBaseline = 'middle'
  const numbered = gpus.rowHeight >= 11
  const room = plotLeft - left - (numbered ? 22 : 6)
  let last = Number.NEGATIVE_INFINITY
  for (const head of headings) {
    const y = gpus.top + head.y - s.scroll.gpus
    if (y > gpus.top + gpus.height || y + Math.max(head.height, 14) < gpus.top) continue
    if (head.rack) {
      ctx.fillStyle = p.theme.text
      setFont(p, 11, 600)
      ctx.fillText(shorten(p, head.text, plotLeft - left - 4), left, y + 9)
      last = y + 9
      continue
    }
    // The name stays in sight as long as any row of its node is.
    const middle = Math.max(
      Math.min(Math.max(y + head.height / 2, gpus.top + 8), y + head.height - 8),
      y + Math.min(7, head.height / 2),
    )
    // Names of low nodes would overlap.
    if (middle - last < 12) continue
    last = middle
    const two = head.height >= 30 && plotLeft >= 100
    ctx.fillStyle = p.theme.text
    setFont(p, 11)
    ctx.fillText(shorten(p, head.text, room), left, two ? middle - 6 : middle)
    if (two) {
      ctx.fillStyle = p.theme.dim
      setFont(p, 10)
      ctx.fillText(shorten(p, head.sub, room), left, middle + 7)
    }
  }
  if (numbered) {
    const [first, end] = rowsSeen(gpus, s.scroll.gpus)
    ctx.textAlign = 'right'
    ctx.fillStyle = p.theme.dim
    setFont(p, 10)
    for (let row = first; row < end; row++) {
      const gpu = s.model.gpus[row]!
      const node = s.model.instance.nodes[s.model.nodeOf[gpu]!]!
      ctx.fillText(
        String(placeOf(node, gpu)),
        plotLeft - 6,
        gpus.top + gpus.y[row]! - s.scroll.gpus + gpus.rowHeight / 2,
      )
    }
  }
  ctx.restore()
}

function drawLinkNames(p: Pen, s: Scene, k: Kind): void {
  const { ctx } = p
  const { left, plotLeft } = s.layout
  ctx.save()
  ctx.beginPath()
  ctx.rect(0, k.pane.top, plotLeft, k.pane.height)
  ctx.clip()
  ctx.textBaseline = 'middle'
  const [first, end] = rowsSeen(k.pane, k.scroll)
  for (let row = first; row < end; row++) {
    const link = s.model.links[row]!
    const y = k.pane.top + k.pane.y[row]! - k.scroll + k.pane.rowHeight / 2
    const speed = `${bitRate(link.capacity)}${link.alike > 0 ? ` ×${link.alike + 1}` : ''}`
    setFont(p, 10)
    const width = plotLeft >= 100 ? textWidth(p, speed) + 6 : 0
    if (width > 0) {
      ctx.textAlign = 'right'
      ctx.fillStyle = p.theme.dim
      ctx.fillText(speed, plotLeft - 6, y)
    }
    setFont(p, 11)
    ctx.textAlign = 'left'
    ctx.fillStyle = p.theme.text
    ctx.fillText(shorten(p, link.label, plotLeft - left - 8 - width), left, y)
  }
  ctx.restore()
}

/** The share of time, or of capacity, that each row uses: a bar and a number at the right. */
function drawShares(p: Pen, s: Scene, k: Kind, share: (row: number) => number | null): void {
  const { shares, plotLeft, plotWidth } = s.layout
  if (shares === 0) return
  const { ctx } = p
  const x = plotLeft + plotWidth + 6
  const width = shares - 6
  ctx.save()
  ctx.beginPath()
  ctx.rect(x, k.pane.top, shares, k.pane.height)
  ctx.clip()
  ctx.textAlign = 'right'
  ctx.textBaseline = 'middle'
  setFont(p, 10)
  const figures = k.pane.rowHeight >= 11
  const [first, end] = rowsSeen(k.pane, k.scroll)
  for (let row = first; row < end; row++) {
    const value = share(row)
    if (value === null) continue
    const y = k.pane.top + k.pane.y[row]! - k.scroll
    const h = k.pane.rowHeight - (k.pane.rowHeight >= 6 ? 1 : 0)
    ctx.fillStyle = p.theme.grid
    ctx.fillRect(x, snap(p, y), Math.min(value, 1) * width, h)
    if (figures) {
      ctx.fillStyle = p.theme.dim
      ctx.fillText(percent(value), x + width - 2, y + h / 2 + 0.5)
    }
  }
  ctx.restore()
}
