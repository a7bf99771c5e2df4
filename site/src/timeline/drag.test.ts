import { describe, expect, it } from 'vitest'
import { halfSeen, plans, sceneOf } from '../../test/plans'
import { dragTo, startDrag } from './drag'
import type { Moves } from './gestures'
import { buildModel } from './model'
import { xOf } from './scene'

const model = buildModel(plans.rack.instance, plans.rack.result.schedule!)

/** Drags from a place by so many pixels. */
function drag(moves: Moves, x: number, y: number, dx: number, dy = 0): void {
  const begun = startDrag(moves, 1, { x, y })
  dragTo(moves, begun, { x: x + dx / 2, y: y + dy / 2 })
  dragTo(moves, begun, { x: x + dx, y: y + dy })
}

describe('a drag', () => {
  const perPx = model.span / sceneOf(model).layout.plotWidth
  it('takes what is seen along, in both directions', () => {
    const { moves, scene } = halfSeen(model)
    const { plotLeft, gpus } = scene.layout
    drag(moves, plotLeft + 200, gpus.top + 100, 50, -40)
    expect(scene.range.from).toBeCloseTo(model.span / 4 - (50 * perPx) / 2)
    expect(scene.range.to - scene.range.from).toBeCloseTo(model.span / 2)
    expect(scene.scroll).toEqual({ gpus: 40, links: 0 })
  })
  it('of the window in the overview moves it, of a side that side, and beside it brings it there', () => {
    const leads = (part: number, dx: number, from: number, to: number) => {
      const { moves, scene } = halfSeen(model)
      const { plotLeft, plotWidth, overviewTop } = scene.layout
      drag(moves, plotLeft + part * plotWidth, overviewTop + 3, dx)
      expect(scene.range.from / model.span).toBeCloseTo(from)
      expect(scene.range.to / model.span).toBeCloseTo(to)
    }
    const by = 50 / sceneOf(model).layout.plotWidth
    leads(0.5, 50, 0.25 + by, 0.75 + by)
    leads(0.25, 50, 0.25 + by, 0.75)
    leads(0.75, 50, 0.25, 0.75 + by)
    leads(0.05, 0, 0, 0.5)
  })
  it('takes a task along only where tasks can be moved', () => {
    const { scene } = halfSeen(model)
    const bar = [...model.tasks.from.keys()].find(b => {
      const middle = (model.tasks.from[b]! + model.tasks.to[b]!) / 2
      return b < model.tasks.first[1]! && middle > scene.range.from && middle < scene.range.to
    })!
    const at = {
      x: xOf(scene, (model.tasks.from[bar]! + model.tasks.to[bar]!) / 2),
      y: scene.layout.gpus.top + scene.layout.gpus.y[0]! + 2,
    }
    expect(startDrag(halfSeen(model, true).moves, 1, at).task).toBe(model.tasks.item[bar])
    expect(startDrag(halfSeen(model).moves, 1, at).task).toBe(-1)
  })
})
