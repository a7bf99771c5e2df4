import { describe, expect, it } from 'vitest'
import { fixture } from '../../test/fixture'
import type { PlanResult } from '../engine/api'
import { candidates, labelOf, sameChange } from './candidates'

const plain = (text: string) => text.replaceAll('\u00a0', ' ')
const { instance, result } = fixture()

describe('what to ask about', () => {
  it('offers a GPU of the type that binds, and links that are busy or bind', () => {
    const links = (of: PlanResult) => candidates(instance, of).filter(c => c.change.kind === 'link_speed')
    const used = (share: number) => ({
      ...result,
      binding: result.binding.filter(b => b.resource === 'gpu'),
      usage: { ...result.usage!, link_share: result.usage!.link_share.map(() => share) },
    })
    expect(links(used(0.4))).toEqual([])
    expect(links(used(0.6)).length).toBeGreaterThan(0)
    expect(links({ ...used(0.1), binding: result.binding }).map(c => c.change.subject)).toEqual(['n0.up'])
    const list = candidates(instance, result)
    expect(list[0]).toEqual({ change: { kind: 'add_gpu', subject: 'n0' }, label: '+1 v100 in n0' })
    expect(list.filter(c => c.change.kind === 'link_speed').length).toBeGreaterThan(0)
    expect(list.length).toBeLessThan(8)
  })
  it('names every kind of change', () => {
    expect(plain(labelOf(instance, { kind: 'link_speed', subject: 'n0.up', factor: 1.1 }))).toBe(
      '+10 % on n0.up, now 25 Gbit/s',
    )
    expect(labelOf(instance, { kind: 'fail_gpu', subject: 'n0' })).toBe('a GPU of n0 fails')
    expect(labelOf(instance, { kind: 'network', subject: '', factor: 4 })).toBe('4 × the network')
    expect(labelOf(instance, { kind: 'cut_link', subject: 'n0.up' })).toBe('n0.up cut')
    expect(plain(labelOf(instance, { kind: 'memory', subject: 'v100', factor: 0.5 }))).toBe(
      '−50 % memory on every v100, now 32.0 GiB',
    )
    expect(labelOf(instance, { kind: 'drop_job', subject: 'x' })).toBe('without x')
  })
  it('knows the same question', () => {
    expect(sameChange({ kind: 'add_gpu', subject: 'a' }, { kind: 'add_gpu', subject: 'a', factor: 1 })).toBe(
      true,
    )
    expect(
      sameChange(
        { kind: 'link_speed', subject: 'a', factor: 1.1 },
        { kind: 'link_speed', subject: 'a', factor: 2 },
      ),
    ).toBe(false)
  })
})
