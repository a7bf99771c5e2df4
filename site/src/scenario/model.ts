// A model that was not measured, described by its dimensions: the values of the sliders, and how its
// estimated profiles are added to the scenario.

import type { Architecture } from '../engine/api'
import { type Fields, fields, freshName, largest, list, text as textOf } from './spec'
import { insert, type Json, parse } from './yaml/patch'

export const families = ['llama', 'mistral', 'qwen2', 'qwen3', 'phi3', 'gemma2', 'gpt2', 'bert'] as const

/** Presets of the sliders: well-known models. */
export const presets: readonly (readonly [name: string, architecture: Architecture])[] = [
  ['llama-1b', of('llama', 16, 2048, 32, 8, 8192, 128256)],
  ['llama-8b', of('llama', 32, 4096, 32, 8, 14336, 128256)],
  ['llama-70b', of('llama', 80, 8192, 64, 8, 28672, 128256)],
  ['qwen2-7b', of('qwen2', 28, 3584, 28, 4, 18944, 152064)],
  ['gpt2-xl', of('gpt2', 48, 1600, 25, 25, 6400, 50257, 1024)],
  ['bert-large', of('bert', 24, 1024, 16, 16, 4096, 30522, 512)],
]

function of(
  type: string,
  layers: number,
  hidden: number,
  heads: number,
  kv_heads: number,
  ffn: number,
  vocabulary: number,
  positions = 0,
): Architecture {
  return { type, layers, hidden, heads, kv_heads, ffn, vocabulary, positions }
}

/** The new job of the model: the states of large models are sharded among the workers. */
export interface ModelJob {
  workers: number
  /** Of each. */
  gpus: number
  batch: number
  large: boolean
}

/** The scenario with the model's profiles, one line per layer, and a job that trains it. */
export function withModel(source: string, profiles: readonly Json[], job: ModelJob): string {
  const spec = fields(parse(source))
  const names = list(spec.jobs).map(other => textOf(fields(other).name))
  const model = textOf(fields(profiles[0]).model)
  return insert(withProfiles(source, profiles), ['jobs'], names.length, {
    name: freshName(model.replace(/[^\w-]/g, '-') || 'model', names),
    model,
    batch: job.batch,
    workers: job.workers,
    ...(job.gpus > 1 && { gpus_per_worker: job.gpus }),
    iterations: 10,
    optimizer: 'adam',
    ...(job.large && { sharding: 'zero3' }),
  })
}

/** The scenario with profiles, one line per layer. */
export function withProfiles(source: string, profiles: readonly Json[]): string {
  const own = list(fields(parse(source)).profiles)
  if (own.length > 0)
    return profiles.reduce<string>(
      (now, profile, i) => insert(now, ['profiles'], own.length + i, profile),
      source,
    )
  const before = source === '' || source.endsWith('\n') ? source : `${source}\n`
  return `${before}profiles:\n${profiles.map(lines).join('')}`
}

/** The profiles in a file with nothing else: one, a list of them, or `profiles`; none for any other file. */
export function profilesIn(text: string): Json[] {
  const file = readFile(text)
  const { jobs, cluster, profiles, layers } = fields(file)
  if (jobs !== undefined || cluster !== undefined) return []
  const all = layers !== undefined ? [file] : Array.isArray(file) ? file : list(profiles)
  return all.every(profile => list(fields(profile).layers).length > 0) ? all : []
}

/** What a file is if it is of a kind often taken for a scenario, and where it belongs; else empty. */
export function noScenario(text: string): string {
  const read = readFile(text)
  const file = fields(read)
  if (file.jobs !== undefined || file.cluster !== undefined) return ''
  if (file.model_type !== undefined || file.hidden_size !== undefined)
    return 'it is the config.json of a model: open it with + Model… below the jobs'
  if (file.schedule !== undefined || file.residency !== undefined || file.traceEvents !== undefined)
    return 'it is a plan: open the scenario that it was made from'
  if (file.kind !== undefined && file.bound !== undefined)
    return 'it is the proof of a bound: check it with jigsaw certify'
  const first = text.split('\n').find(line => !/^\s*(#|$)/.test(line))
  if (first === undefined) return 'it is empty'
  // A table, whose first line names the columns, or objects, of which the first is enough.
  const head = /^\s*[[{]/.test(text) ? text.slice(0, text.indexOf('}')) : first
  if (['model', 'workers'].every(word => head.includes(word)) && !head.includes('jobs'))
    return 'it is a list of jobs: jigsaw plan --cluster CLUSTER --jobs LIST --write SCENARIO turns it into a scenario'
  if (typeof read === 'string' || (Array.isArray(read) && profilesIn(text).length === 0))
    return 'a scenario is YAML or JSON with a cluster and jobs'
  return ''
}

/** JSON of any length, as programs write it, or YAML short enough for the form. */
function readFile(text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch {
    return (text.length <= largest && parse(text)) || null
  }
}

/** A model's name that no profile of the scenario or of the library has. */
export function modelName(base: string, spec: Fields, library: Iterable<string>): string {
  return freshName(base, [...library, ...list(spec.profiles).map(p => textOf(fields(p).model))])
}

/** A profile in YAML. JSON is valid YAML, so values are written as JSON. */
function lines(profile: Json): string {
  const { layers, ...head } = fields(profile)
  const keys = Object.entries(head).map(([key, value]) => `${key}: ${JSON.stringify(value)}`)
  const flow = (layer: Json) =>
    `{${Object.entries(fields(layer))
      .map(([key, value]) => `${key}: ${JSON.stringify(value)}`)
      .join(', ')}}`
  return `  - ${keys.join('\n    ')}\n    layers:\n${list(layers)
    .map(layer => `      - ${flow(layer)}\n`)
    .join('')}`
}
