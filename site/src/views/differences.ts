// Two plans, figure by figure and job by job.

import type { ObjectiveName } from '../engine/api'
import { busiestLink, completions } from './figures'
import { minimised, objectiveNames, objectiveValue, percent, short, ticks, UNKNOWN } from './format'
import { glossary } from './glossary'
import type { Pinned, Use } from './props'
import { hasPlan } from './shown'
import { usageOf } from './usage'
import { judge, type Verdict } from './words'

export interface Difference {
  name: string
  /** Its definition; absent if its name is enough. */
  term?: string
  a: string
  b: string
  /** Null if there is nothing to judge. */
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

/** The figures of the whole plans. Only the objective is judged as better or worse: the others may change either way. */
export function figures(a: Pinned, b: Pinned): Difference[] {
  const list: Difference[] = []
  const add = (
    name: string,
    va: number | null | undefined,
    vb: number | null | undefined,
    text: (v: number) => string,
    { good = 'neither', share = false, term = terms[name] }: How = {},
  ) => {
    list.push({
      name,
      ...(term && { term }),
      a: va == null ? UNKNOWN : text(va),
      b: vb == null ? UNKNOWN : text(vb),
      verdict: judge(va, vb, good, share),
    })
  }
  const objective = a.result.objective
  const same = objective === b.result.objective
  if (same) {
    const [ua, ub] = [unit(a), unit(b)]
    const [pa, pb] = [scaled(a.result.primal, ua), scaled(b.result.primal, ub)]
    const value = (v: number) => objectiveValue(v, objective, 1, pb ?? pa)
    add(objectiveNames[objective], pa, pb, value, { good: goodOf(objective), term: glossary[objective] })
    add('Bound', scaled(a.result.dual, ua), scaled(b.result.dual, ub), value)
  } else
    list.push({
      name: 'Objective',
      a: objectiveNames[a.result.objective],
      b: objectiveNames[b.result.objective],
      verdict: null,
    })
  const [ca, cb] = [completions(a.instance, a.result), completions(b.instance, b.result)]
  if (ca && cb && !(same && objective === 'makespan')) {
    const mb = cb.makespan * b.instance.tick_us
    add('Makespan', ca.makespan * a.instance.tick_us, mb, v => ticks(v, 1, mb))
  }
  add('Gap', a.result.gap, b.result.gap, percent, { share: true })
  add('Efficiency', a.result.efficiency, b.result.efficiency, v => v.toFixed(3))
  const [useA, useB] = [usageOf(a.instance, a.result), usageOf(b.instance, b.result)]
  add('GPUs busy', useA?.mean_gpu, useB?.mean_gpu, percent, { share: true })
  const link = (p: Pinned, use: Use | null) => use && busiestLink(p.instance, use)?.share
  add('Busiest link', link(a, useA), link(b, useB), percent, { share: true })
  return list
}

interface How {
  good?: 'less' | 'more' | 'neither'
  share?: boolean
  term?: string | undefined
}

const goodOf = (objective: ObjectiveName) => (minimised(objective) ? 'less' : 'more')

/** The factor that makes objective values comparable between instances with different ticks: as if ticks were microseconds. */
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

/** Completion (or iterations per second) of each job, matched by name; the jobs of b in its order, then those that are gone. */
export function jobs(a: Pinned, b: Pinned): Difference[] {
  const periodic = a.instance.periodic && b.instance.periodic
  if (a.instance.periodic !== b.instance.periodic) return []
  const value = (p: Pinned, j: number | undefined): number | null => {
    const v = j === undefined ? undefined : p.result.completion[j]
    if (v === undefined || !hasPlan(p.result)) return null
    if (!periodic) return v * p.instance.tick_us
    const period = (p.result.schedule?.period ?? 0) * p.instance.tick_us
    return period > 0 ? (v * 1e6) / period : null
  }
  const text = (v: number | null, like: number | null) =>
    v === null ? UNKNOWN : periodic ? `${v.toFixed(2)}\u00a0it/s` : ticks(v, 1, like)
  // Jobs are judged one by one only if the objective is a sum over jobs.
  const objective = a.result.objective
  const sums = objective === 'weighted_completion' || objective === 'throughput'
  const good = sums && objective === b.result.objective ? goodOf(objective) : 'neither'
  const inA = new Map(a.instance.jobs.map((job, j) => [job.name, j]))
  const inB = new Map(b.instance.jobs.map((job, j) => [job.name, j]))
  const names = [...inB.keys(), ...[...inA.keys()].filter(name => !inB.has(name))]
  return names.map(name => {
    const va = value(a, inA.get(name))
    const vb = value(b, inB.get(name))
    const note = !inA.has(name) ? ' (new)' : !inB.has(name) ? ' (gone)' : ''
    return {
      name: short(name) + note,
      a: text(va, vb),
      b: text(vb, vb),
      verdict: judge(va, vb, good),
    }
  })
}
