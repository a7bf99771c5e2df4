// What a plan uses, by the core's figures or summed up in the page: a plan in blocks, or one that was
// stopped early or still is searched for, comes without them.

import type { Compiled, LongPlan, PlanResult } from '../engine/api'
import { longUse } from '../horizon/block'
import type { Use } from './props'
import { useOf } from './use'

const known = new WeakMap<LongPlan, Use>()

/** null where there is no plan. */
export function usageOf(
  instance: Compiled,
  { usage, schedule, long }: Pick<PlanResult, 'usage' | 'schedule' | 'long'>,
): Use | null {
  if (usage || schedule || !long) return usage ?? (schedule && useOf(instance, schedule))
  const use = known.get(long) ?? longUse(instance, long)
  known.set(long, use)
  return use
}
