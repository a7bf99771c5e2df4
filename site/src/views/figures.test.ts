import { describe, expect, it } from 'vitest'
import { longPlan } from '../../test/fake'
import { fixture } from '../../test/fixture'
import { busiestLink, completions, fullestMemory, waysOf } from './figures'

const { instance, result } = fixture()

describe('figures', () => {
  it('put the ways to schedule in order', () => {
    const ways = waysOf(result, 5, 4)
    expect(ways.map(w => w.key)).toEqual([
      'queue',
      'exclusive',
      'interleaved_full',
      'greedy',
      'plan',
      'bound',
    ])
    expect(ways.map(w => w.value).slice(4)).toEqual([5, 4])
    expect(waysOf(null, 5, null).map(w => w.value)).toEqual([null, null, null, null, 5, null])
  })
  it('leave out greedy of a plan in blocks alone, so that no row comes and goes', () => {
    const none = { value: null, efficiency: null, reason: '' }
    const stopped = { ...result, baselines: { ...result.baselines, greedy: none } }
    const keys = (of: typeof result) => waysOf(of, 5, 4).map(w => w.key)
    expect(keys(stopped)).toContain('greedy')
    expect(keys({ ...stopped, long: longPlan() })).not.toContain('greedy')
  })
  it('sum up completions', () => {
    const all = completions(instance, result)!
    expect(all.makespan).toBe(Math.max(...result.completion))
    expect(all.weighted).toBe(result.completion.reduce((a, b) => a + b, 0))
    expect(completions({ ...instance, periodic: true }, result)).toBeNull()
  })
  it('find what is used most', () => {
    const usage = { ...result.usage!, link_share: Float64Array.of(0.1, 0.9, 0.2, 0, 0, 0) }
    expect(busiestLink(instance, usage)).toEqual({ name: instance.links[1]!.name, share: 0.9 })
    const memory = new Float64Array(8).fill(2 ** 30)
    memory[5] = 24 * 2 ** 30
    expect(fullestMemory(instance, { ...usage, gpu_memory: memory })?.share).toBe(0.75)
  })
})
