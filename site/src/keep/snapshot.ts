// What a share link and a stored scenario contain besides the text, and how untrusted data is read:
// key by key, with limits, so that nothing unexpected gets in.
import type { Selection, TimeRange } from '../views/props'

/** A pinned scenario for comparison; its plan is computed again from this. */
export interface Compared {
  label: string
  text: string
  seed: number
  effort: number
  /** It is the quick plan: the search for a better one was stopped, or had found none yet. */
  quick: boolean
}

/** The tabs below the timeline. */
const tabs = ['explain', 'failures', 'progress', 'compare', 'depths'] as const
export type Tab = (typeof tabs)[number]
/** How the scenario can be shown. */
const modes = ['form', 'both', 'yaml'] as const
export type ScenarioMode = (typeof modes)[number]

export interface Snapshot {
  text: string
  seed: number
  effort: number
  selection: Selection | null
  range: TimeRange | null
  compared: Compared | null
  /** true: with partial backpropagation; false: the same jobs at full depth. */
  spb: boolean
  /** null: they stay as they are. */
  tab: Tab | null
  mode: ScenarioMode | null
}

/** The view of a text that comes without one. */
export const blank: Omit<Snapshot, 'text'> = {
  seed: 0,
  effort: 1,
  selection: null,
  range: null,
  compared: null,
  spb: true,
  tab: null,
  mode: null,
}

/** Longest text of a scenario from outside, in characters. */
export const textLimit = 1_000_000

type Unknown = Record<string, unknown>

const isObject = (value: unknown): value is Unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const natural = (value: unknown, most: number): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value <= most ? value : undefined
const finite = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined
const string = (value: unknown, most: number): string | undefined =>
  typeof value === 'string' && value.length <= most ? value : undefined

/** Seeds are whole numbers that JSON and JavaScript hold exactly. */
export const seedOf = (value: unknown) => natural(value, Number.MAX_SAFE_INTEGER) ?? 0
export const effortOf = (value: unknown) => Math.max(1, natural(value, 1000) ?? 1)

function selectionOf(value: unknown): Selection | null {
  if (!isObject(value)) return null
  const job = natural(value.job, 1e6)
  const iteration = natural(value.iteration, 1e6)
  if (job === undefined || iteration === undefined) return null
  return { job, iteration, gpu: natural(value.gpu, 1e7) ?? null }
}

function rangeOf(value: unknown): TimeRange | null {
  if (!isObject(value)) return null
  const from = finite(value.from)
  const to = finite(value.to)
  return from !== undefined && to !== undefined && from < to ? { from, to } : null
}

function comparedOf(value: unknown): Compared | null {
  if (!isObject(value)) return null
  const text = string(value.text, textLimit)
  if (text === undefined) return null
  return {
    label: string(value.label, 200) ?? 'A',
    text,
    seed: seedOf(value.seed),
    effort: effortOf(value.effort),
    quick: value.quick === true,
  }
}

/** Reads a snapshot; null if it has no text. Anything else that is wrong falls back to its default. */
export function snapshotOf(value: unknown): Snapshot | null {
  if (!isObject(value)) return null
  const text = string(value.text, textLimit)
  if (text === undefined) return null
  const compared = comparedOf(value.compared)
  return {
    text,
    seed: seedOf(value.seed),
    effort: effortOf(value.effort),
    selection: selectionOf(value.selection),
    range: rangeOf(value.range),
    compared,
    spb: value.spb !== false,
    tab: tabs.find(tab => tab === value.tab) ?? (compared && 'compare'),
    mode: modes.find(mode => mode === value.mode) ?? null,
  }
}
