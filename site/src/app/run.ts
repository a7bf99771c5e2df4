// The plan that shows as the views take it, and what it is compared with.
import type { Compiled, LongPlan, PlanPoint } from '../engine/api'
import { longUse } from '../horizon/block'
import { hasPartial } from '../state/depth'
import type { PlanView } from '../state/planning'
import type { Store } from '../state/store'
import { minimised } from '../views/format'
import type { RunView, Use } from '../views/props'
import { withSchedule } from '../views/shown'
import { useOf } from '../views/use'
import { comingWords, type Pair } from '../views/words'

/** The plan that shows beside the one without SPB, or with it; where no job has SPB, beside whole jobs. */
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

/** The run as the views take it: the result where there is one, better what has come since. */
export function runOf(view: PlanView, store: Store): RunView {
  const phase = store.planning.phase.value
  const running = phase === 'quick' || phase === 'full'
  const { instance, schedule } = view
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
    usage:
      result?.usage ?? (schedule ? useOf(instance, schedule) : longUseOf(instance, result?.long ?? null)),
    series: view.points,
    running,
    coming: comingOf(store),
    stale: store.reading.value.problems.length > 0 || store.target.value?.digest !== instance.digest,
  }
}

/** How far the plan is that does not show yet, in words; empty where there is none. */
export function comingOf(store: Store): string {
  const coming = store.planning.coming.value
  if (!coming) return ''
  const { objective, tick_us } = coming.instance
  return comingWords(coming.point, objective, tick_us)
}

const uses = new WeakMap<LongPlan, Use>()

/** What a plan in blocks uses, worked out once. */
function longUseOf(instance: Compiled, long: LongPlan | null): Use | null {
  if (!long) return null
  const use = uses.get(long) ?? longUse(instance, long)
  uses.set(long, use)
  return use
}

/** The best bound there is: highest, or lowest where more is better. */
function strongest(points: readonly PlanPoint[], dual: number | null, maximise: boolean): number | null {
  let best = dual
  for (const point of points)
    if (point.dual !== null && (best === null || (maximise ? point.dual < best : point.dual > best)))
      best = point.dual
  return best
}
