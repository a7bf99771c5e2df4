import { describe, expect, it } from 'vitest'
import { fixture, makespanOf } from './fixture'

describe('fixtures', () => {
  it('run no two tasks on a GPU at once', () => {
    for (const plan of [fixture(), fixture({ periodic: true, tasks: 120, seed: 5 })]) {
      const s = plan.result.schedule!
      const byGpu = new Map<number, number[]>()
      for (const [i, g] of s.tasks.gpu.entries()) byGpu.set(g, [...(byGpu.get(g) ?? []), i])
      for (const list of byGpu.values()) {
        list.sort((a, b) => s.tasks.start[a]! - s.tasks.start[b]!)
        for (let i = 1; i < list.length; i++)
          expect(s.tasks.start[list[i]!]!).toBeGreaterThanOrEqual(s.tasks.end[list[i - 1]!]!)
      }
      expect(makespanOf(s)).toBeGreaterThan(0)
    }
  })
})
