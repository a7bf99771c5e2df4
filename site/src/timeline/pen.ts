// A canvas with helpers for drawing: crisp edges, text that fits, patterns.

import { type Paint, paintsOf, SHADES, type Theme } from './palette'

export interface Pen {
  ctx: CanvasRenderingContext2D
  /** Device pixels per CSS pixel. */
  dpr: number
  theme: Theme
  paints: Paint[]
  /** Font family. */
  font: string
  /** Widths of texts in the current font. */
  widths: Map<string, number>
}

export function newPen(ctx: CanvasRenderingContext2D, dpr: number, theme: Theme, font: string): Pen {
  return { ctx, dpr, theme, paints: paintsOf(theme), font, widths: new Map() }
}

/** A position rounded to the nearest device pixel. */
export function snap(p: Pen, v: number): number {
  return Math.round(v * p.dpr) / p.dpr
}

export function setFont(p: Pen, px: number, weight = 400): void {
  const font = `${weight} ${px}px ${p.font}`
  p.ctx.font = font
  let known = widths.get(font)
  if (!known || known.size > MOST_WIDTHS) {
    known = new Map()
    widths.set(font, known)
  }
  p.widths = known
}

const widths = new Map<string, Map<string, number>>()
/** Iteration numbers and names repeat; a hostile file may have many. */
const MOST_WIDTHS = 20_000

/** Widths measured before a font was loaded belong to another font. */
export function forgetWidths(): void {
  widths.clear()
}

/** The width of a text in the font that setFont chose. */
export function textWidth(p: Pen, text: string): number {
  let width = p.widths.get(text)
  if (width === undefined) {
    width = p.ctx.measureText(text).width
    p.widths.set(text, width)
  }
  return width
}

/** The text, or as much of it as fits with an ellipsis, or nothing. */
export function shorten(p: Pen, text: string, width: number): string {
  if (textWidth(p, text) <= width) return text
  let lo = 0
  let hi = Math.min(text.length, 200)
  while (lo < hi) {
    const mid = (lo + hi + 1) >> 1
    if (p.ctx.measureText(`${text.slice(0, mid)}…`).width <= width) lo = mid
    else hi = mid - 1
  }
  return lo > 0 ? `${text.slice(0, lo)}…` : ''
}

const TILE = 8
const tiles = new Map<string, HTMLCanvasElement>()

/** The pattern of a shade, so that depth is visible without colour: full depth is plain, and shallower depths are increasingly hatched. */
export function depthPattern(p: Pen, shade: number, ink: string, x: number, y: number): CanvasPattern | null {
  if (shade >= SHADES - 1) return null
  return pattern(p, `${shade}|${ink}`, x, y, c => {
    c.strokeStyle = ink
    c.fillStyle = ink
    c.globalAlpha = 0.3
    c.lineWidth = 1
    if (shade === 3) diagonals(c, TILE)
    if (shade === 2) diagonals(c, TILE / 2)
    if (shade === 1) {
      diagonals(c, TILE)
      c.translate(TILE, 0)
      c.scale(-1, 1)
      diagonals(c, TILE)
    }
    if (shade === 0) {
      c.globalAlpha = 0.45
      for (const [dx, dy] of [
        [1, 1],
        [5, 5],
      ] as const)
        c.fillRect(dx, dy, 1.5, 1.5)
    }
  })
}

/** The faint hatching of idle time. */
export function idlePattern(p: Pen, x: number, y: number): CanvasPattern | null {
  return pattern(p, `idle|${p.theme.dim}`, x, y, c => {
    c.strokeStyle = p.theme.dim
    c.globalAlpha = p.theme.dark ? 0.2 : 0.16
    c.lineWidth = 1
    c.translate(TILE, 0)
    c.scale(-1, 1)
    diagonals(c, TILE)
  })
}

function diagonals(c: CanvasRenderingContext2D, step: number): void {
  c.beginPath()
  for (let d = -TILE; d <= 2 * TILE; d += step) {
    c.moveTo(d, TILE)
    c.lineTo(d + TILE, 0)
  }
  c.stroke()
}

/** A tile pattern that moves along with the picture: (x, y) is the position of a corner. */
function pattern(
  p: Pen,
  key: string,
  x: number,
  y: number,
  draw: (c: CanvasRenderingContext2D) => void,
): CanvasPattern | null {
  // Tiles have whole device pixels, or seams would be visible.
  const size = Math.max(Math.round(TILE * p.dpr), 1)
  const name = `${key}|${size}`
  let tile = tiles.get(name)
  if (!tile) {
    tile = document.createElement('canvas')
    tile.width = tile.height = size
    const c = tile.getContext('2d')
    if (!c) return null
    c.scale(size / TILE, size / TILE)
    draw(c)
    tiles.set(name, tile)
  }
  const found = p.ctx.createPattern(tile, 'repeat')
  const left = (Math.round(x * p.dpr) % size) / p.dpr
  const top = (Math.round(y * p.dpr) % size) / p.dpr
  found?.setTransform(new DOMMatrix([1 / p.dpr, 0, 0, 1 / p.dpr, left, top]))
  return found
}
