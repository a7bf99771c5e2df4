// A picture to send along with a link: the plan and what it is compared with, on one time axis,
// with the gain and the possible further gain.

import { clean, objectiveValue, plural, short } from '../views/format'
import { extentOf } from '../views/shown'
import { type Pen, setFont, shorten, textWidth } from './pen'
import { heightOf, type Sketched, sketch } from './sketch'

export interface Side extends Sketched {
  label: string
  /** A note, shown if there is space for it. */
  note?: string
  value: number | null
}

export interface Card {
  title: string
  /** The gain; empty: nothing is compared. */
  gain: string
  /** How good the plan is proven to be. */
  proof: string
  /** Before and after, or the plan alone; the bound is that of the last. */
  sides: readonly Side[]
  bound: number | null
  certified: boolean
}

/** The size at which sites show pictures of links. */
export const CARD = { width: 1200, height: 630 }
const EDGE = 48
const TOP = 186
const FOOT = 58
/** Height of a plan's name above it. */
const NAME = 30
const GAP = 18

export function drawCard(p: Pen, card: Card): void {
  const { ctx, theme } = p
  const { width, height } = CARD
  const room = width - 2 * EDGE
  ctx.setTransform(p.dpr, 0, 0, p.dpr, 0, 0)
  ctx.globalAlpha = 1
  ctx.fillStyle = theme.page
  ctx.fillRect(0, 0, width, height)
  ctx.textBaseline = 'alphabetic'
  const line = (text: string, y: number, px: number, weight: number, colour: string) => {
    setFont(p, px, weight)
    ctx.textAlign = 'left'
    ctx.fillStyle = colour
    ctx.fillText(shorten(p, text, room), EDGE, y)
  }
  line(clean(card.title), 66, 22, 500, theme.dim)
  // The most important text is the largest, as large as fits into two lines.
  const head = card.gain || card.proof
  let px = 34
  for (setFont(p, px, 650); px > 22 && wrap(p, head, room).length > 2; ) setFont(p, --px, 650)
  const lines = wrap(p, head, room).slice(0, 2)
  lines.forEach((text, i) => {
    line(text, 110 + i * px * 1.25, px, 650, theme.text)
  })

  const { instance, value } = card.sides[card.sides.length - 1]!
  const horizon = Math.max(...card.sides.map(extentOf))
  const most = (height - TOP - FOOT) / card.sides.length - NAME - GAP
  // A few rows are centred in their space.
  const each = Math.min(most, Math.max(...card.sides.map(side => heightOf(side, most))))
  let y = TOP + ((most - each) * card.sides.length) / 2
  card.sides.forEach((side, i) => {
    const last = i === card.sides.length - 1
    drawSide(p, side, value, y, each, horizon, last ? card : null)
    y += NAME + each + GAP
  })

  const gpus = instance.nodes.reduce((sum, node) => sum + node.gpus, 0)
  const subject = `${plural(instance.jobs.length, 'job')} on ${plural(gpus, 'GPU')}`
  line(card.gain ? `${subject}. ${card.proof}` : subject, height - 36, 18, 400, theme.dim)
  setFont(p, 18, 650)
  ctx.textAlign = 'right'
  ctx.fillStyle = theme.accent
  ctx.fillText('JigSaw', width - EDGE, height - 36)
}

/** Times are in a unit suitable for `like`. */
function drawSide(
  p: Pen,
  side: Side,
  like: number | null,
  y: number,
  height: number,
  horizon: number,
  card: Card | null,
): void {
  const { ctx, theme } = p
  const { instance, label, note = '', value } = side
  const width = CARD.width - 2 * EDGE
  const text = (v: number | null) => objectiveValue(v, instance.objective, instance.tick_us, like)
  setFont(p, 17, 600)
  ctx.textAlign = 'left'
  ctx.fillStyle = theme.text
  const name = `${short(label)}: ${text(value)}`
  ctx.fillText(name, EDGE, y + NAME - 10)
  const end = EDGE + textWidth(p, name)
  setFont(p, 15)
  ctx.fillStyle = theme.dim
  ctx.fillText(note, end + 14, y + NAME - 10)
  const taken = end + (note ? 14 + textWidth(p, note) : 0)
  ctx.save()
  ctx.translate(EDGE, y + NAME)
  sketch(p, side, width, height, horizon)
  ctx.restore()
  if (instance.objective !== 'makespan' || instance.periodic || value === null) return
  const rule = (t: number, dash: number[], colour: string) => {
    const x = EDGE + (width * t) / horizon
    ctx.strokeStyle = colour
    ctx.lineWidth = 2
    ctx.setLineDash(dash)
    ctx.beginPath()
    ctx.moveTo(x, y + NAME - 6)
    ctx.lineTo(x, y + NAME + height + 4)
    ctx.stroke()
    ctx.setLineDash([])
    return x
  }
  rule(value, [], theme.text)
  if (!card || card.bound === null) return
  const x = rule(card.bound, [7, 5], theme.accent)
  const bound = `${card.certified ? 'Certified bound' : 'Bound'}: ${text(card.bound)}`
  setFont(p, 17, 600)
  const wide = textWidth(p, bound)
  // Before its line, or where there is space beside the name.
  const left = Math.max(x - wide - 8, taken + 24)
  if (left + wide > CARD.width - EDGE) return
  ctx.textBaseline = 'alphabetic'
  ctx.textAlign = 'left'
  ctx.fillStyle = theme.accent
  ctx.fillText(bound, left, y + NAME - 10)
}

/** The text broken into lines that fit, in the current font. */
function wrap(p: Pen, text: string, width: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && textWidth(p, `${last} ${word}`) <= width) lines[lines.length - 1] += ` ${word}`
    else lines.push(word)
  }
  return lines
}
