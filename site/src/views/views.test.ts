import { describe, expect, it } from 'vitest'
import { fixture, makespanOf, profileOf } from '../../test/fixture'
import type { ChainLink, PlanResult } from '../engine/api'
import { candidates, labelOf, sameChange } from './candidates'
import { interesting, linear, niceMarks, steps } from './chart'
import { figures, jobs } from './differences'
import { busiestLink, completions, fullestMemory, waysOf } from './figures'
import type { RunView } from './props'
import { cutsOf, profilesOf, ruleWords, saving, seriesOf, usedDepths } from './savings'
import { completionOf, withSchedule } from './shown'
import { opening, passages, shares } from './story'
import { efficiencyOf } from './use'
import { judge, statusWords } from './words'

const plain = (text: string) => text.replaceAll('\u00a0', ' ')
const { instance, result } = fixture()

function runOf(result: PlanResult | null, more: Partial<RunView> = {}): RunView {
  return {
    objective: 'makespan',
    tick_us: 1000,
    primal: result?.primal ?? null,
    dual: result?.dual ?? null,
    certified: result?.certified ?? false,
    result,
    usage: null,
    series: [],
    running: false,
    ...more,
  }
}

describe('status', () => {
  it.each<[string, RunView, string, string]>([
    ['nothing', runOf(null), 'No plan', 'Nothing was planned yet.'],
    ['planning', runOf(null, { running: true }), 'Planning', 'There is no plan yet.'],
    [
      'planning, with a plan',
      runOf(null, { running: true, primal: 100, dual: 90 }),
      'Planning',
      'So far, no plan can be more than 10.0 % better.',
    ],
    [
      'feasible',
      runOf({ ...result, primal: 100, dual: 97 }),
      'Feasible',
      'A valid plan; no plan can be more than 3.0 % better, which is certified.',
    ],
    [
      'stopped',
      runOf({ ...result, primal: 100, dual: null, stopped: true, certified: false }),
      'Feasible',
      'Stopped early: a valid plan; how good it is, is not known.',
    ],
    [
      'optimal',
      runOf({ ...result, status: 'optimal' }),
      'Optimal',
      'It is certified that no plan is better.',
    ],
    [
      'infeasible',
      runOf({ ...result, status: 'infeasible', certified: false, reasons: ['x'] }),
      'Infeasible',
      'It is proven that no plan exists:',
    ],
  ])('of %s', (_, run, head, text) => {
    const words = statusWords(run)
    expect(words.head).toBe(head)
    expect(plain(words.text)).toBe(text)
  })
})

describe('judging a change', () => {
  it.each([
    [100, 90, 'less', false, '−10.0 %', '▼', 'better'],
    [100, 110, 'less', false, '+10.0 %', '▲', 'worse'],
    [100, 110, 'more', false, '+10.0 %', '▲', 'better'],
    [0.5, 0.6, 'neither', true, '+10.0 points', '▲', 'changed'],
    [0.5, 0.50001, 'more', true, '0.0 points', '=', 'same'],
    [0, 5, 'less', false, 'from zero', '▲', 'worse'],
    [0, 0, 'less', false, '0.0 %', '=', 'same'],
  ] as const)('%d to %d, %s is better', (a, b, good, share, text, glyph, verdict) => {
    const v = judge(a, b, good, share)!
    expect([plain(v.text), v.glyph, v.verdict]).toEqual([text, glyph, verdict])
  })
  it('says nothing of what is unknown', () => {
    expect(judge(null, 1, 'less')).toBeNull()
    expect(judge(1, undefined, 'less')).toBeNull()
  })
})

describe('charts', () => {
  it('map linearly', () => {
    const y = linear([0, 10], [100, 0])
    expect([y(0), y(5), y(10)]).toEqual([100, 50, 0])
    expect(linear([3, 3], [0, 9])(3)).toBe(0)
  })
  it('have round marks within the domain', () => {
    expect(niceMarks(8.4, 10.2, 4)).toEqual([8.5, 9, 9.5, 10])
    expect(niceMarks(0, 700, 7)).toEqual([0, 100, 200, 300, 400, 500, 600, 700])
    expect(niceMarks(5, 5, 4)).toEqual([5])
  })
  it('draw steps from the first known value to the end', () => {
    const points = [
      { t: 0, v: null },
      { t: 1, v: 5 },
      { t: 2, v: 5 },
      { t: 3, v: 4 },
    ]
    expect(
      steps(
        points,
        10,
        t => t,
        v => v,
      ),
    ).toBe('M1.0 5.0H3.0V4.0H10.0')
    expect(
      steps(
        [{ t: 0, v: null }],
        10,
        t => t,
        v => v,
      ),
    ).toBe('')
  })
  it('show from the bound to the first plan', () => {
    const [lo, hi] = interesting(result.series)!
    expect(lo).toBeLessThan(result.dual!)
    expect(hi).toBeGreaterThan(result.primal! * 1.07)
    expect(interesting([])).toBeNull()
  })
})

describe('figures', () => {
  it('put the ways to schedule in order', () => {
    const ways = waysOf(result, 5, 4)
    expect(ways.map(w => w.key)).toEqual(['exclusive', 'interleaved_full', 'greedy', 'plan', 'bound'])
    expect(ways.map(w => w.value).slice(3)).toEqual([5, 4])
    expect(waysOf(null, 5, null).map(w => w.value)).toEqual([null, null, null, 5, null])
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

describe('differences', () => {
  const a = { label: 'A', instance, result }
  it('of a plan and itself are none', () => {
    for (const d of [...figures(a, a), ...jobs(a, a)]) {
      expect(d.a).toBe(d.b)
      expect(d.verdict?.verdict).toBe('same')
    }
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
    expect(plain(opening(schedule, result.chain, 4))).toContain('36 links, through 3 other jobs')
  })
})

describe('what to ask about', () => {
  it('offers a GPU of the type that binds, and the fullest links', () => {
    const list = candidates(instance, result)
    expect(list[0]).toEqual({ change: { kind: 'add_gpu', subject: 'n0' }, label: '+1 v100 in n0' })
    expect(list.filter(c => c.change.kind === 'link_speed').length).toBeGreaterThan(0)
    expect(list.length).toBeLessThan(8)
  })
  it('names every kind of change', () => {
    expect(plain(labelOf(instance, { kind: 'link_speed', subject: 'n0.up', factor: 1.1 }))).toBe(
      '+10 % on n0.up, now 25 Gbit/s',
    )
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

describe('a plan that is newer than the result', () => {
  it('brings what follows from it, and nothing of the old one', () => {
    expect(withSchedule(instance, result, result.schedule, result.primal)).toBe(result)
    const schedule = { ...result.schedule! }
    const shown = withSchedule(instance, result, schedule, 9000)
    expect(shown).toMatchObject({ primal: 9000, chain: [], usage: null })
    expect(shown.efficiency).toBeCloseTo(efficiencyOf(instance, schedule))
    expect(shown.gap).toBeCloseTo((9000 - result.dual!) / 9000)
    expect(Math.max(...shown.completion)).toBe(makespanOf(schedule))
  })
  it('counts iterations where it repeats', () => {
    const plan = fixture({ periodic: true, tasks: 120, seed: 5 })
    expect(completionOf(plan.instance, plan.result.schedule!)).toEqual(
      plan.instance.jobs.map(job => job.iterations),
    )
  })
})
