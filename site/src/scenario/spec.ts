// The instance file as the forms read it: every part may lack or be of the wrong kind, for
// people write it. What is wrong shows as the validator's problem, never as a crash.
import { computed, type ReadonlySignal } from '@preact/signals'
import { type Json, parse } from './yaml/patch'

export type Fields = Record<string, Json>

export const fields = (value: Json | undefined): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}
export const list = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : [])
export const text = (value: Json | undefined): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : ''
export const number = (value: Json | undefined, otherwise: number): number =>
  typeof value === 'number' && Number.isFinite(value) ? value : otherwise

/** Why the forms cannot follow the text: it is not YAML at the moment, or to read it at each key would block the page. */
export type Stale = '' | 'broken' | 'large'

export interface SpecView {
  /** Of the last text that could be read. */
  spec: Fields
  stale: Stale
}

/** Longest text that the page reads by itself at each change, in characters: some 300 jobs. */
export const largest = 24_000

/** The file behind the text, kept while the text is broken. */
export function specOf(source: ReadonlySignal<string>): ReadonlySignal<SpecView> {
  let last: Fields = {}
  return computed(() => {
    if (source.value.length > largest) return { spec: last, stale: 'large' }
    const json = parse(source.value)
    if (json === undefined) return { spec: last, stale: 'broken' }
    last = fields(json)
    return { spec: last, stale: '' }
  })
}

/** What a model is profiled on, and at which batch size of each worker. */
interface Profiled {
  model: string
  gpu: string
  batch: number
}

/** All models by name, each with the batch sizes that it is profiled at on the cluster's GPUs, ascending. */
export function batchSizes(spec: Fields, library: readonly Profiled[]): Map<string, number[]> {
  const own = list(spec.profiles)
    .map(fields)
    .map(({ model, gpu, batch }) => ({ model: text(model), gpu: text(gpu), batch: number(batch, 0) }))
  const gpus = new Set(
    list(fields(spec.cluster).gpu_types)
      .map(fields)
      .flatMap(({ name, profiled_as }) => {
        const others = list(profiled_as).map(other => text(fields(other).gpu))
        return others.length > 0 ? others : [text(name)]
      }),
  )
  const sizes = new Map<string, Set<number>>()
  for (const { model, gpu, batch } of [...own, ...library]) {
    if (!sizes.has(model)) sizes.set(model, new Set())
    if (gpus.has(gpu)) sizes.get(model)?.add(batch)
  }
  return new Map(
    [...sizes]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([model, batches]) => [model, [...batches].sort((a, b) => a - b)]),
  )
}

/** The models all of whose profiles are estimates. */
export function estimatedModels(
  spec: Fields,
  library: readonly { model: string; estimated: string }[],
): ReadonlySet<string> {
  const own = list(spec.profiles)
    .map(fields)
    .map(({ model, estimated }) => ({ model: text(model), estimated: text(estimated) }))
  const all = [...own, ...library]
  const measured = new Set(all.filter(p => p.estimated === '').map(p => p.model))
  return new Set(all.map(p => p.model).filter(model => !measured.has(model)))
}

/** A name that none of the others has: base, base-2, base-3, ... */
export function freshName(base: string, taken: Iterable<string>): string {
  const names = new Set(taken)
  for (let n = 1; ; n++) {
    const name = n === 1 ? base : `${base}-${n}`
    if (!names.has(name)) return name
  }
}
