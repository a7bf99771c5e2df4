// The strip below: how busy the cluster is over the whole time, and which part is visible.

import { fold } from './fold'
import type { Model } from './model'
import { type Pen, setFont, snap } from './pen'
import type { Scene } from './scene'

/** The share of GPUs with rows that are busy, for each of width pixels over the horizon. */
export function occupancy(m: Model, horizon: number, width: number): Float32Array {
  return shares(m, horizon, width, 1, gpu => (m.rowOf[gpu]! < 0 ? -1 : 0))
}

/** The same by group of GPUs, group after group: of(gpu) is the GPU's group, or negative for none. */
export function shares(
  m: Pick<Model, 'schedule' | 'nodeOf' | 'period'>,
  horizon: number,
  width: number,
  groups: number,
  of: (gpu: number) => number,
): Float32Array {
  const n = Math.max(Math.ceil(width), 1)
  // Parts of pixels, and whole pixels as differences.
  const part = new Float64Array((n + 1) * groups)
  const whole = new Float64Array((n + 1) * groups)
  const size = new Int32Array(groups)
  m.nodeOf.forEach((_, gpu) => {
    if (of(gpu) >= 0) size[of(gpu)]!++
  })
  const perTick = n / horizon
  const { tasks } = m.schedule
  for (let i = 0; i < tasks.start.length; i++) {
    const group = of(tasks.gpu[i]!)
    if (group < 0) continue
    const at = group * (n + 1)
    fold(tasks.start[i]!, tasks.end[i]!, m.period, piece => {
      const x0 = Math.max(piece.from * perTick, 0)
      const x1 = Math.min(piece.to * perTick, n)
      const a = at + Math.floor(x0)
      const b = at + Math.floor(x1)
      if (x1 <= x0) return
      if (a === b) part[a]! += x1 - x0
      else {
        part[a]! += a + 1 - at - x0
        part[b]! += x1 - (b - at)
        whole[a + 1]! += 1
        whole[b]! -= 1
      }
    })
  }
  const out = new Float32Array(n * groups)
  for (let g = 0; g < groups; g++) {
    let running = 0
    for (let c = 0; c < n; c++) {
      const at = g * (n + 1) + c
      running += whole[at]!
      out[g * n + c] = (running + part[at]!) / Math.max(size[g]!, 1)
    }
  }
  return out
}

const known = new WeakMap<Model, { key: string; busy: Float32Array }>()

export function drawOverview(p: Pen, s: Scene): void {
  const { ctx } = p
  const { plotLeft, plotWidth, overviewTop, overviewHeight } = s.layout
  const key = `${s.horizon}|${Math.ceil(plotWidth)}`
  let kept = known.get(s.model)
  if (kept?.key !== key) {
    kept = { key, busy: occupancy(s.model, s.horizon, plotWidth) }
    known.set(s.model, kept)
  }
  ctx.fillStyle = p.theme.track
  ctx.fillRect(plotLeft, overviewTop, plotWidth, overviewHeight)
  ctx.fillStyle = p.theme.dim
  ctx.globalAlpha = 0.55
  ctx.beginPath()
  ctx.moveTo(plotLeft, overviewTop + overviewHeight)
  kept.busy.forEach((share, c) => {
    ctx.lineTo(plotLeft + c + 0.5, overviewTop + overviewHeight * (1 - share))
  })
  ctx.lineTo(plotLeft + plotWidth, overviewTop + overviewHeight)
  ctx.fill()
  const [x0, x1] = overviewWindow(s)
  ctx.globalAlpha = 0.6
  ctx.fillStyle = p.theme.page
  ctx.fillRect(plotLeft, overviewTop, x0 - plotLeft, overviewHeight)
  ctx.fillRect(x1, overviewTop, plotLeft + plotWidth - x1, overviewHeight)
  ctx.globalAlpha = 1
  ctx.strokeStyle = p.theme.accent
  ctx.lineWidth = 1
  ctx.strokeRect(snap(p, x0) + 0.5, overviewTop + 0.5, Math.max(snap(p, x1 - x0) - 1, 2), overviewHeight - 1)
  ctx.fillStyle = p.theme.accent
  for (const x of [x0, x1 - 3]) ctx.fillRect(snap(p, x), overviewTop + overviewHeight / 2 - 6, 3, 12)
  ctx.fillStyle = p.theme.dim
  ctx.textAlign = 'left'
  ctx.textBaseline = 'middle'
  setFont(p, 10)
  ctx.fillText('GPUs busy', s.layout.left, overviewTop + overviewHeight / 2)
}

/** The edges, in pixels, of the visible range in the overview. */
function overviewWindow(s: Scene): [number, number] {
  const { plotLeft, plotWidth } = s.layout
  return [plotLeft + (s.range.from / s.horizon) * plotWidth, plotLeft + (s.range.to / s.horizon) * plotWidth]
}

export type Grip = 'left' | 'right' | 'window' | 'outside'

/** What a pointer grabs there. */
export function grip(s: Scene, x: number): Grip {
  const [x0, x1] = overviewWindow(s)
  const near = 7
  if (Math.abs(x - x0) <= near && x1 - x0 > near) return 'left'
  if (Math.abs(x - x1) <= near) return 'right'
  return x > x0 && x < x1 ? 'window' : 'outside'
}
