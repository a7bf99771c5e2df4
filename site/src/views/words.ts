// The state of a plan in words.

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

/** What leads from an earlier plan to one of the scenario as it is now. */
const onward = {
  changed: '',
  problems: '; mend the problems, and the next one follows',
  unplanned: '; “Plan” makes one of it as it is now',
}

/** How good the plan is, and how sure that is. */
export function statusWords(run: RunView): StatusWords {
  const { result } = run
  const gap = gapOf(run.primal, run.dual)
  const proof = run.certified ? 'certified' : 'proven'
  // Nothing that is said of the plan holds for what the scenario says now.
  if (run.stale)
    // What is searched for while there are problems is of the scenario before, too.
    return run.running && run.stale !== 'problems'
      ? {
          tone: 'busy',
          head: 'Planning',
          text: ['Until its plan is there, the one before shows.', run.coming].filter(Boolean).join(' '),
        }
      : {
          tone: 'plain',
          head: 'Earlier plan',
          text: `It is of the scenario as it was before${onward[run.stale]}.`,
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
    return { tone: 'plain', head: 'No plan', text: 'Nothing was planned yet.' }
  // A run that ended before its first result may have found plans.
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
        text: `${stopped}${stopped ? 'a' : 'A'} valid plan; ${gap === null ? 'how good it is, is not known' : room(run, gap)}.`,
      }
  }
}

/** The gap is relative to the plan, so it is how much better a plan could be at most. */
function room(run: RunView, gap: number): string {
  const most = gap < LEAST_GAP ? `as much as ${percent(LEAST_GAP)}` : `more than ${percent(gap)}`
  return `no plan can be ${most} better${run.certified ? ', which is certified' : ''}`
}

/** How far a plan is that has nothing to show yet. */
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

/** What a plan changed by hand comes to, beside the planner's and the bound. */
export function handWords(
  { objective, tick_us, primal, dual, certified }: RunView,
  { verdict, moves }: { verdict: { violations: unknown[]; value: number | null } | null; moves: number },
): string {
  if (!verdict) return 'The checker is asked …'
  if (moves === 0)
    return 'Drag a task, or select one and press ← or →; with Shift its whole iteration goes along. The checker watches.'
  if (verdict.value === null)
    return `${plural(verdict.violations.length, 'breach', 'breaches')} of the rules:`
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
        : `; no plan can be more than ${percent(Math.max(gap, LEAST_GAP))} better than yours${certified ? ', which is certified' : ''}`
  return `${value}, ${beside}${rest}.`
}

/** Two ways to plan the same jobs: with SPB and at full depth, or interleaved and with GPUs of their own. */
export interface Pair {
  objective: ObjectiveName
  tick_us: number
  /** Whether it is about SPB: some job may leave layers out. */
  partial: boolean
  /** Values of the objective, with and without; null while not known. */
  value: number | null
  base: number | null
  /** What they are called, where it is about another change. */
  names?: readonly [subject: string, other: string]
}

/** What the first gains over the second, in a sentence; empty while that is not known. */
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

/** Which bound the limits are of: others may be stronger, and not tell; empty where none tells. */
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

/** A change and whether it is for the better; changed where there is no better. */
export interface Verdict {
  text: string
  glyph: '▲' | '▼' | '='
  verdict: 'better' | 'worse' | 'same' | 'changed'
}

/** Judges b against a; null where one is missing. Shares are compared in points, other figures relatively. */
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
  // Less than what is shown is no difference.
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

/** What a failure does to a plan. One that is better without what failed is so by chance: both are quick. */
export function harmOf(plan: number | null, value: number | null, objective: ObjectiveName): Verdict | null {
  const verdict = judge(plan, value, minimised(objective) ? 'less' : 'more')
  return verdict?.verdict === 'better' ? { ...verdict, verdict: 'changed' } : verdict
}
