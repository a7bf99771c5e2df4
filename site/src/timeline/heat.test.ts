import { describe, expect, it } from 'vitest'
import { fixture } from '../../test/fixture'
import { HEAT_TOP, heatOf, heatShares, rowOfHeat } from './heat'
import { buildModel } from './model'
import { occupancy } from './overview'

describe('heat', () => {
  const { instance, result } = fixture({ racks: 4, nodes: 16, gpus: 8, jobs: 60, tasks: 4000, seed: 4 })
  const schedule = result.schedule!

  it('has a row for each node, whose mean is the occupancy of all', () => {
    const heat = heatOf(instance, schedule)
    expect(heat.rows.map(row => row.length)).toEqual(new Array(64).fill(1))
    const width = 200
    const busy = heatShares(instance, schedule, heat, width)
    const all = occupancy(buildModel(instance, schedule), heat.horizon, width)
    for (let c = 0; c < width; c++) {
      let sum = 0
      for (let row = 0; row < 64; row++) sum += busy[row * width + c]!
      expect(sum / 64).toBeCloseTo(all[c]!, 4)
    }
    // The busy time of one node, from its tasks.
    let time = 0
    for (let i = 0; i < schedule.tasks.gpu.length; i++)
      if (Math.floor(schedule.tasks.gpu[i]! / 8) === 5)
        time += schedule.tasks.end[i]! - schedule.tasks.start[i]!
    const row = busy.slice(5 * width, 6 * width).reduce((a, b) => a + b, 0)
    expect((row / width) * heat.horizon * 8).toBeCloseTo(time, 0)
    expect(rowOfHeat(heat, HEAT_TOP + 5.5 * heat.rowHeight)).toBe(5)
    expect(rowOfHeat(heat, 3)).toBe(-1)
  })
  it('joins nodes where there are too many for rows of their own', () => {
    const big = fixture({ racks: 20, nodes: 20, gpus: 2, jobs: 5, tasks: 100, seed: 1 })
    const heat = heatOf(big.instance, big.result.schedule!)
    expect(heat.rows.length).toBeLessThanOrEqual(160)
    expect(heat.rows.flat()).toHaveLength(400)
  })
  it('leaves rows of GPUs to the nodes that are asked for', () => {
    const some = buildModel(instance, schedule, [3, 9])
    const all = buildModel(instance, schedule)
    expect([...some.gpus]).toEqual([24, 25, 26, 27, 28, 29, 30, 31, 72, 73, 74, 75, 76, 77, 78, 79])
    const tasks = (gpu: number) => schedule.tasks.gpu.filter(g => g === gpu).length
    expect(some.tasks.first[1]! - some.tasks.first[0]!).toBe(tasks(24))
    expect(some.span).toBe(all.span)
    expect(some.links.length).toBeLessThan(all.links.length)
  })
})
