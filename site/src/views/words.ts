// Describes the status of a plan.

import type { ObjectiveName, PlanPoint, PlanResult } from '../engine/api'
import { change, gapOf, LEAST_GAP, minimised, objectiveValue, percent, plural } from './format'
import type { RunView } from './props'

export type Tone = 'good' | 'plain' | 'busy' | 'bad'

export interface StatusWords {
  tone: Tone
  /** A word or two. */
  head: string
  /** A sentence. */
  text: string
}

/** How to get from an earlier plan to one of the current scenario. */
const onward = {
  changed: '',
  problems: '; fix the problems to get a new one',
  unplanned: '; “Plan” makes a new one',
}

/** How good the plan is, and how certain that is. */
export function statusWords(run: RunView): StatusWords {
  const { result } = run
  const gap = gapOf(run.primal, run.dual)
  const proof = run.certified ? 'certified' : 'proven'
  // Nothing known of the plan applies to the current scenario.
  if (run.stale)
    // What is searched for while there are problems is of the scenario before, too.
    return run.running && run.stale !== 'problems'
      ? {
          tone: 'busy',
          head: 'Planning',
          text: ['The previous plan is shown until the new one is ready.', run.coming]
            .filter(Boolean)
            .join(' '),
        }
      : {
          tone: 'plain',
          head: 'Earlier plan',
          text: `It is for an earlier version of the scenario${onward[run.stale]}.`,
        }
  if (run.running) {
    if (run.primal === null) return { tone: 'busy', head: 'Planning', text: 'There is no plan yet.' }
    return {
      tone: 'busy',
      head: 'Planning',
      text: gap === null ? 'No bound is known yet.' : `So far, ${room(run, gap)}.`,
    }
  }
  if (!result && run.primal === null)
    return { tone: 'plain', head: 'No plan', text: 'Nothing has been planned yet.' }
  // A run that was ended before its first result may have found plans.
  const stopped = result?.stopped === false ? '' : 'Stopped early: '
  switch (result?.status ?? 'feasible') {
    case 'infeasible':
      return {
        tone: 'bad',
        head: 'Infeasible',
        text: `It is ${proof} that no plan exists${result?.reasons.length ? ':' : '.'}`,
      }
    case 'limit':
    case 'unknown':
      return {
        tone: 'bad',
        head: 'No plan found',
        text: stopped
          ? 'It was stopped before there was one.'
          : 'The search ended with neither a plan nor a proof that there is none.',
      }
    case 'optimal':
      return { tone: 'good', head: 'Optimal', text: `It is ${proof} that no plan is better.` }
    case 'feasible':
      return {
        tone: 'plain',
        head: 'Feasible',
        text: `${stopped}${stopped ? 'a' : 'A'} valid plan; ${gap === null ? 'no bound is known' : room(run, gap)}.`,
      }
  }
}

/** The gap is relative to the plan, so it says how much better a plan could be at most. */
function room(run: RunView, gap: number): string {
  const most = gap < LEAST_GAP ? `as much as ${percent(LEAST_GAP)}` : `more than ${percent(gap)}`
  return `no plan can be ${most} better${run.certified ? ' (certified)' : ''}`
}

/** The progress of a plan that is not shown yet. */
export function comingWords(
  { primal, dual }: Pick<PlanPoint, 'primal' | 'dual'>,
  objective: ObjectiveName,
  tickUs: number,
): string {
  const value = (v: number) => objectiveValue(v, objective, tickUs)
  if (primal === null)
    return dual === null
      ? ''
      : `No plan can ${minimised(objective) ? 'take less' : 'have more'} than ${value(dual)}; the search goes on.`
  const gap = gapOf(primal, dual)
  return `Its best so far: ${value(primal)}${gap === null ? '' : `, at most ${percent(gap)} from the optimum`}; the search goes on.`
}

/** The value of a plan changed by hand, compared with the planner's plan and the bound. */
export function handWords(
  { objective, tick_us, primal, dual, certified }: RunView,
  { verdict, moves }: { verdict: { violations: unknown[]; value: number | null } | null; moves: number },
): string {
  if (!verdict) return 'Checking …'
  if (moves === 0)
    return 'Drag a task, or select one and press ← or →; hold Shift to move its whole iteration. Every move is checked.'
  if (verdict.value === null) return `${plural(verdict.violations.length, 'violation')} of the rules:`
  const value = `Valid: ${objectiveValue(verdict.value, objective, tick_us, primal)}`
  const by = primal === null ? 0 : Math.abs(verdict.value - primal) / Math.max(Math.abs(primal), 1e-9)
  const better = primal !== null && verdict.value < primal === minimised(objective)
  const beside =
    primal === null || by < 1e-9
      ? 'as good as the planner’s'
      : `${percent(by, by < 0.01 ? 2 : 1)} ${better ? 'better' : 'worse'} than the planner’s`
  const gap = gapOf(verdict.value, dual)
  const rest =
    gap === null
      ? ''
      : gap < 1e-9
        ? '; no plan is better'
        : `; no plan can be more than ${percent(Math.max(gap, LEAST_GAP))} better than yours${certified ? ' (certified)' : ''}`
  return `${value}, ${beside}${rest}.`
}

/** Two ways to plan the same jobs: with SPB and at full depth, or interleaved and exclusive. */
export interface Pair {
  objective: ObjectiveName
  tick_us: number
  /** Whether it is about SPB, that is, some job may leave layers out. */
  partial: boolean
  /** Objective values with and without; null while unknown. */
  value: number | null
  base: number | null
  /** Their names, if the comparison is about another change. */
  names?: readonly [subject: string, other: string]
}

/** The gain of the first over the second, in a sentence; empty while it is unknown. */
export function gainWords({ objective, tick_us, partial, value: primal, base, names }: Pair): string {
  if (primal === null || base === null || base === 0) return ''
  const by = minimised(objective) ? 1 - primal / base : primal / base - 1
  const [subject, other] = names ?? [
    partial ? 'Partial backpropagation (SPB)' : 'Interleaving',
    partial ? 'full depth' : 'whole jobs on GPUs of their own',
  ]
  const value = (v: number) => objectiveValue(v, objective, tick_us, primal)
  if (Math.abs(by) < 0.0005)
    return names ? `${subject} is as good as ${other}.` : `${subject} gains nothing over ${other} here.`
  const verb = {
    makespan: by > 0 ? 'ends sooner' : 'ends later',
    weighted_completion: by > 0 ? 'completes jobs sooner' : 'completes jobs later',
    throughput: by > 0 ? 'trains faster' : 'trains slower',
    max_min_throughput: by > 0 ? 'serves the slowest job better' : 'serves the slowest job worse',
  }[objective]
  return `${subject} ${verb} than ${other} by ${percent(Math.abs(by))}: ${value(base)} → ${value(primal)}.`
}

/** Which bound the limits belong to: stronger ones may have no such information; empty if no bound has any. */
export function limitsWords(
  result: Pick<PlanResult, 'primal' | 'dual' | 'binding_bound'>,
  objective: ObjectiveName,
  tickUs: number,
): string {
  const { primal, dual, binding_bound: bound } = result
  if (bound === null || dual === null) return ''
  const value = (v: number) => objectiveValue(v, objective, tickUs, primal ?? dual)
  if (bound.value === dual) return `The bound of ${value(dual)} follows from these.`
  return `A bound of ${value(bound.value)} follows from these. The search proved a stronger one, ${value(dual)}, which has no such limits to show.`
}

/** A change and whether it is for the better; changed if that is undefined. */
export interface Verdict {
  text: string
  glyph: '▲' | '▼' | '='
  verdict: 'better' | 'worse' | 'same' | 'changed'
}

/** Compares b with a; null if one is missing. Shares are compared in points, other figures relatively. */
export function judge(
  a: number | null | undefined,
  b: number | null | undefined,
  good: 'less' | 'more' | 'neither',
  share = false,
): Verdict | null {
  if (a === null || a === undefined || b === null || b === undefined) return null
  const by = share
    ? b - a
    : a === 0
      ? b === 0
        ? 0
        : Math.sign(b) * Number.POSITIVE_INFINITY
      : (b - a) / Math.abs(a)
  if (Number.isNaN(by)) return null
  // A difference that would be rounded away does not count.
  if (Math.abs(by) < 0.0005) return { text: share ? '0.0 points' : change(0), glyph: '=', verdict: 'same' }
  const size = !Number.isFinite(by)
    ? 'from zero'
    : share
      ? `${change(by).replace(/.%$/, '')} points`
      : change(by)
  return {
    text: size,
    glyph: by > 0 ? '▲' : '▼',
    verdict: good === 'neither' ? 'changed' : by < 0 === (good === 'less') ? 'better' : 'worse',
  }
}

/** The effect of a failure on a plan. A plan that is better after a failure is so by chance: both are quick plans. */
export function harmOf(plan: number | null, value: number | null, objective: ObjectiveName): Verdict | null {
  const verdict = judge(plan, value, minimised(objective) ? 'less' : 'more')
  return verdict?.verdict === 'better' ? { ...verdict, verdict: 'changed' } : verdict
}
