// Two plans, figure by figure and job by job.

import { busiestLink, completions } from './figures'
import { minimised, objectiveNames, objectiveValue, percent, short, ticks, UNKNOWN } from './format'
import { glossary } from './glossary'
import type { Pinned } from './props'
import { usageOf } from './use'
import { judge, type Verdict } from './words'

export interface Difference {
  name: string
  /** What it means; none: its name says it. */
  term?: string
  a: string
  b: string
  /** Null where there is nothing to judge. */
  verdict: Verdict | null
}

const terms: Readonly<Record<string, string>> = {
  Bound: glossary.bound,
  Makespan: glossary.makespan,
  Gap: glossary.gap,
  Efficiency: glossary.efficiency,
  'GPUs busy': glossary.gpus_busy,
  'Busiest link': glossary.busiest_link,
}

/** The figures of the whole plans. */
export function figures(a: Pinned, b: Pinned): Difference[] {
  const list: Difference[] = []
  const add = (
    name: string,
    va: number | null | undefined,
    vb: number | null | undefined,
    good: 'less' | 'more' | 'neither',
    text: (v: number, of: Pinned) => string,
    share = false,
    term = terms[name] ?? '',
  ) => {
    list.push({
      name,
      ...(term && { term }),
      a: va == null ? UNKNOWN : text(va, a),
      b: vb == null ? UNKNOWN : text(vb, b),
      verdict: judge(va, vb, good, share),
    })
  }
  const time = (v: number, of: Pinned) => ticks(v, of.instance.tick_us)
  const same = a.result.objective === b.result.objective
  if (same) {
    const objective = a.result.objective
    const value = (v: number, of: Pinned) => objectiveValue(v, objective, of.instance.tick_us)
    const [ua, ub] = [unit(a), unit(b)]
    add(
      objectiveNames[objective],
      scaled(a.result.primal, ua),
      scaled(b.result.primal, ub),
      minimised(objective) ? 'less' : 'more',
      (v, of) => value(v / unit(of), of),
      false,
      glossary[objective],
    )
    add(
      'Bound',
      scaled(a.result.dual, ua),
      scaled(b.result.dual, ub),
      minimised(objective) ? 'less' : 'more',
      (v, of) => value(v / unit(of), of),
    )
  } else
    list.push({
      name: 'Objective',
      a: objectiveNames[a.result.objective],
      b: objectiveNames[b.result.objective],
      verdict: null,
    })
  const [ca, cb] = [completions(a.instance, a.result), completions(b.instance, b.result)]
  if (ca && cb && !(same && a.result.objective === 'makespan'))
    add('Makespan', ca.makespan * a.instance.tick_us, cb.makespan * b.instance.tick_us, 'less', (v, of) =>
      time(v / of.instance.tick_us, of),
    )
  add('Gap', a.result.gap, b.result.gap, 'less', v => percent(v), true)
  add('Efficiency', a.result.efficiency, b.result.efficiency, 'more', v => v.toFixed(3))
  add('GPUs busy', usageOf(a)?.mean_gpu, usageOf(b)?.mean_gpu, 'more', v => percent(v), true)
  const link = (p: Pinned) => {
    const usage = usageOf(p)
    return usage && busiestLink(p.instance, usage)?.share
  }
  add('Busiest link', link(a), link(b), 'neither', v => percent(v), true)
  return list
}

/** What makes values of the objective comparable between instances of different ticks. */
function unit(p: Pinned): number {
  switch (p.result.objective) {
    case 'makespan':
    case 'weighted_completion':
      return p.instance.tick_us
    case 'throughput':
      return 1 / p.instance.tick_us
    case 'max_min_throughput':
      return 1
  }
}

function scaled(v: number | null, by: number): number | null {
  return v === null ? null : v * by
}

/** Completion (or iterations per second) of each job, found by name; those of b in its order, then those that are gone. */
export function jobs(a: Pinned, b: Pinned): Difference[] {
  const periodic = a.instance.periodic && b.instance.periodic
  if (a.instance.periodic !== b.instance.periodic) return []
  const value = (p: Pinned, j: number | undefined): number | null => {
    const v = j === undefined ? undefined : p.result.completion[j]
    if (v === undefined || !p.result.schedule) return null
    if (!periodic) return v * p.instance.tick_us
    const period = p.result.schedule.period * p.instance.tick_us
    return period > 0 ? (v * 1e6) / period : null
  }
  const text = (v: number | null) =>
    v === null ? UNKNOWN : periodic ? `${v.toFixed(2)}\u00a0it/s` : ticks(v, 1)
  const inA = new Map(a.instance.jobs.map((job, j) => [job.name, j]))
  const inB = new Map(b.instance.jobs.map((job, j) => [job.name, j]))
  const names = [...inB.keys(), ...[...inA.keys()].filter(name => !inB.has(name))]
  return names.map(name => {
    const va = value(a, inA.get(name))
    const vb = value(b, inB.get(name))
    const note = !inA.has(name) ? ' (new)' : !inB.has(name) ? ' (gone)' : ''
    return {
      name: short(name) + note,
      a: text(va),
      b: text(vb),
      verdict: judge(va, vb, periodic ? 'more' : 'less'),
    }
  })
}
