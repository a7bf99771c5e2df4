// The current plan in the form that the views take, and what it is compared with.
import type { Compiled, PlanPoint } from '../engine/api'
import { hasPartial } from '../state/depth'
import type { PlanView } from '../state/planning'
import type { Store } from '../state/store'
import { minimised } from '../views/format'
import type { RunView, Stale } from '../views/props'
import { withSchedule } from '../views/shown'
import { usageOf } from '../views/usage'
import { comingWords, type Pair } from '../views/words'

/** The current plan and the one without SPB, or with it; if no job has SPB, the current plan and whole jobs. */
export function pairOf(view: PlanView, run: RunView, store: Store): Pair {
  const { objective, tick_us } = run
  const full = store.isFullDepth(view.instance)
  const partial = full || hasPartial(view.instance)
  const other = partial ? store.counterpart(view.instance) : null
  const baselines = (full ? other?.result : run.result)?.baselines
  const known = (partial ? baselines?.interleaved_full : baselines?.exclusive)?.value ?? null
  const planned = (full ? run.primal : other?.value) ?? null
  const best = minimised(objective) ? Math.min : Math.max
  return {
    objective,
    tick_us,
    partial,
    value: full ? (other?.value ?? null) : run.primal,
    base: known !== null && planned !== null ? best(known, planned) : (known ?? planned),
  }
}

/** The run in the form that the views take: the result, if there is one, with anything better found since. */
export function runOf(view: PlanView, store: Store): RunView {
  const phase = store.planning.phase.value
  const running = phase === 'quick' || phase === 'full'
  const { instance, schedule, long } = view
  const result = view.result && withSchedule(instance, view.result, schedule, view.value)
  const last = view.points.at(-1)
  const dual = strongest(view.points, result?.dual ?? null, instance.periodic)
  return {
    objective: instance.objective,
    tick_us: instance.tick_us,
    primal: view.value ?? result?.primal ?? last?.primal ?? null,
    dual,
    certified: (result?.certified ?? false) && dual === result?.dual,
    result,
    usage: usageOf(instance, { usage: result?.usage ?? null, schedule, long }),
    series: view.points,
    running,
    coming: comingOf(store),
    stale: staleOf(instance, store),
  }
}

/** Why a plan of an instance is not a plan of the current scenario. */
export function staleOf(instance: Compiled, { reading, target }: Store): Stale {
  if (reading.value.problems.length > 0) return 'problems'
  if (!target.value) return 'changed'
  return target.value.digest === instance.digest ? '' : 'unplanned'
}

/** The progress, in words, of the plan that is not shown yet; empty if there is none. */
export function comingOf(store: Store): string {
  const coming = store.planning.coming.value
  if (!coming) return ''
  const { objective, tick_us } = coming.instance
  return comingWords(coming.point, objective, tick_us)
}

/** The best bound: the highest, or the lowest if more is better. */
function strongest(points: readonly PlanPoint[], dual: number | null, maximise: boolean): number | null {
  let best = dual
  for (const point of points)
    if (point.dual !== null && (best === null || (maximise ? point.dual < best : point.dual > best)))
      best = point.dual
  return best
}
