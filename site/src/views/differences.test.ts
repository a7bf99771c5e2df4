import { describe, expect, it } from 'vitest'
import { fixture } from '../../test/fixture'
import { figures, jobs } from './differences'

const { instance, result } = fixture()

describe('differences', () => {
  const a = { label: 'A', instance, result }
  it('of a plan and itself are none', () => {
    for (const d of [...figures(a, a), ...jobs(a, a)]) {
      expect(d.a).toBe(d.b)
      expect(d.verdict?.verdict).toBe('same')
    }
  })
  it('know what a plan uses that was stopped before the core told', () => {
    const busy = (b: typeof a) => figures(a, b).find(d => d.name === 'GPUs busy')
    expect(busy({ ...a, result: { ...result, usage: null } })).toEqual(busy(a))
  })
  it('do not depend on the tick', () => {
    const b = {
      label: 'B',
      instance: { ...instance, tick_us: 100 },
      result: {
        ...result,
        primal: result.primal! * 10,
        dual: result.dual! * 10,
        completion: result.completion.map(c => c * 10),
      },
    }
    for (const d of [...figures(a, b), ...jobs(a, b)]) {
      expect(d.a, d.name).toBe(d.b)
      expect(d.verdict?.verdict, d.name).toBe('same')
    }
  })
  it('are for better or worse in the objective alone', () => {
    const b = {
      label: 'B',
      instance,
      result: {
        ...result,
        primal: result.primal! * 0.9,
        dual: result.dual! * 0.9,
        gap: result.gap! + 0.1,
        efficiency: result.efficiency! * 0.9,
        completion: result.completion.map(c => c * 1.1),
      },
    }
    const judged = (objective: typeof result.objective) => {
      const of = (side: typeof a) => ({ ...side, result: { ...side.result, objective } })
      return [...figures(of(a), of(b)), ...jobs(of(a), of(b))].flatMap(({ name, verdict }) =>
        verdict?.verdict === 'better' || verdict?.verdict === 'worse' ? [name] : [],
      )
    }
    expect(judged('makespan')).toEqual(['Makespan'])
    // Whose terms are the jobs' completions.
    expect(judged('weighted_completion')).toEqual([
      'Weighted completion',
      ...instance.jobs.map(job => job.name),
    ])
  })
  it('are told in one unit', () => {
    const of = (primal: number, dual: number) => ({
      label: '',
      instance,
      result: { ...result, primal, dual },
    })
    const [makespan, bound] = figures(of(590_000, 580_000), of(610_000, 598_000))
    expect([makespan!.a, makespan!.b, bound!.a, bound!.b].map(text => text.slice(-3))).toEqual(
      Array(4).fill('min'),
    )
  })
  it('find jobs by name, and say which are new or gone', () => {
    const b = { label: 'B', ...fixture({ jobs: 6 }) }
    b.instance.jobs[0]!.name = 'other'
    const names = jobs(a, b).map(d => d.name)
    expect(names[0]).toBe('other (new)')
    expect(names[names.length - 1]).toBe(`${instance.jobs[0]!.name} (gone)`)
    expect(names).toContain(instance.jobs[1]!.name)
  })
  it('do not compare different objectives', () => {
    const b = { label: 'B', instance, result: { ...result, objective: 'weighted_completion' as const } }
    const first = figures(a, b)[0]!
    expect([first.a, first.b, first.verdict]).toEqual(['Makespan', 'Weighted completion', null])
  })
})
