// The utilisation of a plan, from the core's figures or summed up in the page: a plan in blocks, a stopped
// plan and the current plan of a search come without them.

import type { Compiled, LongPlan, PlanResult } from '../engine/api'
import { longUse } from '../horizon/block'
import type { Use } from './props'
import { useOf } from './use'

const known = new WeakMap<LongPlan, Use>()

/** null if there is no plan. */
export function usageOf(
  instance: Compiled,
  { usage, schedule, long }: Pick<PlanResult, 'usage' | 'schedule' | 'long'>,
): Use | null {
  if (usage || schedule || !long) return usage ?? (schedule && useOf(instance, schedule))
  const use = known.get(long) ?? longUse(instance, long)
  known.set(long, use)
  return use
}
