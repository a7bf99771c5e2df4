import { describe, expect, it } from 'vitest'
import { fixture, profileOf } from '../../test/fixture'
import { cutsOf, profilesOf, ruleWords, saving, seriesOf, usedDepths } from './savings'

const plain = (text: string) => text.replaceAll('\u00a0', ' ')
const { instance, result } = fixture()

describe('partial backpropagation', () => {
  const job = instance.jobs[0]!
  it('adds up what is synchronised', () => {
    const series = seriesOf(instance, job)
    expect(series.map(s => s.name)).toEqual([
      'Time of a task',
      'Memory while it runs',
      'Gradients synchronised',
    ])
    expect(series[2]!.values).toEqual([4e6, 13e6, 53e6, 173e6])
    expect(saving(series[2]!.values, 0)).toBeCloseTo(1 - 4 / 173)
    expect(saving(series[2]!.values, 3)).toBe(0)
  })
  it('has a rule in words', () => {
    expect(plain(ruleWords(job))).toBe(
      'Any depths with at least 1 worker at full depth, and 50 % of the backward pass on average.',
    )
    expect(plain(ruleWords({ ...job, rule: { fixed: [1, 0, 0, 3], min_full: 1, min_share: 0 } }))).toBe(
      'In every iteration: 1 worker at 25 %, 3 workers at full.',
    )
    expect(ruleWords({ ...job, rule: { fixed: [0, 0, 0, 4], min_full: 1, min_share: 0 } })).toBe(
      'Every worker runs the full backward pass.',
    )
  })
  it('counts the depths that a plan uses', () => {
    const used = usedDepths(result.schedule, 0, job.depths.length)!
    expect(used.reduce((a, b) => a + b, 0)).toBeCloseTo(1)
    expect(usedDepths(null, 0, 4)).toBeNull()
  })
  it('finds the cuts among the layers', () => {
    expect(cutsOf(job, 20)).toEqual([15, 10, 5, 0])
    const mine = profileOf('vgg16')
    expect(profilesOf(instance, job, [mine, profileOf('gnmt'), { ...mine, gpu: 'k80' }])).toEqual([mine])
  })
})
