// Which job's form is open: the same job's, wherever in the list it is by now.

/** Where the job of that place is once the names are others; null where it is gone. */
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
