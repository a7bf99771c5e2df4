// The figures of a plan: what the numbers and their comparison show.

import type { Compiled, PlanResult } from '../engine/api'
import type { Use } from './props'

/** Ways to schedule, from a batch queue to the bound that no plan can beat. */
export interface Way {
  key: 'queue' | 'exclusive' | 'interleaved_full' | 'greedy' | 'plan' | 'bound'
  name: string
  /** Its definition, in a line. */
  text: string
  value: number | null
  efficiency: number | null
  /** Why there is no value. */
  reason: string
}

const TEXTS: Record<Way['key'], [string, string]> = {
  queue: [
    'Queue',
    'whole GPUs for one job at a time, first come, first served: what a batch system does by default',
  ],
  exclusive: ['Exclusive', 'whole GPUs for one job at a time, full depth, in the best order found'],
  interleaved_full: ['Interleaved', 'iterations of several jobs on a GPU, full depth'],
  greedy: ['Greedy', 'list scheduling with partial backpropagation'],
  plan: ['Plan', 'the best schedule found'],
  bound: ['Bound', 'no plan can beat it'],
}

/** primal and dual are the current ones; baselines come with the result. */
export function waysOf(result: PlanResult | null, primal: number | null, dual: number | null): Way[] {
  const ways = (Object.keys(TEXTS) as Way['key'][]).map(key => {
    const [name, text] = TEXTS[key]
    if (key === 'plan')
      return { key, name, text, value: primal, efficiency: result?.efficiency ?? null, reason: '' }
    if (key === 'bound') return { key, name, text, value: dual, efficiency: null, reason: '' }
    const base = result?.baselines[key]
    return {
      key,
      name,
      text,
      value: base?.value ?? null,
      efficiency: base?.efficiency ?? null,
      reason: base?.reason ?? '',
    }
  })
  // Long plans have no greedy.
  return ways.filter(way => way.key !== 'greedy' || !result?.long || way.value !== null || way.reason !== '')
}

/** The last completion and the weighted sum of them, ticks; null for plans that repeat. */
export function completions(
  instance: Compiled,
  result: PlanResult,
): { makespan: number; weighted: number } | null {
  if (
    instance.periodic ||
    result.completion.length !== instance.jobs.length ||
    !(result.schedule ?? result.long)
  )
    return null
  return {
    makespan: result.completion.reduce((a, b) => Math.max(a, b), 0),
    weighted: result.completion.reduce((sum, c, j) => sum + c * instance.jobs[j]!.weight, 0),
  }
}

/** The link that is used most, and its share. */
export function busiestLink(instance: Compiled, usage: Use): { name: string; share: number } | null {
  let best = -1
  usage.link_share.forEach((share, l) => {
    if (best < 0 || share > usage.link_share[best]!) best = l
  })
  const link = instance.links[best]
  return link ? { name: link.name, share: usage.link_share[best]! } : null
}

/** The GPU whose memory is fullest: bytes, and their share of its type's. */
export function fullestMemory(
  instance: Compiled,
  usage: Use,
): { bytes: number; share: number; of: number } | null {
  let found: { bytes: number; share: number; of: number } | null = null
  for (const node of instance.nodes) {
    const of = instance.types[node.type]?.memory ?? 0
    for (let g = node.first_gpu; g < node.first_gpu + node.gpus; g++) {
      const bytes = usage.gpu_memory[g] ?? 0
      const share = of > 0 ? bytes / of : 0
      if (!found || share > found.share) found = { bytes, share, of }
    }
  }
  return found
}
