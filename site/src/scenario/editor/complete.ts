// Completion from the JSON Schema of the instance file and from what the scenario names.
import type {
  Completion,
  CompletionContext,
  CompletionResult,
  CompletionSource,
} from '@codemirror/autocomplete'
import { largest } from '../spec'
import type { Path } from '../yaml/path'
import { placeOf } from './cursor'
import { listed, type Schema, schemaAt } from './schema'

/** Names that values can refer to, by kind. */
export interface Names {
  models: readonly string[]
  gpuTypes: readonly string[]
  links: readonly string[]
}

export const completion =
  (schema: () => Schema | null, names: () => Names): CompletionSource =>
  (context: CompletionContext): CompletionResult | null => {
    const root = schema()
    // Reading a long text at each key would block the page.
    if (context.state.doc.length > largest) return null
    const word = context.matchBefore(/[\w-]*/)
    if (!root || !word || (word.from === word.to && !context.explicit)) return null
    const options = complete(context.state.doc.toString(), word.from, context.pos, root, names())
    return options.length > 0 ? { from: word.from, options, validFor: /^[\w-]*$/ } : null
  }

/** Completions for the word that ends at the cursor. */
export function complete(
  text: string,
  wordStart: number,
  cursor: number,
  root: Schema,
  names: Names,
): Completion[] {
  const place = placeOf(text, wordStart, cursor)
  if (!place) return []
  const schema = schemaAt(root, place.path)
  if (!schema) return []
  // A lone word where a map belongs is the first of its keys.
  if (place.key || schema.properties) return keys(schema, place.taken)
  const values = [...listed(schema), ...named(place.path, names)]
  return values.map(label => ({ label, type: 'constant' }))
}

function keys(schema: Schema, taken: readonly string[]): Completion[] {
  return Object.entries(schema.properties ?? {})
    .filter(([key]) => !taken.includes(key))
    .map(([key, { description }]) => ({
      label: key,
      apply: `${key}: `,
      type: 'property',
      ...(description && { info: description }),
      boost: schema.required?.includes(key) ? 1 : 0,
    }))
}

function named(path: Path, names: Names): readonly string[] {
  const [top, , ...rest] = path
  const last = rest.filter(key => typeof key === 'string').at(-1)
  if (top === 'jobs' && last === 'model') return names.models
  if (top === 'jobs' && last === 'gpu_types') return names.gpuTypes
  if (top === 'cluster' && last === 'gpu') return names.gpuTypes
  if (top === 'cluster' && path[1] === 'failed_links') return names.links
  return []
}
