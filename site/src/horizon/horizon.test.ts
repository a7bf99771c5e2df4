import { describe, expect, it } from 'vitest'
import { instanceOf } from '../../test/fixture'
import type { Block, LongPlan } from '../engine/api'
import { bandsOf } from './bands'
import { blockOf, endOf, longEfficiency, longUse, membersOf, patternOf } from './block'

const instance = instanceOf({ racks: 1, nodes: 2, gpus: 4, jobs: 4, tasks: 40, seed: 1 })

/** Tasks of 10 ticks, one a job and GPU, and no synchronisation. */
function block(start: number, repeats: number, tasks: [job: number, gpu: number, start: number][]): Block {
  return {
    start,
    period: 30,
    repeats,
    tasks: {
      job: Int32Array.from(tasks, t => t[0]),
      iteration: Int32Array.from(tasks, () => 1),
      gpu: Int32Array.from(tasks, t => t[1]),
      depth: Int32Array.from(tasks, () => 3),
      start: Float64Array.from(tasks, t => t[2]),
      end: Float64Array.from(tasks, t => t[2] + 10),
    },
    syncs: {
      job: new Int32Array(),
      iteration: new Int32Array(),
      rate: new Int32Array(),
      start: new Float64Array(),
      end: new Float64Array(),
    },
  }
}

/** Jobs 0 and 1 share GPUs 0 to 3; then job 2 has 2 to 5 for itself; job 3 has 6 and 7 all the time. */
const plan: LongPlan = {
  residency: [
    [0, 1, 2],
    [1, 2, 3],
    [2, 3, 4, 5],
    [6, 7],
  ],
  admitted: Float64Array.of(0, 0, 3000, 0),
  start: Float64Array.of(0, 10, 3050, 0),
  end: Float64Array.of(2990, 3000, 3380, 2980),
  slowdown: Float64Array.of(1, 1, 1, 1),
  why: [],
  chain: [],
  blocks: [
    block(0, 100, [
      [0, 0, 0],
      [0, 1, 0],
      [0, 2, 0],
      [1, 1, 10],
      [1, 2, 10],
      [1, 3, 20],
    ]),
    block(3050, 11, [
      [2, 2, 0],
      [2, 3, 0],
      [2, 4, 10],
      [2, 5, 20],
    ]),
    block(0, 100, [
      [3, 6, 0],
      [3, 7, 0],
    ]),
  ],
  spans: [0, 1, 2, 3].map(() => ({ parties: 1, slowest: 1, links: [] })),
}

describe('bands', () => {
  const bands = bandsOf(instance, plan)
  const bars = (job: number) => bands.bars.filter(bar => bar.job === job)

  it('draw a job once for GPUs next to one another, and slices where jobs share', () => {
    expect(bands.bars.map(bar => bar.job).sort()).toEqual([0, 1, 2, 3])
    const [a] = bars(0)
    const [b] = bars(1)
    expect(a!.gpus).toBe(4)
    expect(b!.y).toBeCloseTo(a!.y + a!.height)
    expect(bars(2)[0]!.height).toBeGreaterThan(bars(3)[0]!.height)
  })
  it('never cover another job at the same time, and stay in their rows', () => {
    for (const p of bands.bars)
      for (const q of bands.bars) {
        if (p === q || plan.end[p.job]! <= plan.admitted[q.job]! || plan.end[q.job]! <= plan.admitted[p.job]!)
          continue
        expect(p.y + p.height <= q.y + 1e-6 || q.y + q.height <= p.y + 1e-6, `${p.job} ${q.job}`).toBe(true)
      }
    for (const bar of bands.bars) expect(bar.y + bar.height).toBeLessThanOrEqual(bands.height)
  })
  it('are of one node each where jobs share nodes', () => {
    const all = [0, 1, 2, 3, 4, 5, 6, 7]
    const both = { ...plan, residency: [all, all, [], []], admitted: new Float64Array(4) }
    const found = bandsOf(instance, both).bars.filter(bar => bar.job === 0)
    expect(found.map(bar => bar.gpus)).toEqual(instance.nodes.map(node => node.gpus))
  })
  it('keep apart jobs that are one after the other where a group spreads', () => {
    // Jobs 0 and 1 share GPU 1; job 2 follows job 0 on GPU 0 while job 1 is still there.
    const spread = {
      ...plan,
      residency: [[0, 1], [1], [0], []],
      admitted: Float64Array.of(0, 0, 10, 0),
      end: Float64Array.of(10, 20, 20, 0),
    }
    const found = bandsOf(instance, spread).bars
    const one = found.find(bar => bar.job === 1)!
    const two = found.find(bar => bar.job === 2)!
    expect(two.y + two.height <= one.y + 1e-6).toBe(true)
  })
  it('grow where many share, and are pressed where there is no room', () => {
    const crowd = Array.from({ length: 1000 }, () => [0, 1])
    const many = {
      ...plan,
      residency: crowd,
      admitted: new Float64Array(1000),
      start: new Float64Array(1000),
      end: new Float64Array(1000).fill(5),
    }
    const crowded = bandsOf(instance, many)
    expect(crowded.bars).toHaveLength(1000)
    expect(crowded.height).toBeLessThan(4000)
    expect(crowded.nodes[0]!.height).toBeGreaterThan(10 * crowded.nodes[1]!.height)
  })
})

describe('a block', () => {
  it('is a schedule of its own, with its jobs and nodes', () => {
    expect(patternOf(plan, plan.blocks[0]!).period).toBe(30)
    expect(patternOf(plan, { ...plan.blocks[0]!, repeats: 1 }).period).toBe(0)
    expect(membersOf(instance, plan, plan.blocks[1]!)).toEqual({ jobs: [2], nodes: [0, 1] })
    expect(endOf(plan.blocks[0]!)).toBe(99 * 30 + 30)
    expect(blockOf(plan, 2)).toBe(1)
    expect(blockOf({ ...plan, blocks: [] }, 2)).toBe(-1)
  })
  it('counts as often as it repeats, in what is used', () => {
    const use = longUse(instance, plan)
    expect(use.gpu_share[0]).toBeCloseTo((100 * 10) / 3380)
    expect(use.gpu_share[2]).toBeCloseTo((200 * 10 + 11 * 10) / 3380)
    const gib = 2 ** 30
    // Two jobs of 2 GiB at once on GPU 1, one after the other on 4; a task takes 4.
    expect(use.gpu_memory[1]! / gib).toBe(8)
    expect(use.gpu_memory[4]! / gib).toBe(6)
  })
  it('delivers the work of its iterations at full depth', () => {
    const jobs = instance.jobs.map((job, j) => ({ ...job, iterations: [100, 100, 11, 100][j]! }))
    const done = [3 * 100, 3 * 100, 4 * 11, 2 * 100]
    const work = jobs.reduce((sum, { on }, j) => sum + done[j]! * on[0]!.time.at(-1)!, 0)
    expect(longEfficiency({ ...instance, jobs }, plan)).toBeCloseTo(work / (8 * 3380))
    expect(longEfficiency(instance, { ...plan, end: new Float64Array(4) })).toBe(0)
  })
})
