// The changes of the cluster that are offered, and their names.

import type { Compiled, PlanResult, WhatIfChange } from '../engine/api'
import { bitRate, bytes, change, decimal, short } from './format'

export interface Candidate {
  change: WhatIfChange
  label: string
}

/** By how much a link or a memory grows. */
export const GROWTH = 1.1
/** By what factor the network as a whole grows. */
export const FASTER = 4

/** The label of a change. */
export function labelOf(instance: Compiled, asked: WhatIfChange): string {
  const subject = short(asked.subject)
  switch (asked.kind) {
    case 'add_gpu': {
      const node = instance.nodes.find(n => n.name === asked.subject)
      return `+1 ${short(instance.types[node?.type ?? -1]?.name ?? 'GPU')} in ${subject}`
    }
    case 'fail_gpu':
      return instance.nodes.some(n => n.name === asked.subject)
        ? `a GPU of ${subject} fails`
        : `${subject} fails`
    case 'fail_node':
      return `${subject} fails`
    case 'network':
      return `${times(asked.factor)} the network`
    case 'link_speed': {
      const link = instance.links.find(l => l.name === asked.subject)
      const speed = link ? `, now ${bitRate(link.capacity)}` : ''
      return `${grown(asked.factor)} on ${subject}${speed}`
    }
    case 'cut_link':
      return `${subject} cut`
    case 'memory': {
      const type = instance.types.find(t => t.name === asked.subject)
      return `${grown(asked.factor)} memory on every ${subject}${type ? `, now ${bytes(type.memory)}` : ''}`
    }
    case 'speed':
      return `every ${subject} ${times(asked.factor)} as fast`
    case 'drop_job':
      return `without ${subject}`
  }
}

const times = (factor = 1) => `${decimal(factor, Number.isInteger(factor) ? 0 : 2)} ×`

function grown(factor = 1): string {
  return change(factor - 1, Number.isInteger(Math.round(factor * 1e6) / 1e4) ? 0 : 1)
}

/** The changes to offer: one more GPU, one that fails and a faster network, then links that bind or are busy half of the time, then memory if it binds. */
export function candidates(instance: Compiled, result: PlanResult): Candidate[] {
  const changes: WhatIfChange[] = []
  const gpuText = result.binding.filter(b => b.resource === 'gpu').map(b => b.subject)
  const named = gpuText.some(text => instance.types.some(type => text.includes(type.name)))
  instance.types.forEach((type, t) => {
    const node = instance.nodes.find(n => n.type === t)
    // A type that does not bind is offered only if no type binds.
    if (node && (!named || gpuText.some(text => text.includes(type.name))))
      changes.push({ kind: 'add_gpu', subject: node.name })
  })
  const first = instance.nodes.find(n => n.gpus > 1)
  if (first) changes.push({ kind: 'fail_gpu', subject: first.name })
  if (instance.nodes.length > 1) changes.push({ kind: 'network', subject: '', factor: FASTER })
  const names = (b: PlanResult['binding'][number], link: string) => b.subject.includes(link)
  for (const l of linksByUse(instance, result)) {
    const { name } = instance.links[l]!
    if (result.usage!.link_share[l]! >= 0.5 || result.binding.some(b => names(b, name)))
      changes.push({ kind: 'link_speed', subject: name, factor: GROWTH })
  }
  if (result.binding.some(b => b.resource === 'memory'))
    for (const type of instance.types) changes.push({ kind: 'memory', subject: type.name, factor: GROWTH })
  return changes.map(change => ({ change, label: labelOf(instance, change) }))
}

/** The link of each kind that is used most, the fullest first. */
function linksByUse(instance: Compiled, result: PlanResult): number[] {
  const share = result.usage?.link_share
  if (!share) return []
  const seen = new Set<string>()
  return instance.links
    .map((_, l) => l)
    .filter(l => share[l]! > 0)
    .sort((a, b) => share[b]! - share[a]! || a - b)
    .filter(l => {
      // The two directions of a link count as one kind.
      const kind = instance.links[l]!.kind.replace(/_(up|down)$/, '')
      if (seen.has(kind)) return false
      seen.add(kind)
      return true
    })
}

/** Whether two changes are the same. */
export function sameChange(a: WhatIfChange, b: WhatIfChange): boolean {
  return a.kind === b.kind && a.subject === b.subject && (a.factor ?? 1) === (b.factor ?? 1)
}
