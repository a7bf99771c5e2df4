// Where in the file's tree the cursor is: found by parsing the text with a mark in place of
// the word at the cursor, because half-written texts parse well enough.
import { isMap, isPair, isScalar, parseDocument, visit } from 'yaml'
import type { Path } from '../yaml/path'

/** From the private use area: nobody types it. */
const mark = '\uE000'

export interface Place {
  /** Path of the map or the value. */
  path: Path
  /** Whether a key of the map at path is being written; else the value at path. */
  key: boolean
  /** Keys that the map has already. */
  taken: string[]
}

export function placeOf(text: string, wordStart: number, cursor: number): Place | null {
  const doc = parseDocument(text.slice(0, wordStart) + mark + text.slice(cursor))
  let found: Place | null = null
  visit(doc, {
    Scalar(key, node, ancestors) {
      if (typeof node.value !== 'string' || !node.value.includes(mark)) return
      const path: (string | number)[] = []
      ancestors.forEach((ancestor, i) => {
        const child = ancestors[i + 1] ?? node
        if (isPair(ancestor) && ancestor.value === child && isScalar(ancestor.key))
          path.push(String(ancestor.key.value))
        else if (!isPair(ancestor) && 'items' in ancestor && !isMap(ancestor))
          path.push((ancestor.items as unknown[]).indexOf(child))
      })
      const map = key === 'key' ? ancestors.at(-2) : undefined
      found = {
        path,
        key: key === 'key',
        taken: isMap(map)
          ? map.items.flatMap(pair =>
              isScalar(pair.key) && pair.key !== node ? [String(pair.key.value)] : [],
            )
          : [],
      }
      return visit.BREAK
    },
  })
  return found
}
