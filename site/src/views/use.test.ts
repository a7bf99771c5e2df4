import { describe, expect, it } from 'vitest'
import { fixture } from '../../test/fixture'
import { efficiencyOf, useOf, volume } from './use'

describe('use', () => {
  const { instance, result } = fixture()
  const schedule = result.schedule!

  it('is busy time by GPU', () => {
    const use = useOf(instance, schedule)
    use.gpu_share.forEach((share, g) => {
      expect(share).toBeCloseTo(result.usage!.gpu_share[g]!)
    })
    expect(use.mean_gpu).toBeCloseTo(result.usage!.mean_gpu)
    expect(useOf(instance, schedule)).toBe(use)
  })
  it('is what lives on a GPU and the largest task there', () => {
    const gib = 2 ** 30
    const { gpu_memory } = useOf(instance, schedule)
    schedule.residency.forEach((gpus, j) => {
      for (const g of gpus) expect(gpu_memory[g]! / gib, `job ${j}`).toBeGreaterThanOrEqual(3)
    })
    const jobsOn = (g: number) => schedule.residency.filter(gpus => gpus.includes(g)).length
    // Each job keeps 2 GiB, and its deepest task takes 4.
    expect(gpu_memory[0]! / gib).toBe(2 * jobsOn(0) + 4)
  })
  it('holds in memory only what runs, where jobs queue', () => {
    const { tasks, residency } = schedule
    const on = (gpu: number) => residency.flatMap((gpus, j) => (gpus.includes(gpu) ? [j] : []))
    const gpu = residency.flat().find(g => on(g).length > 1)!
    const late = on(gpu).at(-1)!
    const end = Math.max(...tasks.end, ...schedule.syncs.end)
    const later = (list: Float64Array, of: Int32Array) => list.map((t, i) => (of[i] === late ? t + end : t))
    const moved = <T extends { job: Int32Array; start: Float64Array; end: Float64Array }>(rows: T): T => ({
      ...rows,
      start: later(rows.start, rows.job),
      end: later(rows.end, rows.job),
    })
    const apart = { ...schedule, tasks: moved(tasks), syncs: moved(schedule.syncs) }
    const gib = (queues: boolean) => useOf({ ...instance, queues }, apart).gpu_memory[gpu]! / 2 ** 30
    expect(gib(false) - gib(true)).toBe(2)
  })
  it('counts full work', () => {
    const plain = { ...schedule, tasks: { ...schedule.tasks, depth: schedule.tasks.depth.map(() => 3) } }
    // At full depth every task would last longer than it does here.
    expect(efficiencyOf(instance, plain)).toBeCloseTo(efficiencyOf(instance, schedule))
    expect(efficiencyOf(instance, schedule)).toBeGreaterThan(useOf(instance, schedule).mean_gpu)
  })
  it('of nothing is nothing', () => {
    const none = new Int32Array()
    const no = new Float64Array()
    const empty = {
      period: 0,
      residency: instance.jobs.map(() => []),
      spans: schedule.spans,
      tasks: { job: none, iteration: none, gpu: none, depth: none, start: no, end: no },
      syncs: { job: none, iteration: none, rate: none, start: no, end: no },
    }
    expect(useOf(instance, empty).mean_gpu).toBe(0)
    expect(efficiencyOf(instance, empty)).toBe(0)
  })
})

describe('volume', () => {
  const job = { ...fixture().instance.jobs[0]!, segment_bytes: [10, 20, 70] }
  it.each([
    // Full depth everywhere: the ring all-reduce, 2 (q - 1) / q of all bytes.
    [[0, 0, 4], 4, 150],
    [[0, 0, 2], 2, 100],
    // One contributor has nothing to reduce: broadcasts only.
    [[0, 0, 1], 2, 50],
    // The deepest segment has one contributor of two, the others two.
    [[0, 1, 1], 2, 10 + 20 + 35],
    [[0, 0, 3], 1, 0],
  ])('of %j among %d parties is %d', (counts, parties, want) => {
    expect(volume(job, counts, parties)).toBeCloseTo(want)
  })

  it('counts what sharded jobs reduce and gather', () => {
    expect(volume({ ...job, reductions: 4, gathers: 8 }, [0, 1, 1], 2)).toBeCloseTo(
      4 * (10 / 2 + 20 / 2) + 8 * 50,
    )
  })
})
