/** A range of a text, and its replacement. */
export interface Change {
  from: number
  to: number
  insert: string
}

/** The one range in which two texts differ, or null if they are equal. */
export function change(from: string, to: string): Change | null {
  if (from === to) return null
  const shorter = Math.min(from.length, to.length)
  let head = 0
  while (head < shorter && from[head] === to[head]) head++
  let tail = 0
  while (tail < shorter - head && from[from.length - 1 - tail] === to[to.length - 1 - tail]) tail++
  return { from: head, to: from.length - tail, insert: to.slice(head, to.length - tail) }
}
