// Applies a change that the core made to the file to its text: only what differs is written, so
// that comments, order and spacing stay.
import { type Json, parse, set } from './yaml/patch'
import type { Path } from './yaml/path'

/** Changes the text, which the core reads as `before`, so that it reads as `after`. */
export function adopt(text: string, before: Json, after: Json): string {
  const written = parse(text)
  return written === undefined ? text : at([], text, before, after)
}

function at(path: Path, text: string, before: Json | undefined, after: Json | undefined): string {
  if (same(before, after)) return text
  const inside = isObject(before) && isObject(after)
  // If a list grew or shrank, all of its entries may have changed.
  const alike = Array.isArray(before) && Array.isArray(after) && before.length === after.length
  if (!inside && !alike) return set(text, path, after)
  const [from, to] = [before, after] as [{ [key: string]: Json }, { [key: string]: Json }]
  return [...new Set([...Object.keys(from), ...Object.keys(to)])].reduce(
    (result, key) => at([...path, alike ? Number(key) : key], result, from[key], to[key]),
    text,
  )
}

const isObject = (value: Json | undefined) =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const same = (a: Json | undefined, b: Json | undefined) => JSON.stringify(a) === JSON.stringify(b)
