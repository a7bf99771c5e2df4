// Which job's form is open: it stays with its job when that moves in the list.

/** The new place of a job after the names have changed; null if it is gone. */
export function placeAfter(
  before: readonly string[],
  after: readonly string[],
  place: number,
): number | null {
  const renamed =
    before.length === after.length && before.every((name, i) => i === place || name === after[i])
  if (renamed) return place
  const name = before[place]
  const found = after.flatMap((other, i) => (other === name ? [i] : []))
  return found.length === 1 ? found[0]! : null
}
