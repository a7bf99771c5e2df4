import { describe, expect, it } from 'vitest'
import { fixture } from '../../test/fixture'
import type { ChainLink } from '../engine/api'
import { opening, passages, shares } from './story'

const plain = (text: string) => text.replaceAll('\u00a0', ' ')
const { instance, result } = fixture()

describe('the story of a chain', () => {
  const schedule = result.schedule!
  it('loses no link and is in order', () => {
    for (const plan of [
      fixture(),
      fixture({ jobs: 2, tasks: 60, seed: 4 }),
      fixture({ racks: 2, nodes: 4, gpus: 8, jobs: 30, tasks: 2400, seed: 3 }),
    ]) {
      const { chain } = plan.result
      const parts = passages(plan.instance, plan.result.schedule!, chain)
      expect(parts.flatMap(p => p.links)).toEqual(chain)
      for (let i = 1; i < parts.length; i++) expect(parts[i]!.to).toBeLessThanOrEqual(parts[i - 1]!.from)
    }
  })
  it('takes iterations of one job together, and tasks of one GPU', () => {
    const link = (kind: 'task' | 'sync', index: number, because: ChainLink['because']): ChainLink => ({
      kind,
      index,
      because,
      text: '',
    })
    const of = (job: number, iteration: number, gpu: number) =>
      schedule.tasks.job.findIndex(
        (j, i) =>
          j === job &&
          schedule.tasks.iteration[i] === iteration &&
          (gpu < 0 || schedule.tasks.gpu[i] === gpu),
      )
    const sync = schedule.syncs.job.findIndex((j, i) => j === 0 && schedule.syncs.iteration[i] === 2)
    const parts = passages(instance, schedule, [
      link('task', of(0, 3, 0), 'sync_before'),
      link('sync', sync, 'task_of_iteration'),
      link('task', of(0, 2, 0), 'task_before'),
      link('task', of(4, 1, 0), 'task_before'),
      link('task', of(3, 1, 0), 'task_before'),
      link('task', of(2, 1, 0), 'start'),
    ])
    expect(parts.map(p => p.what)).toEqual([
      'vgg160, iterations 2 to 3, one after the other',
      'n0.gpu0 runs task after task: alexnet4 ×1, gnmt3 ×1, inception_v32 ×1',
    ])
    expect(parts.map(p => p.because)).toEqual(['its GPU was busy before', 'the plan begins then'])
  })
  it('says where the time went', () => {
    const parts = shares(schedule, result.chain)!
    expect(parts.tasks + parts.syncs + parts.waits).toBeCloseTo(1)
    expect(shares(schedule, [])).toBeNull()
    expect(plain(opening(schedule, result.chain, 4))).toContain('36 steps, through 3 other jobs')
  })
})
