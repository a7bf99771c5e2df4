// The positions of the parts of a parsed tree in the text, in whole lines.
import { isCollection, isPair, isSeq, type Node } from 'yaml'

export const lineStart = (text: string, at: number) => text.lastIndexOf('\n', at - 1) + 1

/** The start of the next line, or the text's end. */
const nextLine = (text: string, at: number) => {
  const newline = text.indexOf('\n', at)
  return newline < 0 ? text.length : newline + 1
}

/** The start of the line after the last line of the node. */
export function blockEnd(text: string, node: Node): number {
  const end = lastOf(node)
  // A block scalar ends with its own newline.
  return end > 0 && text[end - 1] === '\n' ? end : nextLine(text, end)
}

function lastOf(node: Node): number {
  if (isCollection(node) && !node.flow) {
    const last = node.items.at(-1)
    const inner = isPair(last) ? (last.value ?? last.key) : last
    if (inner) return lastOf(inner as Node)
  }
  return node.range?.[1] ?? 0
}

/** Inserts whole lines at a place, which may be the end of a text without a final newline. */
export function insertLines(text: string, at: number, lines: string): string {
  const before = text.slice(0, at)
  return before + (before === '' || before.endsWith('\n') ? '' : '\n') + lines + text.slice(at)
}

export interface EntryLines {
  start: number
  end: number
  /** Columns before the dash. */
  indent: number
}

/** The lines of each entry of a block list, with the comments directly above; null if they are not whole lines. */
export function entryLines(text: string, list: unknown): EntryLines[] | null {
  if (!isSeq(list) || list.flow || list.items.length === 0) return null
  const entries: EntryLines[] = []
  let floor = 0
  for (const item of list.items as Node[]) {
    if (!item?.range) return null
    const line = lineStart(text, item.range[0])
    const dash = /^( *)- /.exec(text.slice(line, item.range[0]))
    if (!dash) return null
    const start = withComments(text, line, dash[1]!.length, floor)
    const end = blockEnd(text, item)
    entries.push({ start, end, indent: dash[1]!.length })
    floor = end
  }
  // Blank lines and other comments between two entries belong to the one before.
  entries.forEach((entry, i) => {
    entry.end = entries[i + 1]?.start ?? entry.end
  })
  return entries
}

/** Walks up over comment lines that are indented like the entry, up to floor. */
function withComments(text: string, line: number, indent: number, floor: number): number {
  let start = line
  while (start > floor) {
    const above = lineStart(text, start - 1)
    if (above < floor || !new RegExp(`^ {${indent}}#`).test(text.slice(above, start))) break
    start = above
  }
  return start
}
