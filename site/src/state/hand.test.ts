import { describe, expect, it } from 'vitest'
import { compiled, FakeEngine, schedule } from '../../test/fake'
import type { Schedule } from '../engine/api'
import { Hand, moved, snapped } from './hand'

/** Two iterations of one job on GPUs 0 and 1 with their syncs, and a task of another job on GPU 0. */
const plan = (): Schedule => ({
  ...schedule(),
  residency: [[0, 1], [0]],
  tasks: {
    job: Int32Array.of(0, 0, 0, 0, 1),
    iteration: Int32Array.of(1, 1, 2, 2, 1),
    gpu: Int32Array.of(0, 1, 0, 1, 0),
    depth: new Int32Array(5),
    start: Float64Array.of(0, 0, 14, 14, 30),
    end: Float64Array.of(10, 10, 24, 24, 40),
  },
  syncs: {
    job: Int32Array.of(0, 0),
    iteration: Int32Array.of(1, 2),
    rate: Int32Array.of(1, 1),
    start: Float64Array.of(10, 24),
    end: Float64Array.of(14, 28),
  },
})
const at = { by: 0, reach: 0, whole: false, done: true }

describe('a move by hand', () => {
  it('moves a task alone, or with its iteration, and nothing before 0', () => {
    expect([...moved(plan(), 2, 5, false).tasks.start]).toEqual([0, 0, 19, 14, 30])
    const whole = moved(plan(), 2, -20, true)
    expect([...whole.tasks.start]).toEqual([0, 0, 0, 0, 30])
    expect([...whole.tasks.end]).toEqual([10, 10, 10, 10, 40])
    expect([...whole.syncs.start]).toEqual([10, 10])
  })

  it('stops where the task fits', () => {
    expect(snapped(plan(), 4, -5, 2)).toBe(-6) // where the GPU is free
    expect(snapped(plan(), 4, -5, 1)).toBe(-5)
    expect(snapped(plan(), 2, 1, 2)).toBe(0) // the sync of the iteration before
  })

  it('asks the checker about the latest, and can be undone', async () => {
    const asked: number[] = []
    const engine = new FakeEngine({
      judge: ({ schedule }: { schedule: Schedule }) => {
        asked.push(schedule.tasks.start[4]!)
        return { violations: [], value: schedule.tasks.end[4] }
      },
    })
    const hand = new Hand(engine)
    hand.begin('', compiled('x'), plan())
    // A drag: from where it was when it began.
    for (const by of [-1, -2, -3]) hand.move(4, { ...at, by, done: false })
    hand.move(4, { ...at, by: -4 })
    await expect.poll(() => hand.plan.value?.verdict?.value).toBe(36)
    expect(hand.plan.value?.moves).toBe(1)
    expect(asked).toEqual([30, 26])
    hand.undo()
    await expect.poll(() => hand.plan.value?.verdict?.value).toBe(40)
    expect(hand.plan.value?.moves).toBe(0)
    hand.end()
    hand.move(4, { ...at, by: 1 })
    expect(hand.plan.value).toBe(null)
  })
})
