import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { fixture, random } from '../../test/fixture'
import { drawBase } from './draw'
import { layout } from './layout'
import { NARROW } from './level'
import { buildModel } from './model'
import { drawOverlay } from './overlay'
import { LIGHT, paintsOf } from './palette'
import { newPen } from './pen'
import { type Scene, xOf } from './scene'

/** A canvas context that writes down what is filled, and takes everything else. */
function recorder() {
  const rects: { fill: string; x: number; y: number; w: number; h: number }[] = []
  const state: Record<string, unknown> = { fillStyle: '' }
  const ctx = new Proxy(state, {
    get(target, key: string) {
      if (key === 'fillRect')
        return (x: number, y: number, w: number, h: number) =>
          rects.push({ fill: String(target.fillStyle), x, y, w, h })
      if (key === 'measureText') return (text: string) => ({ width: 6 * text.length })
      if (key === 'createPattern') return () => ({ setTransform() {} })
      return key in target ? target[key] : () => {}
    },
  })
  return { ctx: ctx as unknown as CanvasRenderingContext2D, rects }
}

beforeEach(() => {
  class Path {
    rect() {}
    moveTo() {}
    lineTo() {}
    arc() {}
  }
  vi.stubGlobal('Path2D', Path)
  vi.stubGlobal('DOMMatrix', class {})
  vi.stubGlobal('document', { createElement: () => ({ getContext: () => recorder().ctx }) })
})
afterEach(() => vi.unstubAllGlobals())

describe('drawing', () => {
  const { instance, result } = fixture({ racks: 2, nodes: 4, gpus: 8, jobs: 30, tasks: 2400, seed: 3 })
  const model = buildModel(instance, result.schedule!)
  const scene = (more: Partial<Scene>): Scene => ({
    model,
    layout: layout(model, { width: 1000, maxGpus: 5000, maxLinks: 5000, rowHeight: 12, overview: true }),
    range: { from: 0, to: model.span },
    horizon: model.span,
    scroll: { gpus: 0, links: 0 },
    theme: LIGHT,
    usage: result.usage,
    bound: result.dual,
    certified: true,
    chain: result.chain,
    pattern: false,
    selection: null,
    ...more,
  })

  it('has a box in its colour for every visible task of a pixel or more', () => {
    const next = random(9)
    const paints = paintsOf(LIGHT)
    for (let n = 0; n < 12; n++) {
      const from = next() * model.span * 0.8
      const s = scene({
        range: { from, to: from + model.span * (0.02 + 0.2 * next()) },
        selection: n % 3 ? null : { job: 2, iteration: n % 2, gpu: null },
      })
      const { ctx, rects } = recorder()
      drawBase(newPen(ctx, 1 + (n % 2), LIGHT, 'sans-serif'), s)
      const byRow = new Map<number, typeof rects>()
      for (const r of rects) byRow.set(Math.round(r.y), [...(byRow.get(Math.round(r.y)) ?? []), r])
      let tried = 0
      const lost: number[] = []
      for (let row = 0; row < model.gpus.length; row++) {
        const drawn = byRow.get(Math.round(s.layout.gpus.top + s.layout.gpus.y[row]!)) ?? []
        for (let b = model.tasks.first[row]!; b < model.tasks.first[row + 1]!; b++) {
          const left = Math.max(xOf(s, model.tasks.from[b]!), s.layout.plotLeft)
          const right = Math.min(xOf(s, model.tasks.to[b]!), s.layout.plotLeft + s.layout.plotWidth)
          if (right - left < NARROW) continue
          tried++
          const fill = paints[model.taskPaint[model.tasks.item[b]!]!]!.fill
          const covers = (r: (typeof rects)[number]) =>
            r.fill === fill && r.x <= left + 1 && r.x + r.w >= right - 2 && r.h > 0
          if (!drawn.some(covers)) lost.push(b)
        }
      }
      expect(tried).toBeGreaterThan(100)
      expect(lost).toEqual([])
    }
  })

  it('does not fail on empty and odd plans', () => {
    const none = {
      job: new Int32Array(),
      iteration: new Int32Array(),
      start: new Float64Array(),
      end: new Float64Array(),
    }
    const empty = {
      period: 0,
      residency: instance.jobs.map(() => []),
      spans: instance.jobs.map(() => ({ parties: 1, slowest: 0, links: [] })),
      tasks: { ...none, gpu: new Int32Array(), depth: new Int32Array() },
      syncs: { ...none, rate: new Int32Array() },
    }
    for (const m of [buildModel(instance, empty), buildModel({ ...instance, racks: [], links: [] }, empty)]) {
      const s = scene({
        model: m,
        layout: layout(m, { width: 300, maxGpus: 100, maxLinks: 50, rowHeight: 0, overview: true }),
        range: { from: 0, to: 1 },
        horizon: 1,
        chain: [],
        pattern: false,
      })
      const { ctx } = recorder()
      expect(() => {
        drawBase(newPen(ctx, 1, LIGHT, 'serif'), s)
        drawOverlay(newPen(ctx, 1, LIGHT, 'serif'), s, { x: 150, hover: null })
      }).not.toThrow()
    }
  })

  it('draws the chain without failing, wherever one looks', () => {
    for (const gpus of [0, 200, 600]) {
      const s = scene({ scroll: { gpus, links: 40 }, selection: { job: 1, iteration: 1, gpu: null } })
      const { ctx } = recorder()
      expect(() =>
        drawOverlay(newPen(ctx, 2, LIGHT, 'serif'), s, { x: 400, hover: { kind: 'sync', index: 0 } }),
      ).not.toThrow()
    }
  })
})
