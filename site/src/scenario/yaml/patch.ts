// Changes to a YAML text that leave everything else as its author wrote it: comments,
// order, spacing. Places are found in the parsed tree, and the change is made in the text.
// If a place has an unsupported form (an alias, a flow list over many lines), or the result
// would not mean what was asked for, the whole text is generated from the tree, which keeps
// comments but not spacing.
import {
  type Alias,
  type Document,
  isAlias,
  isCollection,
  isMap,
  isScalar,
  isSeq,
  type Node,
  parseDocument,
  type Scalar,
  stringify,
  visit,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml'
import type { Path } from './path'
import { blockEnd, entryLines, insertLines, lineStart } from './place'

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

const written = { lineWidth: 0, flowCollectionPadding: false } as const

/** A value in flow style, which is valid anywhere. */
export const inline = (value: Json): string =>
  stringify([value], { ...written, collectionStyle: 'flow' })
    .trim()
    .slice(1, -1)

/** The parsed text; undefined if it is not YAML. */
export function parse(text: string): Json | undefined {
  if (text !== parsed.text) parsed = { text, json: read(text) }
  return parsed.json
}

/** A cache of the last text parsed: after each change in a form both the change and the form ask for it. */
let parsed: { text: string; json: Json | undefined } = { text: '', json: null }

function read(text: string): Json | undefined {
  // Endlessly expanding aliases and endless nesting throw.
  try {
    const doc = parseDocument(text)
    return doc.errors.length > 0 ? undefined : (doc.toJS() as Json)
  } catch {
    return undefined
  }
}

/** The text with the value at path; undefined removes the entry. Missing parents are created. */
export function set(text: string, path: Path, value: Json | undefined): string {
  if (value === undefined && at(parse(text), path) === undefined) return text
  return patched(
    text,
    doc => (value === undefined ? without(doc, text, path) : withValue(doc, text, path, value)),
    doc => {
      makeWay(doc, path)
      if (value === undefined) doc.deleteIn(path)
      else doc.setIn(path, doc.createNode(value))
    },
  )
}

/** The value at the path. */
const at = (json: Json | undefined, path: Path): Json | undefined =>
  path.reduce<Json | undefined>(
    (of, key) => (of as Record<string | number, Json> | null | undefined)?.[key],
    json,
  )

/** Makes sure that there are maps and lists above the path: an alias becomes a copy of its target, and anything else in the way is replaced. */
function makeWay(doc: Document, path: Path): void {
  path.forEach((key, depth) => {
    const above = path.slice(0, depth)
    const node = depth === 0 ? doc.contents : doc.getIn(above, true)
    if (!node || isCollection(node)) return
    const meant = isAlias(node) && copyOf(node, doc)
    doc.setIn(above, isCollection(meant) ? meant : doc.createNode(typeof key === 'number' ? [] : {}))
  })
}

/** The text with a new entry in the list at path, before the one at index. */
export function insert(text: string, path: Path, index: number, value: Json): string {
  return patched(
    text,
    doc => withEntry(doc, text, path, index, value),
    doc => {
      const list = doc.getIn(path)
      if (isSeq(list)) list.items.splice(index, 0, doc.createNode(value))
      else doc.setIn(path, [value])
    },
  )
}

/** The text with the entry of the list at path moved, with the comments above it. */
export function move(text: string, path: Path, from: number, to: number): string {
  return patched(
    text,
    doc => {
      const entries = entryLines(text, doc.getIn(path))
      if (!entries) return undefined
      const order = [...entries]
      order.splice(to, 0, ...order.splice(from, 1))
      const lines = order.map(entry => ensureNewline(text.slice(entry.start, entry.end))).join('')
      return text.slice(0, entries[0]!.start) + lines + text.slice(entries.at(-1)!.end)
    },
    doc => {
      const list = doc.getIn(path)
      if (isSeq(list)) list.items.splice(to, 0, ...list.items.splice(from, 1))
    },
  )
}

/** The text with a copy of the entry after it; change is what differs in the copy. */
export function duplicate(text: string, path: Path, index: number, change: Record<string, Json>): string {
  const copied = patched(
    text,
    doc => {
      const entry = entryLines(text, doc.getIn(path))?.[index]
      if (!entry) return undefined
      const lines = ensureNewline(text.slice(entry.start, entry.end))
      return text.slice(0, entry.start) + lines + lines + text.slice(entry.end)
    },
    doc => {
      const list = doc.getIn(path)
      if (isSeq(list)) list.items.splice(index, 0, (list.items[index] as Node).clone() as Node)
    },
  )
  return Object.entries(change).reduce(
    (result, [key, value]) => set(result, [...path, index + 1, key], value),
    copied,
  )
}

const ensureNewline = (lines: string) => (lines.endsWith('\n') ? lines : `${lines}\n`)

/** The textual change, if it means the same as the change in the tree. */
function patched(
  text: string,
  quick: (doc: Document) => string | undefined,
  onTree: (doc: Document) => void,
): string {
  if (parse(text) === undefined) return text
  let doc = parseDocument(text)
  const result = quick(doc)
  onTree(doc)
  let json: unknown
  try {
    json = doc.toJS()
  } catch {
    // An alias comes before its anchor, or the anchor is gone.
    doc = parseDocument(text)
    visit(doc, { Alias: (_, alias) => copyOf(alias, doc) })
    onTree(doc)
    json = doc.toJS()
  }
  if (result !== undefined && JSON.stringify(parse(result)) === JSON.stringify(json)) return result
  return doc.toString(written)
}

/** The target of an alias. */
function copyOf(alias: Alias, doc: Document): Node | undefined {
  const copy = alias.resolve(doc)?.clone() as Scalar | YAMLMap | YAMLSeq | undefined
  if (copy) delete copy.anchor
  return copy
}

/** Flow pairs are separated by ", ". */
function withValue(doc: Document, text: string, path: Path, value: Json): string | undefined {
  const old = doc.getIn(path, true) as Node | undefined
  if (old?.range) {
    const replaceable = isScalar(old)
      ? !old.source?.includes('\n') && old.type !== 'BLOCK_LITERAL' && old.type !== 'BLOCK_FOLDED'
      : isCollection(old) && old.flow
    if (isAlias(old) || !replaceable) return undefined
    // An empty value has no range of its own, only the colon before it.
    const gap = old.range[0] === old.range[1] && text[old.range[0] - 1] === ':' ? ' ' : ''
    return text.slice(0, old.range[0]) + gap + inline(value) + text.slice(old.range[1])
  }
  if (path.length === 0) return undefined
  const key = path.at(-1)!
  const above = path.slice(0, -1)
  const parent = doc.getIn(above, true)
  if (parent === undefined && above.length > 0) return withValue(doc, text, above, { [key]: value })
  if (!isMap(parent) || !parent.range) return undefined
  const pair = `${inline(String(key))}: ${inline(value)}`
  const last = parent.items.at(-1)
  if (parent.flow) {
    const end = ((last?.value ?? last?.key) as Node | null | undefined)?.range?.[1]
    const at = end ?? parent.range[0] + 1
    return text.slice(0, at) + (end === undefined ? pair : `, ${pair}`) + text.slice(at)
  }
  const first = (parent.items[0]?.key as Node | undefined)?.range?.[0]
  if (first === undefined) return undefined
  const indent = ' '.repeat(first - lineStart(text, first))
  return insertLines(text, blockEnd(text, parent), `${indent}${pair}\n`)
}

function without(doc: Document, text: string, path: Path): string | undefined {
  const key = path.at(-1)!
  const parent = doc.getIn(path.slice(0, -1), true)
  if (isSeq(parent)) {
    const entries = entryLines(text, parent)
    const entry = entries?.[Number(key)]
    // A list that becomes empty is left to the tree.
    if (!entry || entries.length === 1) return undefined
    return text.slice(0, entry.start) + text.slice(entry.end)
  }
  if (!isMap(parent)) return undefined
  const index = parent.items.findIndex(pair => isScalar(pair.key) && pair.key.value === key)
  if (index < 0) return undefined
  const range = (at: number) => {
    const pair = parent.items[at]
    const start = (pair?.key as Node | undefined)?.range?.[0]
    const end = ((pair?.value ?? pair?.key) as Node | null | undefined)?.range?.[1]
    return start === undefined || end === undefined ? undefined : { start, end }
  }
  const own = range(index)
  if (!own || parent.items.length === 1) return undefined
  if (parent.flow) {
    const before = index > 0 ? range(index - 1) : undefined
    const after = range(index + 1)
    if (before) return text.slice(0, before.end) + text.slice(own.end)
    return after ? text.slice(0, own.start) + text.slice(after.start) : undefined
  }
  const start = lineStart(text, own.start)
  // The first pair of a list entry shares its line with the dash.
  if (text.slice(start, own.start).trim() !== '') return undefined
  const after = range(index + 1)
  const end = after ? lineStart(text, after.start) : blockEnd(text, parent)
  return text.slice(0, start) + text.slice(end)
}

function withEntry(doc: Document, text: string, path: Path, index: number, value: Json): string | undefined {
  const list = doc.getIn(path)
  if (list === undefined || (isSeq(list) && list.items.length === 0)) return undefined
  const entries = entryLines(text, list)
  if (!entries) return undefined
  const line = `${' '.repeat(entries[0]!.indent)}- ${inline(value)}\n`
  const at = index < entries.length ? entries[index]!.start : entries.at(-1)!.end
  return insertLines(text, at, line)
}
