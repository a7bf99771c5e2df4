import { describe, expect, it } from 'vitest'
import { halfSeen, plans, sceneOf } from '../../test/plans'
import { buildModel } from './model'
import { turn, type Wheel } from './wheel'

const model = buildModel(plans.rack.instance, plans.rack.result.schedule!)

describe('the wheel', () => {
  const still = { deltaX: 0, deltaY: 0, deltaMode: 0 }
  const none = { ...still, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false }
  const turned = (e: Partial<Wheel>, x = 0, y = 5) => {
    const { moves, scene } = halfSeen(model)
    const { plotLeft, gpus } = scene.layout
    const own = turn(moves, { ...none, ...e }, { x: plotLeft + x, y: gpus.top + y })
    return { own, scene }
  }
  it('zooms around the pointer with Ctrl', () => {
    const { own, scene } = turned({ ctrlKey: true, deltaY: -100 })
    expect(own).toBe(true)
    expect(scene.range.from).toBeCloseTo(model.span / 4)
    expect(scene.range.to).toBeLessThan((3 * model.span) / 4)
  })
  it('scrolls rows, and leaves the page to scroll at their end', () => {
    expect(turned({ deltaY: 30 })).toMatchObject({ own: true, scene: { scroll: { gpus: 30 } } })
    expect(turned({ deltaY: 2, deltaMode: 1 }).scene.scroll.gpus).toBe(32)
    expect(turned({ deltaY: -30 }).own).toBe(false)
    expect(turned({ deltaY: 30 }, 0, -10).own).toBe(false)
  })
  it('moves sideways with Shift, or where it turns sideways, and makes rows higher with Alt', () => {
    expect(turned({ deltaY: 30, shiftKey: true }).scene.range.from).toBeGreaterThan(model.span / 4)
    expect(turned({ deltaX: -30, deltaY: 5 }).scene.range.from).toBeLessThan(model.span / 4)
    const { scene } = turned({ deltaY: -100, altKey: true })
    expect(scene.layout.gpus.rowHeight).toBeGreaterThan(sceneOf(model).layout.gpus.rowHeight)
  })
})
