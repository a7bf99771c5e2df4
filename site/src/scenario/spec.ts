// The instance file as the forms read it: every part may be missing or of the wrong kind, because
// people write it. Mistakes are shown as the validator's problems, and never crash the page.
import { computed, type ReadonlySignal } from '@preact/signals'
import type { ProfileInfo } from '../engine/api'
import { type Json, parse } from './yaml/patch'

export type Fields = Record<string, Json>

export const fields = (value: Json | undefined): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}
export const list = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : [])
export const text = (value: Json | undefined): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : ''
export const number = (value: Json | undefined, otherwise: number): number =>
  typeof value === 'number' && Number.isFinite(value) ? value : otherwise

/** Why the forms cannot follow the text: it is not valid YAML at the moment, or reading it at each key would block the page. */
export type Stale = '' | 'broken' | 'large'

export interface SpecView {
  /** The file of the last text that could be read. */
  spec: Fields
  stale: Stale
}

/** The longest text that the page itself reads at each change, in characters: some 300 jobs. */
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

/** Batch sizes for which a model is profiled on the cluster's GPUs, ascending, by GPUs per worker. */
export type Sizes = ReadonlyMap<number, readonly number[]>

/** What is known of a model. */
export interface ModelInfo {
  sizes: Sizes
  /** All GPU types with a profile of it, in the cluster or not. */
  gpus: readonly string[]
  /** Whether some profile was measured. */
  measured: boolean
}

/** A profile, at the batch size of each worker. */
type Profiled = Pick<ProfileInfo, 'model' | 'gpu' | 'batch' | 'gpus' | 'estimated'>

/** All models by name: those of the file and of the library. */
export function modelsOf(spec: Fields, library: readonly Profiled[]): Map<string, ModelInfo> {
  const own = list(spec.profiles)
    .map(fields)
    .map(({ model, gpu, batch, gpus, estimated }) => ({
      model: text(model),
      gpu: text(gpu),
      batch: number(batch, 0),
      gpus: number(gpus, 0) || 1,
      estimated: text(estimated),
    }))
  const types = new Set(
    list(fields(spec.cluster).gpu_types)
      .map(fields)
      .flatMap(({ name, profiled_as }) => {
        const others = list(profiled_as).map(other => text(fields(other).gpu))
        return others.length > 0 ? others : [text(name)]
      }),
  )
  const all = [...own, ...library].sort((a, b) => a.gpus - b.gpus || a.batch - b.batch)
  const models = new Map<string, ModelInfo>()
  for (const name of new Set(all.map(profile => profile.model).sort())) {
    const mine = all.filter(profile => profile.model === name)
    const sizes = new Map<number, number[]>()
    for (const { gpu, gpus, batch } of mine) {
      if (!types.has(gpu)) continue
      const of = sizes.get(gpus) ?? []
      if (!of.includes(batch)) sizes.set(gpus, [...of, batch])
    }
    models.set(name, {
      sizes,
      gpus: [...new Set(mine.map(profile => profile.gpu))].sort(),
      measured: mine.some(profile => profile.estimated === ''),
    })
  }
  return models
}

/** A name that none of the others has: base, base-2, base-3, ... */
export function freshName(base: string, taken: Iterable<string>): string {
  const names = new Set(taken)
  for (let n = 1; ; n++) {
    const name = n === 1 ? base : `${base}-${n}`
    if (!names.has(name)) return name
  }
}
